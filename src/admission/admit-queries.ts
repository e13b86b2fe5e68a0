import type { RunQuery } from '../execution/ports.js';
import type { QueryQueue } from './query-queue.js';
import type { ServerPool } from './server-pool.js';

/**
 * The way of a query to ClickHouse: refused while every server is away, then within its asker's limits, then in the queue,
 * then on a server. A second try on another server counts for no limit, and needs no second place.
 */
export function admitQueries(pool: Pick<ServerPool, 'gate' | 'run'>, queue: QueryQueue): RunQuery {
  return pool.gate(withinLimits(queue.limit(pool.run)));
}

function withinLimits(runQuery: RunQuery): RunQuery {
  return async (request) => {
    const settle = await request.asker?.admitQuery?.();
    if (!settle) return runQuery(request);
    try {
      const result = await runQuery(request);
      await settle(result);
      return result;
    } catch (error) {
      await settle();
      throw error;
    }
  };
}
