import type { BoundQuery } from '../../endpoint/bind.js';
import type { CacheKey } from './cache-key.js';
import type { CacheDemand, CallOutcome } from './call.js';
import { NO_VERSIONS, overVersions, type VersionedQuery } from './data-versions.js';
import { bodiesOf } from './encode-bodies.js';
import { inOwnMemory, type EndpointResult } from './endpoint-result.js';
import { getResult } from './execute-call.js';
import { NotShared, type SharingParts } from './fetch-result.js';
import { LinkedAbort } from './signal.js';
import type { RunScheduledStatement, StatementOutcome } from './ports.js';
import type { SingleFlightCaller } from './single-flight.js';

/** Dependencies of a statement. */
export interface StatementExecution extends SharingParts {
  readonly runStatement: RunScheduledStatement;
  /** Maximum size of a result that is cached, in bytes. */
  readonly maxStatementBytes: number;
}

/** A statement, and what decides how its result is cached. */
export interface StatementToRun {
  readonly request: StatementRequest;
  readonly key: CacheKey;
  readonly demand: CacheDemand;
  /** Endpoints that the statement reads. */
  readonly reads: readonly StatementRead[];
  /** Makes its query with other table filters, by {@link StatementRead.name}. Undefined where the query would be too long. */
  readonly queryOver: (filters: ReadonlyMap<string, string>) => BoundQuery | undefined;
}

/** An endpoint that a statement reads. */
export interface StatementRead extends VersionedQuery {
  /** Name of the WITH query that holds the endpoint's rows. */
  readonly name: string;
}

type StatementRequest = Omit<Parameters<RunScheduledStatement>[0], 'wholeBytes' | 'queryOfVersions'>;
type Outcome = Awaited<ReturnType<RunScheduledStatement>>;
type WholeOutcome = Outcome & { readonly whole: NonNullable<StatementOutcome['whole']> };

/** The rows go to one caller as they arrive, because they are not cached or too many. Each other caller runs a query of its own. */
class NotWhole extends NotShared {
  /** @param request request whose query continues and sends its rows */
  constructor(
    readonly request: StatementRequest,
    readonly rest: Promise<Outcome>,
  ) {
    super();
  }
}

/**
 * Gets the result of a statement like that of a call. A result that is too large or not cached goes to the sink of the request instead.
 *
 * @throws Failure
 */
export async function executeStatement(
  parts: StatementExecution,
  statement: StatementToRun,
): Promise<CallOutcome | Outcome> {
  const { request, key, demand } = statement;
  const { signal, requester } = request;
  const reads = key.confirmableMs > 0 ? statement.reads.filter(isVersioned) : [];
  const query = (context: SingleFlightCaller): Promise<EndpointResult> => {
    for (const { endpoint, values, scope } of statement.reads)
      parts.requireRunnable?.(endpoint, values, scope);
    return queryWhole(parts, { ...statement, reads }, context);
  };
  try {
    return await getResult(parts, { signal, requester, demand, reads, query }, key);
  } catch (error) {
    if (!(error instanceof NotShared)) throw error;
    const isOwn = error instanceof NotWhole && error.request === request;
    return isOwn ? error.rest : parts.runStatement(request);
  }
}

const isVersioned = ({ endpoint }: VersionedQuery): boolean => endpoint.settings.untilChanged !== undefined;

async function queryWhole(
  parts: StatementExecution,
  { request, key, reads, queryOver }: StatementToRun,
  context: SingleFlightCaller,
): Promise<EndpointResult> {
  const { dataVersions = NO_VERSIONS, clock, maxStatementBytes } = parts;
  const createdAt = clock().getTime();
  const wholeBytes = key.cachingMs > 0 ? maxStatementBytes : undefined;
  const { ran, ...data } = await overVersions(
    dataVersions,
    reads,
    createdAt,
    (known) =>
      queryOver(new Map(known.map(({ tableFilters }, index) => [reads[index]?.name ?? '', tableFilters]))),
    (queryOfVersions) => runWhole(parts, request, { wholeBytes, queryOfVersions }, context),
  );
  const { whole, cost, queryId, waitingMs } = ran;
  const { head, body } = whole;
  const bodies = request.output.isFramed ? { identity: inOwnMemory(body) } : bodiesOf(body);
  const times = { createdAt, expiresAt: createdAt + key.cachingMs };
  // The gateway does not count rows in the bytes of a statement's format.
  const none = { rowCount: 0, truncated: false, digest: '' };
  return { head, bodies, cost, queryId, waitingMs, ...times, ...data, ...none };
}

/** @throws NotWhole when the first bytes arrive that will not be cached */
function runWhole(
  { runStatement }: StatementExecution,
  request: StatementRequest,
  own: Pick<Parameters<RunScheduledStatement>[0], 'wholeBytes' | 'queryOfVersions'>,
  { signal: ofAll, requester }: SingleFlightCaller,
): Promise<WholeOutcome> {
  const { signal } = request;
  const abort = new LinkedAbort(ofAll);
  return new Promise((resolve, reject) => {
    const openSink: StatementRequest['openSink'] = (head) => {
      // From now on the query belongs to the caller that started it, who may have left.
      reject(new NotWhole(request, running));
      signal.throwIfAborted();
      signal.addEventListener('abort', () => {
        abort.abort(signal.reason as Error);
      });
      return request.openSink(head);
    };
    const running = runStatement(Object.assign({}, request, own, { requester, signal: abort, openSink }));
    running.then(({ whole, ...outcome }) => {
      if (whole) resolve({ whole, ...outcome });
    }, reject);
  });
}
