import { scopeOf } from '../../auth/pinned-parameters.js';
import type { Principal } from '../../auth/principal.js';
import type { Endpoint } from '../../../endpoint/endpoint.js';
import type { Endpoints } from '../../../endpoint/registry.js';
import type { LimitState } from '../../limits/limit-state.js';
import type { Limiter } from '../../limits/limiter.js';
import { bindCall } from '../../query/bind-call.js';
import type { CacheKey } from '../../query/cache-key.js';
import { keyOf, type CacheDemand, type CallOutcome, type EndpointQuery } from '../../query/call.js';
import type { ExecuteCall } from '../../query/execute-call.js';
import { pinnedParameters } from '../../query/row-scope.js';
import type { CheckSql } from '../../query/sandboxed-select.js';
import type { SingleFlightCaller } from '../../query/single-flight.js';
import { requesterOf, subjectsOf } from './limit-requests.js';
import type { ReadCall } from './read-call.js';
import type { RequestContext } from '../transport/request-context.js';

/** The dependencies of running a call. */
export interface RunDependencies {
  readonly endpoints: Endpoints;
  readonly executeCall: ExecuteCall;
  readonly checkSql: CheckSql;
  readonly limiter: Limiter;
}

/** A call of an endpoint whose parameters are valid. */
export interface CallToRun {
  /** The outcome is recorded in it, for the log. */
  readonly context: RequestContext;
  readonly principal: Principal;
  readonly endpoint: Endpoint;
  readonly read: ReadCall;
  readonly demand: CacheDemand;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

/** A call that has a result. */
export interface RanCall {
  readonly query: EndpointQuery;
  readonly key: CacheKey;
  readonly outcome: CallOutcome;
  /** The states of the caller's limits after the call. */
  readonly limits: readonly LimitState[];
}

/**
 * Runs a call: sandbox check, cache, coalescing, limits of its query, queue. Whatever protocol a call comes by, it passes here.
 *
 * @throws Failure with the message for the caller.
 */
export async function runCall(dependencies: RunDependencies, call: CallToRun): Promise<RanCall> {
  const { context, principal, endpoint, demand, signal } = call;
  const { limiter } = dependencies;
  const subjects = subjectsOf(dependencies.endpoints, principal, endpoint);
  const limits: LimitState[] = [...(context.limits ?? [])];
  const analyst = { signal, requester: requesterOf(limiter, principal, subjects) };
  const query = await queryOf(dependencies.checkSql, call, analyst);
  const bound = bindCall(query);
  const key = keyOf(query, bound);
  context.query = { digest: endpoint.digest, hash: key.hash };
  const requester = requesterOf(limiter, principal, subjects, (ofCost) => limits.push(...ofCost));
  const { requestId } = context;
  const outcome = await dependencies.executeCall(
    { ...query, bound, requestId, signal, demand, requester },
    key,
  );
  noteOutcome(context, outcome);
  return { query, key, outcome, limits };
}

/**
 * @param analyst on whose behalf ClickHouse analyses the caller's SQL.
 * @throws Failure INVALID_PARAMETERS where the sandbox rejects the caller's SQL; others where the check fails
 */
async function queryOf(
  checkSql: CheckSql,
  { principal, endpoint, read: { values, changesAt, presentation, sql } }: CallToRun,
  analyst: SingleFlightCaller,
): Promise<EndpointQuery> {
  const scope = scopeOf(principal);
  const sandbox =
    sql === undefined ? undefined : await checkSql(endpoint, sql, analyst, pinnedParameters(scope));
  return {
    endpoint,
    values,
    scope,
    representation: presentation.representation,
    ...(changesAt !== undefined && { changesAt }),
    ...(sandbox && { sandbox }),
  };
}

/** Records a call's outcome for the log; the query only where this call caused it. */
export function noteOutcome(context: RequestContext, { result, status, isCollapsed }: CallOutcome): void {
  context.rows = result.rowCount;
  context.cache = status;
  if (result.partial) context.partial = true;
  if (status === 'HIT' || status === 'STALE' || isCollapsed) return;
  const { queryId = '', cost, waitingMs = 0 } = result;
  context.caused = { queryId, cost, waitingMs };
}
