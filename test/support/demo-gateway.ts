import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { hashApiKey } from '../../src/gateway/auth/api-key.js';
import { readConfig } from '../../src/gateway/config/config.js';
import type { Endpoints } from '../../src/endpoint/registry.js';
import { openGateway } from '../../src/gateway/server/compose.js';
import { demoDatabase, variablesOf } from './demo-database.js';
import { RecordingLogger } from './recording-logger.js';
import { withTemporaryFolder } from './temporary-folder.js';

/** Keys of the gateway: one with all rights, one pinned to a project, one limited to a request per minute. */
export const KEYS = { all: 'qg_demo-all', tenant: 'qg_demo-tenant', limited: 'qg_demo-limited' } as const;

/** A complete gateway that listens, on a real ClickHouse with the demo data. */
export interface DemoGateway {
  readonly url: string;
  readonly endpoints: Endpoints;
  /** Sends a request with the key that has all rights. */
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<Response>;
}

/** Runs a body with a demo gateway. */
async function withDemoGateway(use: (gateway: DemoGateway) => Promise<void>): Promise<void> {
  const { connection } = await demoDatabase();
  await withTemporaryFolder(async (folder) => {
    const gateway = await openGateway(
      readConfig({
        PORT: '0',
        ...variablesOf(connection),
        API_KEYS_FILE: await writeKeys(folder),
      }),
      { logger: new RecordingLogger(), clock: () => new Date() },
    );
    const get: DemoGateway['get'] = (target, headers) =>
      fetch(gateway.url + target, { headers: { 'X-API-KEY': KEYS.all, ...headers } });
    try {
      await use({ url: gateway.url, endpoints: gateway.endpoints, get });
    } finally {
      await gateway.close();
    }
  });
}

/**
 * Opens one demo gateway for all tests of a file.
 *
 * @returns a function that returns the gateway while tests run.
 */
export function sharedDemoGateway(): () => DemoGateway {
  let opened: DemoGateway | undefined;
  let finish: (() => void) | undefined;
  let closed: Promise<void> = Promise.resolve();
  beforeAll(async () => {
    await new Promise<void>((resolve, reject) => {
      closed = withDemoGateway((gateway) => {
        opened = gateway;
        resolve();
        return new Promise((finished) => (finish = finished));
      });
      closed.catch(reject);
    });
  }, 60_000);
  afterAll(async () => {
    finish?.();
    await closed;
  }, 60_000);
  return () => {
    if (!opened) throw new Error('the gateway is not open');
    return opened;
  };
}

async function writeKeys(folder: string): Promise<string> {
  const file = path.join(folder, 'keys.json');
  const keys = [
    { name: 'all', sha256: [hashApiKey(KEYS.all)], mayBypassCache: true },
    { name: 'tenant', sha256: [hashApiKey(KEYS.tenant)], fixed: { project: 'aurora' } },
    {
      name: 'limited',
      sha256: [hashApiKey(KEYS.limited)],
      endpoints: ['usage.*'],
      limits: { requests: { quota: 1, window: 60 } },
    },
  ];
  await writeFile(file, JSON.stringify({ keys }));
  return file;
}
