import { OPERATORS } from '../../endpoint/figures.js';
import type { QueryCost } from '../../endpoint/limit-rules.js';
import { Failure } from '../errors.js';
import type { RunScheduledExport } from '../query/execute-export.js';
import type { ExportRequest, SlotRequest, RunExport, RunQuery } from '../query/ports.js';
import type { AnalyzeSql, SqlParser } from '../query/sandboxed-select.js';
import { nativeSignal } from '../query/signal.js';
import type { QueryQueue } from './query-queue.js';
import type { PooledServer, ServerPool } from './server-pool.js';
import { setRealTimer } from './timers.js';

/** A server that can run queries and analyse SQL. */
export interface AnalyzingServer extends PooledServer {
  readonly parser: SqlParser;
}

/**
 * Runs a query in steps: reject it while every server is ejected, check its caller's limits, wait for a slot, run it
 * on a server. A retry on another server counts for no limit, and needs no second slot.
 */
export function scheduleQueries(pool: Pick<ServerPool, 'gate' | 'run'>, queue: QueryQueue): RunQuery {
  return pool.gate(withinLimits(queue.limit(pool.run), ({ cost }) => cost.readBy(OPERATORS)));
}

/** A server that can run exports. */
export interface ExportingServer extends PooledServer {
  readonly runExport: RunExport;
}

/** Milliseconds that an export waits before its next bytes while other queries run: with 256 KiB each time, 25 MB a second. */
const PAUSE_MS = 10;

/**
 * Runs exports in the same steps, in a queue of their own: they take minutes, for which no other query waits. Nor may they slow
 * down others: while these run, an export pauses after each part, at which ClickHouse pauses too.
 */
export function scheduleExports(
  pool: Pick<ServerPool<ExportingServer>, 'gate' | 'on'>,
  exportQueue: QueryQueue,
  others: Pick<QueryQueue, 'isRunning'>,
  setTimer = setRealTimer,
): RunScheduledExport {
  const run = pool.on(({ runExport, breaker }, request: Omit<ExportRequest, 'takeTurn'>) =>
    runExport({
      takeTurn: (resume) => {
        breaker.noteResponse();
        if (others.isRunning) setTimer(resume, PAUSE_MS);
        else setImmediate(resume);
      },
      ...request,
    }),
  );
  const inSlot = exportQueue.limit(({ enteredAt, ...request }: Entered) =>
    run({ waitingMs: performance.now() - enteredAt, ...request }),
  );
  const limited = withinLimits(inSlot, ({ cost }) => cost?.readBy(OPERATORS));
  return pool.gate((request) => limited({ enteredAt: performance.now(), ...request }));
}

/** An export on its way to the queue, and when it came; `performance.now()`. */
type Entered = Omit<ExportRequest, 'waitingMs' | 'takeTurn'> & { readonly enteredAt: number };

/**
 * Runs analyses of callers' SQL in the same steps, because to ClickHouse they are queries like any other, and a
 * caller can cause as many. They read no rows, so they charge nothing.
 */
export function scheduleAnalyses(
  pool: Pick<ServerPool<AnalyzingServer>, 'gate' | 'on'>,
  queue: QueryQueue,
): AnalyzeSql {
  return async (request, analysis) => {
    const run = pool.on(async ({ parser }, { signal }: SlotRequest) => ({
      value: await analysis(parser, nativeSignal(signal)),
    }));
    return (await pool.gate(withinLimits(queue.limit(run), () => undefined))(request)).value;
  };
}

/** Makes a function check its caller's limits. @param costOf the cost that is charged; undefined for none. */
function withinLimits<R extends SlotRequest, T>(
  run: (request: R) => Promise<T>,
  costOf: (result: T) => QueryCost | undefined,
): (request: R) => Promise<T> {
  return async (request) => {
    const settle = await request.requester?.admitQuery?.();
    if (!settle) return await run(request);
    try {
      const result = await run(request);
      await settle(costOf(result));
      return result;
    } catch (error) {
      await settle(error instanceof Failure ? error.details.cost?.readBy(OPERATORS) : undefined);
      throw error;
    }
  };
}
