import type { Request, RequestHandler, Response } from 'express';

import { hasLink } from '../../auth/links.js';
import { mayCall, type Principal } from '../../auth/principal.js';
import type { Endpoint } from '../../../endpoint/endpoint.js';
import type { Seal } from '../../../endpoint/parameters/secret-value.js';
import { Failure } from '../../errors.js';
import type { Times } from '../../formats/format.js';
import { readerOf, type CacheDemand } from '../../query/call.js';
import type { Clock } from '../../query/ports.js';
import { withDeadline } from '../../scheduler/deadline.js';
import { cacheDemandOf } from '../result/cache-headers.js';
import { requireComplete } from '../result/complete-result.js';
import { findEndpoint } from './find-endpoint.js';
import type { KnownTargets } from './known-targets.js';
import { setLimitHeaders } from './limit-requests.js';
import { readPreferences } from './preferences.js';
import { readCall } from './read-call.js';
import { contextOf, type RequestContext } from '../transport/request-context.js';
import { runCall, type RunDependencies } from './run-call.js';
import { readyToSend } from '../result/select-content.js';
import { sendResult } from '../result/send-result.js';
import { IGNORED_PARAMETERS } from './undeclared-parameters.js';
import type { ReadSentCall, SentCall } from './sent-call.js';

/** The dependencies and options of calling an endpoint. */
export interface CallDependencies extends RunDependencies {
  readonly targets: KnownTargets;
  readonly clock: Clock;
  /** Bytes of a result up to which every gateway finds it in the cache, so that requests can get dependencies of it. */
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
export function callEndpoint(dependencies: CallDependencies, readSent: ReadSentCall): RequestHandler {
  const { endpoints, clock, maxRangedBytes, times = 'iso' } = dependencies;
  return async (request, response) => {
    const context = contextOf(request);
    const principal = principalOf(context);
    const endpoint = findEndpoint(endpoints, request.params['idOrName'], principal);
    checkMayCall(principal, endpoint);
    const sent = await readSent(endpoint, request, response);
    const { wait, timestamps, isStrict } = readPreferences(request.get('prefer'));
    if (isStrict) response.set('Preference-Applied', STRICT);
    const preferences = { accept: request.headers.accept, timestamps, isStrict };
    const read = readCall({
      endpoint,
      principal,
      sent,
      preferences,
      times,
      now: clock(),
      seal: dependencies.seal,
    });
    const { isPlain, applied, representation, download, complete } = read.presentation;
    setIgnored(response, context, read.ignored);
    const deadline = deadlineOf(response, wait, [
      ...(isStrict ? [STRICT] : []),
      ...(applied ? [applied] : []),
    ]);
    try {
      const demand = demandOf(request, principal);
      const call = { context, principal, endpoint, read, demand, signal: deadline.signal };
      const { query, key, outcome, limits } = await runCall(dependencies, call);
      setLimitHeaders(response, limits, principal);
      if (isPlain && mayRemember(context, endpoint, sent)) {
        dependencies.targets.learn(query.scope, request.originalUrl, {
          query,
          key,
          download,
          complete,
          ignored: read.ignored,
        });
      }
      const isSandboxed = query.sandbox !== undefined;
      if (complete)
        requireComplete({ endpoint, result: outcome.result, isSandboxed, pinned: principal.pinned });
      const result = await readyToSend(request.headers, outcome.result, maxRangedBytes);
      sendResult(request, response, {
        ...{ endpoint, context, representation, download, maxRangedBytes },
        outcome: { ...outcome, result },
        reader: readerOf(query),
        now: clock().getTime(),
      });
    } finally {
      deadline.end();
    }
  };
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

/** Says which names of the request were ignored, to the caller and in the log. */
function setIgnored(response: Response, context: RequestContext, ignored: string | undefined): void {
  if (ignored === undefined) return;
  response.set(IGNORED_PARAMETERS, ignored);
  context.ignored = ignored;
}

/** The preference of RFC 7240 by which undeclared parameters are errors. */
const STRICT = 'handling=strict';

interface CallDeadline {
  readonly signal: AbortSignal;
  readonly end: () => void;
}

/**
 * Sets `Preference-Applied`. The signal aborts when the client disconnects or the time of `Prefer: wait=N` is over.
 *
 * @param seconds the N of `Prefer: wait=N` (RFC 7240).
 * @param others other preferences that are applied.
 */
function deadlineOf(
  response: Response,
  seconds: number | undefined,
  others: readonly string[],
): CallDeadline {
  const disconnected = clientDisconnected(response);
  const applied = [...(seconds === undefined ? [] : [`wait=${seconds}`]), ...others];
  if (applied.length > 0) response.set('Preference-Applied', applied.join(', '));
  if (seconds === undefined) return { signal: disconnected, end: () => undefined };
  return withDeadline(disconnected, seconds);
}

/** A signal that aborts when the connection closes before the response is complete. */
export function clientDisconnected(response: Response): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new Failure('CALLER_GONE', 'The client disconnected.'));
  });
  return controller.signal;
}
