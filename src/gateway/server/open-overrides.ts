import { createHash } from 'node:crypto';

import type { ServedEndpoints } from '../../endpoint/served-endpoints.js';
import type { Logger } from '../observability/logger.js';
import type { QueryExecution } from './open-query-execution.js';
import type { OpenServer } from './open-clickhouse.js';

/** Milliseconds that the start waits for the settings of a user; after that, the user's first query waits for them. */
const FIRST_MS = 1000;

/** The settings that the gateway overrides on its servers. */
export interface OpenOverrides {
  /** Purges all cached results when the overridden settings change: queries may have run before the change was read. */
  readonly follow: (execution: Pick<QueryExecution, 'adoptEndpoints' | 'cache'>) => void;
  /** Why no server can run queries; empty where at least one can. */
  readonly problems: () => Promise<readonly string[]>;
}

/** Reads the settings of the user on each server, logs those that are overridden, and keeps results of different settings apart. */
export async function openOverrides(
  servers: readonly OpenServer[],
  endpoints: ServedEndpoints,
  logger: Logger,
): Promise<OpenOverrides> {
  let onChange = (): void => undefined;
  const opened: OpenOverrides = {
    follow: ({ adoptEndpoints, cache }) => {
      onChange = () => {
        adoptEndpoints(new Set());
        void cache.purge({});
      };
    },
    problems: () => {
      const problems = servers.flatMap(({ client: { overrides } }) => overrides.problem ?? []);
      return Promise.resolve(problems.length < servers.length ? [] : problems);
    },
  };
  for (const { name: server, client } of servers) {
    const { overrides } = client;
    overrides.onChange = () => {
      const settings = Object.keys(overrides.settings);
      if (overrides.problem !== undefined) logger.error(overrides.problem, { server });
      else
        logger.warn('the ClickHouse user’s settings that change results are overridden', {
          server,
          settings,
        });
      const sent = new Set(servers.map((each) => each.client.overrides.search));
      const text = [...sent].sort().join('\n');
      endpoints.keepApart(text === '' ? undefined : createHash('sha256').update(text).digest('hex'));
      onChange();
    };
  }
  const first = servers.map(({ client }) => client.overrides.ready(AbortSignal.timeout(FIRST_MS)));
  await Promise.allSettled(first);
  return opened;
}
