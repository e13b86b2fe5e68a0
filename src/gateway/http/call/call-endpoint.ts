import type { ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';

import { hasLink } from '../../auth/links.js';
import type { Endpoint } from '../../../endpoint/endpoint.js';
import { callerGone } from '../../errors.js';
import { Abort } from '../../query/signal.js';
import { withDeadline } from '../../scheduler/deadline.js';
import type { Presentation } from '../result/choose-representation.js';
import { requireComplete } from '../result/complete-result.js';
import { deprecationHeaders } from '../result/deprecation-headers.js';
import { readyToSend } from '../result/select-content.js';
import { requireChunks, sendExport } from '../result/send-export.js';
import { sendResult } from '../result/send-result.js';
import { sendRunning } from '../result/send-running.js';
import { contextOf, principalOf, type RequestContext } from '../transport/request-context.js';
import type { Credentials } from './credentials.js';
import { findEndpoint } from './find-endpoint.js';
import type { KnownTargets } from './known-targets.js';
import { setLimitHeaders } from './limit-requests.js';
import { nextCursor, nextPageHeaders } from './page-cursor.js';
import type { Preferences } from './preferences.js';
import { respondToCall, type CallDependencies } from './respond-to-call.js';
import type { Cancellable } from './running-calls.js';
import type { ReadSentCall, SentCall } from './sent-call.js';
import { IGNORED_PARAMETERS } from './undeclared-parameters.js';
import { whileAccepted } from './while-accepted.js';

/** The dependencies and options of calls over REST. */
export interface RestDependencies extends CallDependencies {
  readonly credentials: Credentials;
  readonly targets: KnownTargets;
  /** Bytes of a result up to which every gateway finds it in the cache, so that requests can get parts of it. */
  readonly maxRangedBytes: number;
  /** `PUBLIC_URL` */
  readonly publicUrl?: string | undefined;
}

/**
 * `/api/endpoints/query/ID_OR_NAME`: calls the endpoint.
 *
 * @param readSent reads the parameters, of a caller who may call the endpoint.
 */
export function callEndpoint(dependencies: RestDependencies, readSent: ReadSentCall): RequestHandler {
  const { endpoints, credentials, clock, cursors, maxRangedBytes, targets, publicUrl } = dependencies;
  return async (request, response) => {
    const context = contextOf(request);
    const endpoint = findEndpoint(endpoints, request.params['idOrName'], principalOf(context));
    await respondToCall(dependencies, context, endpoint, {
      authorized: () => {
        appendHeaders(response, deprecationHeaders(endpoint, publicUrl));
      },
      parse: async () => {
        const sent = await readSent(endpoint, request, response);
        if (sent.preferences.isStrict) response.set('Preference-Applied', STRICT);
        return sent;
      },
      begin: ({ ignored, presentation }, { preferences }) => {
        if (ignored !== undefined) response.set(IGNORED_PARAMETERS, ignored);
        const applied = appliedPreferences(preferences, presentation);
        if (applied !== '') response.set('Preference-Applied', applied);
        // The time that a caller waits for a response says nothing about how long it takes one that it receives.
        if (!presentation.isExport) return untilNobodyWaits(response, preferences);
        const principal = principalOf(context);
        const accepted = { request, response, endpoint, principal };
        return whileAccepted(clientDisconnected(response), credentials, accepted);
      },
      sendRunning: ({ call, principal, limits, ...running }, sent) => {
        setLimitHeaders(response, limits, principal);
        const applied = appliedPreferences(sent.preferences, call.presentation);
        const of = { isWhole: isRepeatable(endpoint, sent), applied, publicUrl, now: clock() };
        sendRunning(request, response, { running, ...of });
      },
      sendExport: ({ principal, call, limits, run }) => {
        requireChunks(request);
        const beforeHeaders = (): void => {
          setLimitHeaders(response, limits, principal);
        };
        return sendExport(request, response, { call, run, beforeHeaders, now: clock().getTime() });
      },
      send: async (ran, sent) => {
        const { principal, call, key, outcome, limits } = ran;
        const { query, presentation } = call;
        setLimitHeaders(response, limits, principal);
        if (presentation.isPlain && mayRemember(context, endpoint, sent)) {
          targets.learn(query.scope, request.originalUrl, { call, key });
        }
        if (presentation.complete) requireComplete(ran);
        const cursor = nextCursor(cursors, principal, query, outcome.result, call.readAt);
        const result = await readyToSend(request.headers, outcome.result);
        if (cursor !== undefined) {
          const target = isRepeatable(endpoint, sent) ? request.originalUrl : undefined;
          appendHeaders(response, nextPageHeaders(cursor, target, publicUrl));
        }
        const ready = { ...outcome, result };
        const now = clock().getTime();
        sendResult(request, response, { call, outcome: ready, context, maxRangedBytes, now });
      },
    });
  };
}

/** Adds headers, whose names and values alternate, to those of the same name. */
function appendHeaders(response: ServerResponse, list: readonly string[]): void {
  for (let at = 0; at < list.length; at += 2) response.appendHeader(list[at] ?? '', list[at + 1] ?? '');
}

/** Whether a header may have the URL of the call: it must be all of it, and no secret. */
function isRepeatable({ parameters }: Endpoint, { query, isInTarget }: SentCall): boolean {
  return isInTarget && ![...query.keys()].some((name) => parameters.get(name)?.secret);
}

/** Whether the URL may be stored: never one that holds a key, a signature or a secret value, or not the whole call. */
function mayRemember({ isPresentedInHeaders }: RequestContext, endpoint: Endpoint, sent: SentCall): boolean {
  const { query } = sent;
  // Whether a cursor is valid depends on the caller too.
  if (query.has('cursor') || isPresentedInHeaders !== true || endpoint.settings.caching === 'disabled')
    return false;
  return isRepeatable(endpoint, sent) && !query.has('api_key') && !hasLink(query);
}

/** The preference of RFC 7240 by which undeclared parameters are errors. */
const STRICT = 'handling=strict';

/** The value of `Preference-Applied`; empty where none is. */
function appliedPreferences({ wait, isStrict }: Preferences, { applied, isExport }: Presentation): string {
  const all = [
    wait === undefined || isExport ? undefined : `wait=${wait}`,
    isStrict ? STRICT : undefined,
    ...applied,
  ];
  return all.filter((each) => each !== undefined).join(', ');
}

/**
 * Aborts when the client disconnects, or when the time of `Prefer: wait=N` (RFC 7240) is over; a deferred call goes on then.
 */
function untilNobodyWaits(response: ServerResponse, { wait: seconds, isAsync }: Preferences): Cancellable {
  const disconnected = clientDisconnected(response);
  if (seconds === undefined || isAsync || disconnected.signal.aborted) return disconnected;
  const { signal, end } = withDeadline(disconnected.signal, seconds);
  response.once('close', end);
  return {
    signal,
    abort: (reason) => {
      disconnected.abort(reason);
    },
  };
}

/** Aborts when the connection closes before the response is complete. */
export function clientDisconnected(response: ServerResponse): Cancellable {
  const wait = new Abort();
  const close = (): void => {
    if (!response.writableFinished) wait.abort(callerGone());
  };
  // A client can leave while its body is read, before anyone waits for the event.
  if (response.closed) close();
  else response.once('close', close);
  return wait;
}
