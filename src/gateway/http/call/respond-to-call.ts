import type { Principal } from '../../auth/principal.js';
import { describeDeprecation, isGone } from '../../../endpoint/deprecation.js';
import type { Endpoint } from '../../../endpoint/endpoint.js';
import type { Endpoints } from '../../../endpoint/registry.js';
import { Failure } from '../../errors.js';
import type { LimitState } from '../../limits/limit-state.js';
import type { Limiter } from '../../limits/limiter.js';
import { factsOf, factsOfExport } from '../../observability/outcome-facts.js';
import { bindCall, bindExport } from '../../query/endpoint-query.js';
import { keyOf } from '../../query/cache-key.js';
import type { CacheDemand, CallOutcome } from '../../query/call.js';
import type { ExecuteCall } from '../../query/execute-call.js';
import type { ExecuteExport } from '../../query/execute-export.js';
import type { ExportOutcome, ExportRequest } from '../../query/ports.js';
import { pinnedParameters } from '../../query/row-scope.js';
import type { CheckSql } from '../../query/sandboxed-select.js';
import type { SingleFlightCaller } from '../../query/single-flight.js';
import { principalOf, type RequestContext } from '../transport/request-context.js';
import { requireOpen } from './find-endpoint.js';
import type { DeferredCalls, StillRunning } from '../../scheduler/deferred-calls.js';
import type { KnownTarget } from './known-targets.js';
import { requesterOf, subjectsOf } from './limit-requests.js';
import { readCall, type ReadCall, type ReadingDependencies } from './read-call.js';
import { requireExport } from './require-export.js';
import { DeferrableWait } from './deferrable-wait.js';
import type { Cancellable, RunningCalls } from './running-calls.js';
import type { SentCall } from './sent-call.js';

/** The dependencies and options of a call. */
export interface CallDependencies extends ReadingDependencies {
  readonly endpoints: Endpoints;
  readonly executeCall: ExecuteCall;
  readonly executeExport: ExecuteExport;
  readonly deferredCalls: Pick<DeferredCalls, 'execute'>;
  readonly checkSql: CheckSql;
  readonly limiter: Limiter;
  readonly runningCalls: RunningCalls;
}

/** How one protocol reads a call and sends its result. */
export interface CallProtocol<Sent extends SentCall, Response> {
  /** Called once it is known that the caller may call the endpoint. */
  readonly authorized?: () => void;
  /** Reads what the caller sent, of a caller who may call the endpoint. @throws Failure */
  readonly parse: (endpoint: Endpoint) => Sent | Promise<Sent>;
  /** Called with the valid call before it runs. @returns what aborts when the caller no longer waits */
  readonly begin: (call: ReadCall, sent: Sent) => Cancellable;
  /** @throws Failure where the caller accepts no such result */
  readonly send: (ran: RanCall, sent: Sent) => Response | Promise<Response>;
  /** Sends that a deferred call has no result yet. */
  readonly sendRunning: (running: RunningCall, sent: Sent) => Response;
  /** Absent where the protocol has no exports. */
  readonly sendExport?: (exporting: ExportedCall, sent: Sent) => Promise<Response>;
}

/** A call that is exported. */
export interface ExportedCall extends Pick<RanCall, 'principal' | 'call' | 'limits'> {
  readonly run: (openSink: ExportRequest['openSink']) => Promise<unknown>;
}

/** A deferred call that has no result yet. */
export interface RunningCall extends StillRunning, Pick<RanCall, 'principal' | 'call' | 'limits'> {}

/** A call that has a result. */
export interface RanCall extends KnownTarget {
  readonly principal: Principal;
  readonly outcome: CallOutcome;
  /** The states of the caller's limits after the call. */
  readonly limits: readonly LimitState[];
}

/**
 * The path of a call, whatever protocol it comes by. Only the fast path responds to calls beside it, from what this function
 * has learned.
 *
 * @param context of an authenticated request; facts for the log are recorded in it.
 * @throws Failure with the message for the caller.
 */
