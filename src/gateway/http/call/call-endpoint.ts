import type { ServerResponse } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';

import { hasLink } from '../../auth/links.js';
import { allowsAddress, mayCall } from '../../auth/principal.js';
import type { Endpoint } from '../../../endpoint/endpoint.js';
import { callerGone } from '../../errors.js';
import { Abort } from '../../query/signal.js';
import { withDeadline } from '../../scheduler/deadline.js';
import type { Presentation } from '../result/choose-representation.js';
import type { ApiParts } from '../api-parts.js';
import { requireComplete } from '../result/complete-result.js';
import { deprecationHeaders } from '../result/deprecation-headers.js';
import { findEndpoint, requireNotGone, requireOpen } from './find-endpoint.js';
import { readyToSend } from '../result/select-content.js';
import { requireChunks, sendExport } from '../result/send-export.js';
import { sendResult } from '../result/send-result.js';
import { sendRunning } from '../result/send-running.js';
import { contextOf, principalOf } from '../transport/request-context.js';
import { presentedKey, principalOfRequest } from './credentials.js';
import { setLimitHeaders } from './limit-requests.js';
import { nextCursor, nextPageHeaders } from './page-cursor.js';
import type { Preferences, ReadSentCall, SentCall } from './sent-call.js';
import { readCall, type ReadCall } from './read-call.js';
import { requireExport } from './require-export.js';
import { exportCall, hasResult, runCall, type RanCall } from './run-call.js';
import type { Cancellable } from './running-calls.js';
import { IGNORED_PARAMETERS } from './undeclared-parameters.js';
import { whileAccepted } from './while-accepted.js';

/**
 * `/api/endpoints/query/ID_OR_NAME`: calls the endpoint.
 *
 * @param readSent reads the parameters; called for a caller who may call the endpoint.
 */
export function callEndpoint(parts: ApiParts, readSent: ReadSentCall): RequestHandler {
  return async (request, response) => {
    const context = contextOf(request);
    const principal = principalOf(context);
    const endpoint = findEndpoint(parts.endpoints, request.params['idOrName'], principal);
    requireOpen(principal, endpoint);
    appendHeaders(response, deprecationHeaders(endpoint, parts.publicUrl));
    requireNotGone(endpoint, parts.clock());
    const sent = await readSent(endpoint, request, response);
    if (sent.preferences.isStrict) response.set('Preference-Applied', STRICT);
    const call = readCall(parts, principal, endpoint, sent);
    const { presentation, ignored } = call;
    if (presentation.isExport) requireExport(parts, principal, call);
    if (ignored !== undefined) response.set(IGNORED_PARAMETERS, ignored);
    const applied = appliedPreferences(sent.preferences, presentation);
    if (applied !== '') response.set('Preference-Applied', applied);
    if (presentation.isExport) {
      await respondWithExport(parts, request, response, call);
      return;
    }
    const wait = untilNobodyWaits(response, sent.preferences);
    const ran = await runCall(parts, context, call, sent.preferences, wait);
    setLimitHeaders(response, ran.limits, principal);
    if (hasResult(ran)) await respondWithResult(parts, request, response, sent, ran);
    else {
      const { publicUrl, clock } = parts;
      const isWhole = isRepeatable(endpoint, sent);
      sendRunning(request, response, { running: ran.outcome, isWhole, applied, publicUrl, now: clock() });
    }
  };
}

async function respondWithResult(
  { targets, cursors, publicUrl, maxRangedBytes, clock }: ApiParts,
  request: Request,
  response: Response,
  sent: SentCall,
  ran: RanCall,
): Promise<void> {
  const { principal, call, key, outcome } = ran;
  const { query, presentation } = call;
  const context = contextOf(request);
  if (presentation.isPlain && mayRemember(request, query.endpoint, sent)) {
    targets.learn(query.scope, request.originalUrl, { call, key });
  }
  if (presentation.complete) requireComplete(ran);
  const cursor = nextCursor(cursors, principal, query, outcome.result, call.readAt);
  const result = await readyToSend(request.headers, outcome.result);
  if (cursor !== undefined) {
    const target = isRepeatable(query.endpoint, sent) ? request.originalUrl : undefined;
    appendHeaders(response, nextPageHeaders(cursor, target, publicUrl));
  }
  const now = clock().getTime();
  sendResult(request, response, { call, outcome: { ...outcome, result }, context, maxRangedBytes, now });
}

