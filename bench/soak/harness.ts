import { prepareDatabase } from '../../src/commands/demo-data/prepare-database.js';
import type { EmbeddedServer } from '../../src/commands/embedded/embedded-server.js';
import type { ServerProcess } from '../servers/server-process.js';
import type { Environment, Stage } from '../stage.js';
import { QUERY_SECONDS, QUEUE_SECONDS, type SoakKeys } from './load.js';
import { UnreliableProxy } from './unreliable-proxy.js';
import { REFERENCE } from '../reference-project.js';

/** A gateway process, a ClickHouse of its own, and a proxy between them that injects faults. */
export interface Harness {
  readonly gateway: ServerProcess;
  readonly clickhouse: EmbeddedServer;
  readonly proxy: UnreliableProxy;
  readonly keys: SoakKeys;
}

const FLOOD_LIMITS = { requests: { quota: 200, window: 1 }, concurrent: 8 };
/** Small enough that misses evict entries: memory stays constant once the cache is full. */
const CACHE_MEMORY_MB = '16';

/** Starts a harness, which closes with the stage. */
export async function openHarness(stage: Stage, environment: Environment = {}): Promise<Harness> {
  const clickhouse = await stage.startClickHouse({ onCrash: () => undefined });
  await prepareDatabase(clickhouse.adminConnection, {
    schemaFolder: REFERENCE.schemaFolder,
    demo: { folder: REFERENCE.demoFolder, upTo: new Date() },
  });
  const reader = clickhouse.readerConnection;
  const proxy = await UnreliableProxy.open(Number(new URL(reader.url).port));
  stage.closesWith(() => proxy.close());
  const rights = { dashboard: {}, flood: { limits: FLOOD_LIMITS }, beside: { fixed: {} } };
  const { file, keys } = await stage.writeKeys(rights);
  const gateway = await stage.startGateway(
    { ...reader, url: proxy.url },
    {
      API_KEYS_FILE: file,
      LOG_LEVEL: 'error',
      QUERY_TIMEOUT_SECONDS: String(QUERY_SECONDS),
      QUEUE_TIMEOUT_SECONDS: String(QUEUE_SECONDS),
      CACHE_MEMORY_MB,
      ...environment,
    },
  );
  return { gateway, clickhouse, proxy, keys };
}
