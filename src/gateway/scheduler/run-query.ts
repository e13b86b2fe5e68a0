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

/** Queue and servers that run the work of requests. */
interface Places<S extends PooledServer> {
  readonly pool: Pick<ServerPool<S>, 'requireServer' | 'run'>;
  readonly queue: Pick<QueryQueue, 'run'>;
}

/** Cost of work. Undefined where the cost is unknown or nothing. */
interface Charged {
  readonly cost?: Figures<QueryCost> | undefined;
}

/**
 * Runs work for a request in steps: rejects it while every server is ejected, checks its caller's limits, waits for a slot, runs it on a
 * server, and charges its cost. A retry on another server counts for no limit, and needs no second slot.
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

/** Pause of an export between two chunks while other queries run, in milliseconds. With chunks of 256 KiB, 25 MB a second remain. */
const PAUSE_MS = 10;

/**
 * Runs exports in the same steps, but in their own queue: an export takes minutes, and other queries must not wait for it. While other
 * queries run, an export pauses after each chunk so that it does not slow them down. ClickHouse then pauses as well.
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

/** Runs statements in the same steps, but in their own queue, so that a tool that sends many does not make calls wait. */
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
 * Runs analyses of callers' SQL in the same steps: for ClickHouse they are queries like any other, and a caller can cause as many. They
 * read no rows, so they charge nothing.
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
