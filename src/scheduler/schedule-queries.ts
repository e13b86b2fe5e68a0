import type { SlotRequest, QueryResult, RunQuery } from '../query/ports.js';
import type { AnalyzeSql, SqlParser } from '../query/sandboxed-select.js';
import type { QueryQueue } from './query-queue.js';
import type { PooledServer, ServerPool } from './server-pool.js';

/** A server that can run queries and analyse SQL. */
export interface AnalyzingServer extends PooledServer {
  readonly parser: SqlParser;
}

/**
 * The way of a query to ClickHouse: refused while every server is away, then within its caller's limits, then in the queue,
 * then on a server. A second try on another server counts for no limit, and needs no second slot.
 */
export function scheduleQueries(pool: Pick<ServerPool, 'gate' | 'run'>, queue: QueryQueue): RunQuery {
  return pool.gate(withinLimits(queue.limit(pool.run), (result) => result));
}

/**
 * The same way for analyses of callers' SQL: to ClickHouse they are queries like any other, and a caller can cause as many
 * of them. They read no rows, so they charge nothing.
 */
export function scheduleAnalyses(pool: ServerPool<AnalyzingServer>, queue: QueryQueue): AnalyzeSql {
  return async (request, analysis) => {
    const run = pool.on(async ({ parser }, { signal }: SlotRequest) => ({
      value: await analysis(parser, signal),
    }));
    return (await pool.gate(withinLimits(queue.limit(run), () => undefined))(request)).value;
  };
}

/** @param costOf what a result is charged with. */
function withinLimits<R extends SlotRequest, T>(
  run: (request: R) => Promise<T>,
  costOf: (result: T) => QueryResult | undefined,
): (request: R) => Promise<T> {
  return async (request) => {
    const settle = await request.requester?.admitQuery?.();
    if (!settle) return run(request);
    try {
      const result = await run(request);
      await settle(costOf(result));
      return result;
    } catch (error) {
      await settle();
      throw error;
    }
  };
}