export async function respondToCall<Sent extends SentCall, Response>(
  dependencies: CallDependencies,
  context: RequestContext,
  endpoint: Endpoint,
  protocol: CallProtocol<Sent, Response>,
): Promise<Response> {
  const { limiter, endpoints, clock, executeCall, executeExport, deferredCalls, runningCalls } = dependencies;
  const { requestId } = context;
  const principal = principalOf(context);
  requireOpen(principal, endpoint);
  protocol.authorized?.();
  requireNotGone(endpoint, clock().getTime());
  const sent = await protocol.parse(endpoint);
  const read = readCall(dependencies, principal, endpoint, sent);
  const subjects = subjectsOf(endpoints, principal, endpoint);
  const demand = principal.mayBypassCache ? sent.demand : 'any';
  const sendExport = read.presentation.isExport ? protocol.sendExport : undefined;
  if (sendExport) requireExport(principal, read, { subjects, demand });
  context.called = { call: read };
  const wait = new DeferrableWait(protocol.begin(read, sent));
  const id = runningCalls.begin(requestId, principal.name, read, wait);
  try {
    const { signal } = wait;
    const limits: LimitState[] = [...(context.limits ?? [])];
    const requester = requesterOf(limiter, principal, subjects, (ofCost) => limits.push(...ofCost));
    const analyst = { signal, requester: requesterOf(limiter, principal, subjects) };
    const call = await withOwnSql(dependencies.checkSql, read, analyst);
    const { query } = call;
    const bound = sendExport ? bindExport(query) : bindCall(query);
    const key = keyOf(query, bound);
    context.called = { call, key };
    const toRun = { bound, requestId, signal, demand, requester, ...query };
    if (sendExport) {
      const run: ExportedCall['run'] = (openSink) => executeExport(toRun, noting(context, openSink));
      return await sendExport({ principal, call, limits, run }, sent);
    }
    const outcome = isDeferrable(sent, demand)
      ? await deferredCalls.execute(toRun, key, wait.deferral(principal, call, sent.preferences))
      : await executeCall(toRun, key);
    if (!('result' in outcome)) return protocol.sendRunning({ principal, call, limits, ...outcome }, sent);
    context.outcome = factsOf(outcome);
    return await protocol.send({ principal, call, key, outcome, limits }, sent);
  } finally {
    const end = (): void => {
      runningCalls.end(id);
    };
    if (wait.ended) void wait.ended.then(end);
    else end();
  }
}

/** Whether the call may outlive its request: one for a cached result only runs no query. */
const isDeferrable = ({ preferences }: SentCall, demand: CacheDemand): boolean =>
  preferences.isAsync && demand !== 'only-cached';

/** @throws Failure ENDPOINT_GONE after the sunset, where the project says so */
function requireNotGone(endpoint: Endpoint, now: number): void {
  if (!isGone(endpoint, now)) return;
  const { sunset = '', successor } = describeDeprecation(endpoint) ?? {};
  const advice = successor === undefined ? 'It has no successor.' : `Call ${successor} instead.`;
  throw new Failure('ENDPOINT_GONE', `This endpoint was removed on ${sunset.slice(0, 10)}. ${advice}`);
}

/**
 * The call with the caller's own SQL in its query, where it sent some.
 *
 * @param analyst on whose behalf ClickHouse analyses it.
 * @throws Failure INVALID_PARAMETERS where the sandbox rejects it; others where the check fails
 */
async function withOwnSql(
  checkSql: CheckSql,
  call: ReadCall,
  analyst: SingleFlightCaller,
): Promise<ReadCall> {
  const { query, sql } = call;
  if (sql === undefined) return call;
  const { endpoint, scope } = query;
  const sandbox = await checkSql(endpoint, sql, analyst, pinnedParameters(scope));
  return { ...call, query: { sandbox, ...query } };
}

/** Records a complete export for the log, whose line is written when the response ends. */
function noting(context: RequestContext, openSink: ExportRequest['openSink']): ExportRequest['openSink'] {
  return () => {
    const sink = openSink();
    const onComplete = (complete: ExportOutcome): void => {
      context.outcome = factsOfExport(complete);
      sink.onComplete(complete);
    };
    return { ...sink, onComplete };
  };
}
