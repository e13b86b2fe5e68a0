import type { RunQuery } from '../execution/ports.js';
import type { ClickHouseWatch } from './clickhouse-watch.js';
import type { QueryQueue } from './query-queue.js';

/**
 * The way of a query to ClickHouse: refused while ClickHouse is away, then within its asker's limits, then in the queue,
 * then watched while it runs.
 */
export function admitQueries(
  runQuery: RunQuery,
  { watch, queue }: { readonly watch: ClickHouseWatch; readonly queue: QueryQueue },
): RunQuery {
  return watch.gate(withinLimits(queue.limit(watch.guard(runQuery))));
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
