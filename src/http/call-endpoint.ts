import type { Request, RequestHandler, Response } from 'express';

import { hasLink } from '../auth/links.js';
import { scopeOf } from '../auth/pinned-parameters.js';
import { mayCall, type Principal } from '../auth/principal.js';
import type { Endpoint } from '../endpoint/endpoint.js';
import type { Seal } from '../endpoint/parameters/secret-value.js';
import type { Endpoints } from '../endpoint/registry.js';
import { Failure } from '../errors.js';
import type { Times } from '../formats/format.js';
import type { LimitState } from '../limits/limit-state.js';
import type { Limiter } from '../limits/limiter.js';
import { bindCall } from '../query/bind-call.js';
import { keyOf, type CallOutcome, type CacheDemand, type EndpointQuery } from '../query/call.js';
import type { ExecuteCall } from '../query/execute-call.js';
import type { Clock } from '../query/ports.js';
import type { CheckSql } from '../query/sandboxed-select.js';
import type { SingleFlightCaller } from '../query/single-flight.js';
import { withDeadline } from '../scheduler/deadline.js';
import { cacheDemandOf } from './cache-headers.js';
import { requireComplete } from './complete-result.js';
import type { KnownTargets } from './known-targets.js';
import { requesterOf, setLimitHeaders, subjectsOf } from './limit-requests.js';
import { readPreferences } from './preferences.js';
import { readCall, type ReadCall } from './read-call.js';
import { contextOf, type RequestContext } from './request-context.js';
import { readyToSend } from './select-content.js';
import { sendResult } from './send-result.js';
import type { ReadSentCall, SentCall } from './sent-call.js';

/** The dependencies and options of calling an endpoint. */
export interface CallParts {
  readonly endpoints: Endpoints;
  readonly executeCall: ExecuteCall;
  readonly checkSql: CheckSql;
  readonly limiter: Limiter;
  readonly targets: KnownTargets;
  readonly clock: Clock;
  /** Bytes of a result up to which every gateway finds it in the cache, so that requests can get parts of it. */
  readonly maxRangedBytes: number;
  /** Encloses the values of secret parameters. */
  readonly seal?: Seal | undefined;
  /** Format of times where the caller does not choose one; ISO 8601 by default. */
  readonly times?: Times;
}

/**
 * `/api/endpoints/query/ID_OR_NAME`: runs the endpoint.
 *
 * @param readSent reads the parameters, of a caller who may call the endpoint.
 */
export function callEndpoint(parts: CallParts, readSent: ReadSentCall): RequestHandler {
  const { endpoints, executeCall, limiter, clock, maxRangedBytes, times = 'iso' } = parts;
  return async (request, response) => {
    const context = contextOf(request);
    const principal = principalOf(context);
    const endpoint = findEndpoint(endpoints, request.params['idOrName']);
    checkMayCall(principal, endpoint);
    const sent = await readSent(endpoint, request, response);
    const subjects = subjectsOf(endpoints, principal, endpoint);
    const states: LimitState[] = [...(context.limits ?? [])];
    const { wait, timestamps } = readPreferences(request.get('prefer'));
    const preferences = { accept: request.headers.accept, timestamps };
    const read = readCall({ endpoint, principal, sent, preferences, times, now: clock(), seal: parts.seal });
    const { presentation } = read;
    const deadline = deadlineOf(response, wait, presentation.applied);
    try {
      const { signal } = deadline;
      const analyst = { signal, requester: requesterOf(limiter, principal, subjects) };
      const query = await queryOf(parts.checkSql, read, { principal, endpoint, analyst });
      const bound = bindCall(query);
      const key = keyOf(query, bound);
      context.query = { digest: endpoint.digest, hash: key.hash };
      const { representation, download, complete } = presentation;
      if (presentation.isPlain && mayRemember(context, endpoint, sent)) {
        parts.targets.learn(query.scope, request.originalUrl, { query, key, download, complete });
      }
      const call = {
        ...query,
        bound,
        requestId: context.requestId,
        signal,
        demand: demandOf(request, principal),
        requester: requesterOf(limiter, principal, subjects, (costStates) => states.push(...costStates)),
      };
      const executed = await executeCall(call, key);
      noteOutcome(context, executed);
      setLimitHeaders(response, states);
      const isSandboxed = query.sandbox !== undefined;
      if (complete)
        requireComplete({ endpoint, result: executed.result, isSandboxed, pinned: principal.pinned });
      const result = await readyToSend(request.headers, executed.result, maxRangedBytes);
      const now = clock().getTime();
      sendResult(request, response, {
        endpoint,
        outcome: { ...executed, result },
        context,
        representation,
        download,
        hidesCost: isSandboxed,
        maxRangedBytes,
        now,
      });
    } finally {
      deadline.end();
    }
  };
}

