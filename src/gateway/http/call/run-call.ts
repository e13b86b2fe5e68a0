import type { Principal } from '../../auth/principal.js';
import type { BoundQuery } from '../../../endpoint/bind.js';
import type { LimitState } from '../../limits/limit-state.js';
import { factsOf } from '../../observability/outcome-facts.js';
import { bindCall, bindExport, type EndpointQuery } from '../../query/endpoint-query.js';
import { keyOf } from '../../query/cache-key.js';
import type { Call, CallOutcome } from '../../query/call.js';
import { executeCall } from '../../query/execute-call.js';
import { executeExport } from '../../query/execute-export.js';
import type { ExportRequest } from '../../query/ports.js';
import { pinnedParameters } from '../../query/row-scope.js';
import type { SingleFlightCaller } from '../../query/single-flight.js';
import type { StillRunning } from '../../scheduler/deferred-calls.js';
import type { ApiParts } from '../api-parts.js';
import { principalOf, type RequestContext } from '../transport/request-context.js';
import { DeferrableWait } from './deferrable-wait.js';
import type { KnownTarget } from './known-targets.js';
import { requesterOf, subjectsOf } from './limit-requests.js';
import type { Preferences } from './preferences.js';
import type { ReadCall } from './read-call.js';
import type { Cancellable } from './running-calls.js';

/** A call that ran. */
export interface RanCall<Outcome = CallOutcome> extends KnownTarget {
  readonly principal: Principal;
  /** The states of the caller's limits after the call. */
  readonly limits: readonly LimitState[];
  readonly outcome: Outcome;
}

export const hasResult = (ran: RanCall | RanCall<StillRunning>): ran is RanCall => 'result' in ran.outcome;

/**
 * Runs a valid call, whatever protocol it comes by. Only the fast path responds to calls beside it, from what was learned of them.
 *
 * @param callerWait aborts when the caller no longer waits.
 * @throws Failure with the message for the caller.
 */
export async function runCall(
  parts: ApiParts,
  context: RequestContext,
  read: ReadCall,
  { isAsync, waitSeconds }: Preferences,
  callerWait: Cancellable,
): Promise<RanCall | RanCall<StillRunning>> {
  const wait = new DeferrableWait(callerWait);
  const end = begin(parts, context, read, wait);
  try {
    const { toRun, ...known } = await prepare(parts, context, read, wait, bindCall);
    // A call for a cached result only runs no query, which could outlive its request.
    const outcome =
      isAsync && read.demand !== 'only-cached'
        ? await parts.deferredCalls.execute(
            toRun,
            known.key,
            wait.deferral(known.principal, known.call, waitSeconds),
          )
        : await executeCall(parts, toRun, known.key);
    if (!('result' in outcome)) return { outcome, ...known };
    context.outcome = factsOf(outcome);
    return { outcome, ...known };
  } finally {
    if (wait.ended) void wait.ended.then(end);
    else end();
  }
}

/**
 * Exports a valid call.
 *
 * @param send sends what `run` exports, once the states of the caller's limits are known.
 * @throws Failure wherever not every row was sent
 */
export async function exportCall(
  parts: ApiParts,
  context: RequestContext,
  read: ReadCall,
  wait: Cancellable,
  send: (
    run: (openSink: ExportRequest['openSink']) => Promise<unknown>,
    limits: readonly LimitState[],
  ) => Promise<void>,
): Promise<void> {
  const end = begin(parts, context, read, wait);
  try {
    const { toRun, limits } = await prepare(parts, context, read, wait, bindExport);
    await send((openSink) => executeExport(parts, toRun, openSink), limits);
  } finally {
    end();
  }
}

/** Registers a call that runs, for operators and for the log. @returns ends that */
function begin(
  { runningCalls }: ApiParts,
  context: RequestContext,
  read: ReadCall,
  wait: Cancellable,
): () => void {
  context.called = { call: read };
  const id = runningCalls.begin(context.requestId, principalOf(context).name, read, wait);
  return () => {
    runningCalls.end(id);
  };
}

/** Checks the SQL of a call, and finds its cache key and all that its query needs. */
async function prepare(
  { endpoints, limiter, checkSql }: ApiParts,
  context: RequestContext,
  read: ReadCall,
  { signal }: Cancellable,
  bind: (query: EndpointQuery) => BoundQuery,
): Promise<Omit<RanCall, 'outcome'> & { readonly toRun: Call }> {
  const { requestId } = context;
  const principal = principalOf(context);
  const subjects = subjectsOf(endpoints, principal, read.query.endpoint);
  const limits: LimitState[] = [...(context.limits ?? [])];
  const requester = requesterOf(limiter, principal, subjects, (ofCost) => limits.push(...ofCost));
  const analyst = { signal, requester: requesterOf(limiter, principal, subjects) };
  const call = await withOwnSql(checkSql, read, analyst);
  const { query, demand } = call;
  const bound = bind(query);
  const key = keyOf(query, bound);
  context.called = { call, key };
  return { principal, call, key, limits, toRun: { bound, requestId, signal, demand, requester, ...query } };
}

/**
 * The call with the caller's own SQL in its query, where it sent some.
 *
 * @param analyst on whose behalf ClickHouse analyses it.
 * @throws Failure INVALID_PARAMETERS where the sandbox rejects it; others where the check fails
 */
async function withOwnSql(
  checkSql: ApiParts['checkSql'],
  call: ReadCall,
  analyst: SingleFlightCaller,
): Promise<ReadCall> {
  const { query, sql } = call;
  if (sql === undefined) return call;
  const { endpoint, scope } = query;
  const sandbox = await checkSql(endpoint, sql, analyst, pinnedParameters(scope));
  return { ...call, query: { sandbox, ...query } };
}
