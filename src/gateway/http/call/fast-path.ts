import type { IncomingHttpHeaders, ServerResponse } from 'node:http';

import { scopeOf } from '../../auth/pinned-parameters.js';
import { isGone } from '../../../endpoint/deprecation.js';
import { mayCall, type Principal } from '../../auth/principal.js';
import type { Endpoint } from '../../../endpoint/endpoint.js';
import type { LimitState } from '../../limits/limit-state.js';
import { rateLimitHeaderList } from '../../limits/rate-limit-headers.js';
import type { EndpointResult } from '../../query/endpoint-result.js';
import { readerOf } from '../../query/endpoint-query.js';
import { hitOf } from '../../query/execute-call.js';
import { factsOf } from '../../observability/outcome-facts.js';
import type { ApiParts } from '../api-parts.js';
import { TAKES_DEFAULT, type Presentation } from '../result/choose-representation.js';
import { isComplete } from '../result/complete-result.js';
import { REQUEST_ID, type EveryResponse } from '../transport/every-response.js';
import { pendingEncoding } from '../result/content-encoding.js';
import { presentedKey, type Credentials } from './credentials.js';
import type { KnownTarget } from './known-targets.js';
import { nextCursor, nextPageHeaders } from './page-cursor.js';
import { subjectsOf } from './limit-requests.js';
import { linesOf, RawResponse, type HitRequest } from '../transport/raw-hits.js';
import { requestIdOf, type RequestContext } from '../transport/request-context.js';
import { endWith, serverTiming } from '../result/send-result.js';
import { HitHeads, type HitHead } from './hit-heads.js';
import { noteAuthenticated } from '../transport/connections.js';

/** The parts of a gateway that hits need. */
export interface HitParts extends ApiParts {
  readonly find: NonNullable<ApiParts['find']>;
  readonly everyResponse: EveryResponse;
}

/** Responds to a request for which the local cache suffices. Returns whether it responded. */
export type FastPath = (request: HitRequest, response: ServerResponse | RawResponse) => boolean;

/**
 * Creates the fast path for a repeated request whose result is in the local cache. It uses the same authentication, result and
 * headers as the Express application, without its router, and leaves all other requests to the application.
 */
export function createFastPath(parts: HitParts): FastPath {
  const { endpoints, targets, find, onOutcome, credentials, cursors, limiter, clock } = parts;
  const { everyResponse, publicUrl } = parts;
  const heads = new HitHeads(parts);
  return (request, response) => {
    const startedAt = performance.now();
    const { url = '', headers } = request;
    const isForFastPath = isOrdinary(request) && everyResponse.accepts(request);
    const principal = isForFastPath ? knownPrincipal(credentials, request) : undefined;
    const now = clock().getTime();
    const known = principal && targets.find(scopeOf(principal), url, now);
    if (!known) return false;
    const { call, key } = known;
    const { query, presentation } = call;
    const { endpoint } = query;
    const outcome = mayCallNow(principal, endpoint, now) ? hitOf(find(key.hash, now), now) : undefined;
    if (!outcome || isForApplication(outcome.result, headers, presentation)) return false;
    const limits = limiter.admitAtOnce(subjectsOf(endpoints, principal, endpoint));
    if (!limits) return false;
    onOutcome(query, key, outcome);
    noteAuthenticated(request.socket);
    credentials.noteUse(principal, now);
    const requestId = requestIdOf(headers['x-request-id']?.toString());
    const context = {
      requestId,
      startedAt,
      principal,
      endpoint: endpoint.name,
      called: known,
      outcome: factsOf(outcome),
    };
    const cursor = nextCursor(cursors, principal, query, outcome.result, now);
    const ofPage = cursor === undefined ? undefined : nextPageHeaders(cursor, url, publicUrl);
    sendHit(response, heads.headOf(request, { call, outcome, now }, ofPage), context, limits);
    everyResponse.end(request, response, context);
    return true;
  };
}

const mayCallNow = (principal: Principal, endpoint: Endpoint, now: number): boolean =>
  mayCall(principal, endpoint) && !isGone(endpoint, now);

function sendHit(
  response: ServerResponse | RawResponse,
  head: HitHead,
  context: RequestContext & { readonly called: KnownTarget },
  limits: readonly LimitState[],
): void {
  const reader = readerOf(context.called.call.query);
  const id = [REQUEST_ID, context.requestId] as const;
  const quotas = rateLimitHeaderList(limits, reader);
  const timing = serverTiming(context, reader);
  const { status, first, beforeTiming, afterTiming, body } = head;
  if (response instanceof RawResponse) {
    const { first, beforeTiming, afterTiming } = head.asLines();
    const quotaLines = quotas.length > 0 ? linesOf(quotas) : '';
    response.send(
      status,
      `${id[0]}: ${id[1]}\r\n${first}${quotaLines}${beforeTiming}${timing[0]}: ${timing[1]}\r\n${afterTiming}`,
      body,
    );
    return;
  }
  response.writeHead(status, [...id, ...first, ...quotas, ...beforeTiming, ...timing, ...afterTiming]);
  endWith(response, body);
}

/** Whether the application must respond: where the encoding is still pending, or missing rows are an error. */
function isForApplication(
  result: EndpointResult,
  headers: IncomingHttpHeaders,
  { complete }: Presentation,
): boolean {
  return (
    pendingEncoding(headers['accept-encoding'], result) !== undefined || (complete && !isComplete(result))
  );
}

/** The principal of a caller whom the gateway can authenticate without I/O, and who may call from any address; else undefined. */
function knownPrincipal(credentials: Credentials, { headers }: HitRequest): Principal | undefined {
  const presented = presentedKey(headers);
  const principal = presented === undefined ? undefined : credentials.find(presented);
  return principal?.addresses ? undefined : principal;
}

function isOrdinary(request: HitRequest): boolean {
  const { method, headers } = request;
  return (
    (method === 'GET' || method === 'HEAD') &&
    TAKES_DEFAULT.has(headers.accept) &&
    headers['cache-control'] === undefined &&
    headers['prefer'] === undefined &&
    headers.range === undefined &&
    headers['if-match'] === undefined &&
    headers.host !== undefined
  );
}