interface Caller {
  readonly principal: Principal;
  readonly endpoint: Endpoint;
  /** On whose behalf ClickHouse analyses the caller's SQL. */
  readonly analyst: SingleFlightCaller;
}

/** @throws Failure INVALID_PARAMETERS where the sandbox rejects the caller's SQL; others where the check fails */
async function queryOf(
  checkSql: CheckSql,
  { values, changesAt, presentation: { representation }, sql }: ReadCall,
  { principal, endpoint, analyst }: Caller,
): Promise<EndpointQuery> {
  const sandbox = sql === undefined ? undefined : await checkSql(endpoint, sql, analyst);
  return {
    endpoint,
    values,
    scope: scopeOf(principal),
    representation,
    ...(changesAt !== undefined && { changesAt }),
    ...(sandbox && { sandbox }),
  };
}

/** @throws Failure ENDPOINT_NOT_FOUND */
export function findEndpoint(endpoints: Endpoints, idOrName: unknown): Endpoint {
  const endpoint = endpoints.find(String(idOrName));
  if (endpoint) return endpoint;
  throw new Failure(
    'ENDPOINT_NOT_FOUND',
    'No endpoint has this name or id. GET /api/endpoints lists the endpoints.',
  );
}

/** @throws Failure FORBIDDEN */
function checkMayCall(principal: Principal, endpoint: Endpoint): void {
  if (mayCall(principal, endpoint)) return;
  throw new Failure(
    'FORBIDDEN',
    'This key may not call this endpoint. GET /api/endpoints lists the endpoints that it may call.',
  );
}

/** The principal of an authenticated request. */
export function principalOf({ principal }: RequestContext): Principal {
  if (!principal) throw new Error('the request was not authenticated');
  return principal;
}

/** Records a call's outcome for the log; cost and time in ClickHouse only where this call caused the query. */
export function noteOutcome(context: RequestContext, { result, status, isCollapsed }: CallOutcome): void {
  context.rows = result.rowCount;
  context.cache = status;
  if (result.partial) context.partial = true;
  if (status === 'HIT' || status === 'STALE' || isCollapsed) return;
  const { clickhouseMs, queryId = '', rowsRead, bytesRead, waitingMs = 0 } = result;
  context.clickhouseMs = clickhouseMs;
  context.cost = { queryId, rowsRead, bytesRead, waitingMs };
}

/** Whether the URL may be stored: never one that holds a key, a signature or a secret value, or not the whole call. */
function mayRemember(
  { isPresentedInHeaders }: RequestContext,
  { settings, parameters }: Endpoint,
  { query, isInTarget }: SentCall,
): boolean {
  if (!isInTarget || isPresentedInHeaders !== true || settings.caching === 'disabled') return false;
  const hasSecret = [...query.keys()].some((name) => parameters.get(name)?.secret);
  return !hasSecret && !query.has('api_key') && !hasLink(query);
}

function demandOf(request: Request, { mayBypassCache }: Principal): CacheDemand {
  return mayBypassCache ? cacheDemandOf(request.headers['cache-control']) : 'any';
}

interface CallDeadline {
  readonly signal: AbortSignal;
  readonly end: () => void;
}

/**
 * Sets `Preference-Applied`. The signal aborts when the client disconnects or the time of `Prefer: wait=N` is over.
 *
 * @param seconds the N of `Prefer: wait=N` (RFC 7240).
 * @param preference another preference that is applied.
 */
function deadlineOf(
  response: Response,
  seconds: number | undefined,
  preference: string | undefined,
): CallDeadline {
  const disconnected = clientDisconnected(response);
  const applied = [
    ...(seconds === undefined ? [] : [`wait=${seconds}`]),
    ...(preference === undefined ? [] : [preference]),
  ];
  if (applied.length > 0) response.set('Preference-Applied', applied.join(', '));
  if (seconds === undefined) return { signal: disconnected, end: () => undefined };
  return withDeadline(disconnected, seconds);
}

/** A signal that aborts when the connection closes before the response is complete. */
function clientDisconnected(response: Response): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new Failure('CALLER_GONE', 'The client disconnected.'));
  });
  return controller.signal;
}