async function respondWithExport(
  parts: ApiParts,
  request: Request,
  response: Response,
  call: ReadCall,
): Promise<void> {
  const context = contextOf(request);
  const principal = principalOf(context);
  const { endpoint } = call.query;
  requireChunks(request);
  const { credentials } = parts;
  const wait = whileAccepted(clientDisconnected(response), {
    response,
    principal,
    authenticate: () => principalOfRequest(credentials, request, () => endpoint),
    isAllowed: (now) =>
      mayCall(now, endpoint) && now.mayExport === true && allowsAddress(now, credentials.addressOf(request)),
  });
  await exportCall(parts, context, call, wait, (run, limits) => {
    const beforeHeaders = (): void => {
      setLimitHeaders(response, limits, principal);
    };
    return sendExport(request, response, { call, run, beforeHeaders, context, now: parts.clock().getTime() });
  });
}

/** Appends headers, as a list in which names and values alternate, to existing ones of the same name. */
function appendHeaders(response: ServerResponse, list: readonly string[]): void {
  for (let at = 0; at < list.length; at += 2) response.appendHeader(list[at] ?? '', list[at + 1] ?? '');
}

/** Whether a header may contain the URL of the call: only a URL that is the whole call and has no secret value. */
function isRepeatable({ parameters }: Endpoint, { query, isInTarget }: SentCall): boolean {
  if (!isInTarget) return false;
  for (const name of query.keys()) if (parameters.get(name)?.secret) return false;
  return true;
}

/** Whether the URL may be stored: only a URL that is the whole call, and has no key, signature or secret value. */
function mayRemember({ headers }: Request, endpoint: Endpoint, sent: SentCall): boolean {
  const { query } = sent;
  // The validity of a cursor depends on the caller too.
  if (query.has('cursor') || endpoint.settings.caching === 'disabled') return false;
  if (presentedKey(headers) === undefined || query.has('api_key') || hasLink(query)) return false;
  return isRepeatable(endpoint, sent);
}

/** The preference of RFC 7240 that makes undeclared parameters errors. */
const STRICT = 'handling=strict';

/** The value of `Preference-Applied`; empty where no preference was applied. */
function appliedPreferences(
  { waitSeconds, isStrict }: Preferences,
  { applied, isExport }: Presentation,
): string {
  const all: string[] = [];
  if (waitSeconds !== undefined && !isExport) all.push(`wait=${waitSeconds}`);
  if (isStrict) all.push(STRICT);
  return [...all, ...applied].join(', ');
}

/**
 * Aborts when the client disconnects, or when the time of `Prefer: wait=N` (RFC 7240) ends. A deferred call then continues.
 */
function untilNobodyWaits(response: ServerResponse, { waitSeconds, isAsync }: Preferences): Cancellable {
  const disconnected = clientDisconnected(response);
  if (waitSeconds === undefined || isAsync || disconnected.aborted) return disconnected;
  const wait = withDeadline(disconnected, waitSeconds);
  response.once('close', () => {
    wait.end();
  });
  return wait;
}

/** Aborts when the connection closes before the response is complete. */
export function clientDisconnected(response: ServerResponse): Abort {
  const wait = new Abort();
  const close = (): void => {
    if (!response.writableFinished) wait.abort(callerGone());
  };
  // A client can disconnect while its body is read, before this function waits for the event.
  if (response.closed) close();
  else response.once('close', close);
  return wait;
}
