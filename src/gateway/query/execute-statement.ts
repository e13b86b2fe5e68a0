import type { CacheKey } from './cache-key.js';
import type { CallOutcome } from './call.js';
import { bodiesOf } from './encode-bodies.js';
import { inOwnMemory, type EndpointResult } from './endpoint-result.js';
import { hitOf, hitOutcome } from './execute-call.js';
import { shareQuery, type SharingParts } from './fetch-result.js';
import { LinkedAbort } from './signal.js';
import type { Clock, RunScheduledStatement } from './ports.js';
import type { SingleFlightContext } from './single-flight.js';

/** The parts of a gateway by which it runs statements. */
export interface StatementExecution extends SharingParts {
  readonly runStatement: RunScheduledStatement;
  /** Bytes of the largest result that is cached. */
  readonly maxStatementBytes: number;
  readonly clock: Clock;
}

type StatementRequest = Omit<Parameters<RunScheduledStatement>[0], 'wholeBytes'>;
type Outcome = Awaited<ReturnType<RunScheduledStatement>>;

/** A result is too large to be shared: each caller gets that of a query of its own. */
class TooLarge extends Error {
  /** @param request whose query goes on, and sends its rows */
  constructor(
    readonly request: StatementRequest,
    readonly rest: Promise<Outcome>,
  ) {
    super('the result is too large to be shared');
  }
}

/**
 * Gets the result of a statement: cached, of an equal statement that runs, or of a query of its own. One that is too large for that has
 * gone to the sink of the request.
 *
 * @param key undefined where the result may not be cached
 * @throws Failure
 */
export async function executeStatement(
  parts: StatementExecution,
  request: StatementRequest,
  key: CacheKey | undefined,
  isRefresh: boolean,
): Promise<CallOutcome | Outcome> {
  const { find, store, clock, runStatement } = parts;
  if (!key) return runStatement(request);
  const known = isRefresh ? undefined : find ? find(key.hash) : await store.get(key);
  const hit = hitOf(known, clock().getTime());
  if (hit) return hit;
  const sharing = { key, refresh: isRefresh };
  try {
    const { cached, ...fetched } = await shareQuery(parts, request, sharing, (context) => {
      return wholeResult(parts, request, key, context);
    });
    if (fetched.result === cached) return hitOutcome(cached);
    return { status: isRefresh ? 'BYPASS' : 'MISS', isStored: true, ...fetched };
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    return error.request === request ? error.rest : runStatement(request);
  }
}

/** @throws TooLarge with the first bytes that would not be cached */
function wholeResult(
  { runStatement, maxStatementBytes, clock }: StatementExecution,
  request: StatementRequest,
  { cachingMs }: CacheKey,
  { signal: ofAll, requester }: SingleFlightContext,
): Promise<EndpointResult> {
  const { signal } = request;
  const abort = new LinkedAbort(ofAll);
  const createdAt = clock().getTime();
  return new Promise((resolve, reject) => {
    const openSink: StatementRequest['openSink'] = (head) => {
      // From now on it is the query of the caller that began it, which may have left.
      reject(new TooLarge(request, running));
      signal.throwIfAborted();
      signal.addEventListener('abort', () => {
        abort.abort(signal.reason as Error);
      });
      return request.openSink(head);
    };
    const own = { wholeBytes: maxStatementBytes, requester, signal: abort, openSink };
    const running = runStatement(Object.assign({}, request, own));
    running.then(({ whole, cost, queryId, waitingMs }) => {
      if (!whole) return;
      const { head, body } = whole;
      const bodies = request.output.isFramed ? { identity: inOwnMemory(body) } : bodiesOf(body);
      const times = { createdAt, expiresAt: createdAt + cachingMs };
      // Nobody counts rows in bytes of any format.
      const none = { rowCount: 0, truncated: false, digest: '' };
      resolve({ head, bodies, cost, queryId, waitingMs, ...times, ...none });
    }, reject);
  });
}
