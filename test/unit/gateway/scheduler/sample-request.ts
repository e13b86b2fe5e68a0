import type { QueryRequest, Requester, RunQuery } from '../../../../src/gateway/query/ports.js';
import { Abort, type Signal } from '../../../../src/gateway/query/signal.js';
import type { QueryQueue } from '../../../../src/gateway/scheduler/query-queue.js';
import type { ServerBreaker } from '../../../../src/gateway/scheduler/server-breaker.js';
import type { ServerPool } from '../../../../src/gateway/scheduler/server-pool.js';

/** A request to run a query, interactive by default. */
export function sampleRequest(
  requestId: string,
  requester: Partial<Requester> = {},
  signal: Signal = new Abort(),
): QueryRequest {
  return {
    query: { text: 'SELECT 1', parameters: {} },
    columns: new Map(),
    rowCap: 1,
    requestId,
    signal,
    requester: { lane: 'lane', priority: 'interactive', ...requester },
  };
}

/** Runs queries on a pool, where it has a server. */
export const runOn =
  (pool: ServerPool): RunQuery =>
  async (request) => {
    await pool.requireServer();
    request.signal.throwIfAborted();
    return pool.run(request, ({ runQuery }, attempt) => runQuery(attempt));
  };

/** Runs queries that a breaker observes. */
export const guarded =
  <T>(breaker: ServerBreaker, runQuery: (request: QueryRequest) => Promise<T>) =>
  (request: QueryRequest): Promise<T> =>
    breaker.run(request, runQuery);

/** Runs queries in slots of a queue. */
export const inSlotOf =
  (queue: QueryQueue, runQuery: RunQuery): RunQuery =>
  (request) =>
    queue.run(request, () => runQuery(request));
