import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { startServing, type ServingProcess } from '../bench/gateway-process.js';
import { EmbeddedServer } from '../clickhouse/embedded/embedded-server.js';
import { prepareDatabase } from '../demo-data/prepare-database.js';
import { generateApiKey, hashApiKey } from '../keys/api-key.js';
import { READER_USER_FILE } from '../project-files.js';
import { FlakyLink } from './flaky-link.js';
import { QUERY_SECONDS, QUEUE_SECONDS, type SoakKeys } from './load.js';

/** A gateway process, a ClickHouse of its own, and a link between them that can be broken. */
export interface Stand {
  readonly gateway: ServingProcess;
  readonly clickhouse: EmbeddedServer;
  readonly link: FlakyLink;
  readonly keys: SoakKeys;
  readonly close: () => Promise<void>;
}

export interface StandOptions {
  /** For data and the keys' file; the caller's to remove. */
  readonly folder: string;
  /** The gateway's main module, built. */
  readonly gatewayModule: string;
  readonly environment?: Readonly<Record<string, string>>;
}

const FLOOD_A_SECOND = 200;
/** Small enough that misses push others out: memory is flat when the cache is full. */
const CACHE_MB = '16';

export async function openStand({ folder, gatewayModule, environment = {} }: StandOptions): Promise<Stand> {
  const closers: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const each of closers.splice(0).reverse()) await each();
  };
  try {
    const clickhouse = await EmbeddedServer.start({
      dataDir: path.join(folder, 'clickhouse'),
      database: 'logs',
      readerUserFile: READER_USER_FILE,
      onCrash: () => undefined,
    });
    closers.push(() => clickhouse.stop());
    await prepareDatabase(clickhouse.adminConnection, { demoDataUpTo: new Date() });
    const { url, username, password } = clickhouse.readerConnection;
    const link = await FlakyLink.open(Number(new URL(url).port));
    closers.push(() => link.close());
    const keys = { dashboard: generateApiKey(), flood: generateApiKey(), beside: generateApiKey() };
    const keysFile = path.join(folder, 'keys.json');
    await writeFile(keysFile, JSON.stringify(keyFileOf(keys)));
    const gateway = await startServing(gatewayModule, [], {
      API_KEYS_FILE: keysFile,
      CLICKHOUSE_URL: link.url,
      CLICKHOUSE_USER: username,
      CLICKHOUSE_PASSWORD: password,
      LOG_LEVEL: 'error',
      QUERY_TIMEOUT_SECONDS: String(QUERY_SECONDS),
      QUEUE_TIMEOUT_SECONDS: String(QUEUE_SECONDS),
      CACHE_MEMORY_MB: CACHE_MB,
      ...environment,
    });
    closers.push(gateway.stop);
    return { gateway, clickhouse, link, keys, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function keyFileOf({ dashboard, flood, beside }: SoakKeys): object {
  const limits = { requests: { quota: FLOOD_A_SECOND, window: 1 }, concurrent: 8 };
  return {
    keys: [
      { name: 'dashboard', sha256: [hashApiKey(dashboard)] },
      { name: 'flood', sha256: [hashApiKey(flood)], limits },
      { name: 'beside', sha256: [hashApiKey(beside)], fixed: {} },
    ],
  };
}
