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
import type { StillRunning, Deferral } from '../../scheduler/deferred-calls.js';
import type { ApiParts } from '../api-parts.js';
import { principalOf, type RequestContext } from '../transport/request-context.js';
import type { KnownTarget } from './known-targets.js';
import { requesterOf, subjectsOf } from './limit-requests.js';
import type { Preferences } from './sent-call.js';
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
 * Runs a valid call of any protocol. Only the fast path serves calls in another way, from what it learned of earlier ones.
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
  // A call that requires a cached result runs no query, and so cannot outlive its request.
  const isDeferrable = isAsync && read.demand !== 'only-cached';
  const deferrable = isDeferrable ? new DeferrableWait(callerWait) : undefined;
  const wait = deferrable ?? callerWait;
  const id = begin(parts, context, read, wait);
  try {
    const { toRun, ...known } = await prepare(parts, context, read, wait, bindCall);
    const { principal, call, key } = known;
    const outcome = deferrable
      ? await parts.deferredCalls.execute(toRun, key, deferrable.deferral(principal, call, waitSeconds))
      : await executeCall(parts, toRun, key);
    if (!('result' in outcome)) return { outcome, ...known };
    context.outcome = factsOf(outcome);
    return { outcome, ...known };
  } finally {
    const end = (): void => {
      parts.runningCalls.end(id);
    };
    if (deferrable?.ended) void deferrable.ended.then(end);
    else end();
  }
}

/**
 * Exports a valid call.
 *
 * @param send sends the rows that `run` exports, once the states of the caller's limits are known.
 * @throws Failure where not every row was sent
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
  const id = begin(parts, context, read, wait);
  try {
    const { toRun, limits } = await prepare(parts, context, read, wait, bindExport);
    await send((openSink) => executeExport(parts, toRun, openSink), limits);
  } finally {
    parts.runningCalls.end(id);
  }
}

/** Registers a running call for operators and for the log. @returns its id */
function begin(
  { runningCalls }: ApiParts,
  context: RequestContext,
  read: ReadCall,
  wait: Cancellable,
): string {
  context.called = { call: read };
  return runningCalls.begin(context.requestId, principalOf(context).name, read, wait);
}

/** Checks the SQL of a call, and computes its cache key and the input of its query. */
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
  const call =
    read.sql === undefined
      ? read
      : await withOwnSql(checkSql, read, read.sql, {
          signal,
          requester: requesterOf(limiter, principal, subjects),
        });
  const { query, demand } = call;
  const bound = bind(query);
  const key = keyOf(query, bound);
  context.called = { call, key };
  return { principal, call, key, limits, toRun: { bound, requestId, signal, demand, requester, ...query } };
}

/**
 * The call with the caller's own SQL in its query.
 *
 * @param analyst the caller for whom ClickHouse analyses the SQL.
 * @throws Failure INVALID_PARAMETERS where the sandbox rejects it; others where the check fails
 */
async function withOwnSql(
  checkSql: ApiParts['checkSql'],
  call: ReadCall,
  sql: string,
  analyst: SingleFlightCaller,
): Promise<ReadCall> {
  const { query } = call;
  const { endpoint, scope } = query;
  const sandbox = await checkSql(endpoint, sql, analyst, pinnedParameters(scope));
  return { ...call, query: { sandbox, ...query } };
}

/** Seconds that a request with `respond-async` waits, unless it has a `wait` preference. */
const DEFAULT_WAIT_SECONDS = 5;

/** Maximum number of deferred calls at one gateway, for a key without a limit on concurrent queries. */
const MAX_DEFERRED = 10;

/** The wait of a deferrable call, which may continue after its request. An operator cancels both with it. */
class DeferrableWait implements Cancellable {
  /** Settles when the work that this request started has ended. */
  ended: Promise<void> | undefined;
  readonly signal: Cancellable['signal'];
  private cancelCall: Cancellable['abort'] | undefined;

  constructor(private readonly wait: Cancellable) {
    this.signal = wait.signal;
  }

  abort(reason: Error): void {
    this.cancelCall?.(reason);
    this.wait.abort(reason);
  }

  /** The options of a deferral for the principal. @param seconds how long the request waits */
  deferral({ name, limits, signedBy }: Principal, call: ReadCall, seconds = DEFAULT_WAIT_SECONDS): Deferral {
    return {
      caller: name,
      request: requestOf(call),
      max: (signedBy?.limits ?? limits)?.concurrent ?? MAX_DEFERRED,
      seconds,
      onStart: (work, ended) => {
        this.ended = ended;
        this.cancelCall = (reason) => {
          work.abort(reason);
        };
      },
    };
  }
}

/** Text that repeated requests share although their relative times now mean others; undefined without relative times. Secrets as HMACs. */
function requestOf({ query, sent, sql }: ReadCall): string | undefined {
  if (query.changesAt === undefined) return undefined;
  const { endpoint, scope, values, representation, pageRows } = query;
  const written = [...sent].map(([name, raw]) => [
    name,
    endpoint.parameters.get(name)?.secret ? values.get(name) : raw,
  ]);
  return JSON.stringify([endpoint.digest, scope, written, sql, representation?.name, pageRows]);
}
