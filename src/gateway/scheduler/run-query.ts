import { OPERATORS, type Figures } from '../../endpoint/figures.js';
import type { QueryCost } from '../../endpoint/limit-rules.js';
import { Failure } from '../errors.js';
import type { RunScheduledExport } from '../query/execute-export.js';
import type {
  RunExport,
  RunQuery,
  RunScheduledStatement,
  RunStatement,
  SlotRequest,
} from '../query/ports.js';
import type { AnalyzeSql, SqlParser } from '../query/sandboxed-select.js';
import { nativeSignal, setRealTimer } from '../query/signal.js';
import type { QueryQueue } from './query-queue.js';
import type { PooledServer, ServerPool } from './server-pool.js';

/** Where work for requests runs: in slots of the queue, on servers of the pool. */
interface Places<S extends PooledServer> {
  readonly pool: Pick<ServerPool<S>, 'requireServer' | 'run'>;
  readonly queue: Pick<QueryQueue, 'run'>;
}

/** What work has cost; undefined where that is unknown, or nothing. */
interface Charged {
  readonly cost?: Figures<QueryCost> | undefined;
}

/**
 * Runs work for a request in steps: reject it while every server is ejected, check its caller's limits, wait for a slot, run it
 * on a server, charge what it cost. A retry on another server counts for no limit, and needs no second slot.
 */
async function runInSteps<S extends PooledServer, R extends SlotRequest, T extends Charged>(
  { pool, queue }: Places<S>,
  request: R,
  work: (server: S, attempt: R, waitingMs: number) => Promise<T>,
): Promise<T & { readonly waitingMs: number }> {
  await pool.requireServer();
  request.signal.throwIfAborted();
  const settle = await request.requester?.admitQuery?.();
  try {
    const result = await queue.run(request, (waitingMs) =>
      pool.run(request, (server, attempt) => work(server, attempt, waitingMs)),
    );
    await settle?.(result.cost?.readBy(OPERATORS));
    return result;
  } catch (error) {
    await settle?.(error instanceof Failure ? error.details.cost?.readBy(OPERATORS) : undefined);
    throw error;
  }
}

/** Runs queries on a pool of servers. */
export function scheduleQueries(places: Places<PooledServer>): RunQuery {
  return (request) => runInSteps(places, request, ({ runQuery }, attempt) => runQuery(attempt));
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
  places: Places<ExportingServer>,
  others: Pick<QueryQueue, 'isRunning'>,
  setTimer = setRealTimer,
): RunScheduledExport {
  return (request) =>
    runInSteps(places, request, ({ runExport, breaker }, attempt, waitingMs) =>
      runExport({
        waitingMs,
        takeTurn: (resume) => {
          breaker.noteResponse();
          if (others.isRunning) setTimer(resume, PAUSE_MS);
          else setImmediate(resume);
        },
        ...attempt,
      }),
    );
}

/** A server that can run statements. */
export interface StatementServer extends PooledServer {
  readonly runStatement: RunStatement;
}

/** Runs statements in the same steps, in a queue of their own, so that a tool that sends many does not make calls wait. */
export function scheduleStatements(places: Places<StatementServer>): RunScheduledStatement {
  return (request) =>
    runInSteps(places, request, ({ runStatement, breaker }, attempt) =>
      runStatement({
        takeTurn: (resume) => {
          breaker.noteResponse();
          setImmediate(resume);
        },
        ...attempt,
      }),
    );
}

/** A server that can run queries and analyse SQL. */
export interface AnalyzingServer extends PooledServer {
  readonly parser: SqlParser;
}

/**
 * Runs analyses of callers' SQL in the same steps, because to ClickHouse they are queries like any other, and a
 * caller can cause as many. They read no rows, so they charge nothing.
 */
export function scheduleAnalyses(places: Places<AnalyzingServer>): AnalyzeSql {
  return async (request, analysis) => {
    const { value } = await runInSteps(places, request, async ({ parser }, { signal }) => ({
      cost: undefined,
      value: await analysis(parser, nativeSignal(signal)),
    }));
    return value;
  };
}
