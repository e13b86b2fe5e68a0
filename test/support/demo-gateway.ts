import type { Endpoints } from '../../src/endpoint/registry.js';
import { demoDatabase, variablesOf } from './demo-database.js';
import { ListeningGateway } from './listening-gateway.js';
import { openForAll } from './opened.js';

/** Keys of the gateway: one with all rights, one pinned to a project, one limited to a request per minute. */
export const KEYS = { all: 'qg_demo-all', tenant: 'qg_demo-tenant', limited: 'qg_demo-limited' } as const;

/** A complete gateway that listens, on a real ClickHouse with the demo data. */
export interface DemoGateway {
  readonly url: string;
  readonly endpoints: Endpoints;
  /** Sends a request with the key that has all rights. */
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<Response>;
}

/**
 * Opens one demo gateway for all tests of a file.
 *
 * @returns a function that returns the gateway while tests run.
 */
export function sharedDemoGateway(): () => DemoGateway {
  const opened = openForAll(async () => {
    const { connection } = await demoDatabase();
    return ListeningGateway.listen({
      environment: variablesOf(connection),
      keys: {
        [KEYS.all]: { mayBypassCache: true },
        [KEYS.tenant]: { fixed: { project: 'aurora' } },
        [KEYS.limited]: { endpoints: ['usage.*'], limits: { requests: { quota: 1, window: 60 } } },
      },
    });
  });
  const get: DemoGateway['get'] = (target, headers) =>
    fetch(opened.url + target, { headers: { 'X-API-KEY': KEYS.all, ...headers } });
  return () => ({ url: opened.url, endpoints: opened.gateway.endpoints, get });
}
