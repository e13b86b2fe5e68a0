import type { IncomingMessage, ServerResponse } from 'node:http';

import { scopeOf } from '../auth/pinned-parameters.js';
import { mayCall, type Principal } from '../auth/principal.js';
import type { Endpoints } from '../endpoint/registry.js';
import { LimitExceeded, type LimitState, type Subject } from '../limits/limit-state.js';
import type { Limiter } from '../limits/limiter.js';
import { rateLimitHeaders } from '../limits/rate-limit-headers.js';
import type { FindHit } from '../query/execute-call.js';
import type { Clock } from '../query/ports.js';
import type { AccessLog } from './access-log.js';
import { noteOutcome } from './call-endpoint.js';
import { pendingEncoding } from './content-encoding.js';
import { findPrincipal, presentedKey, type Credentials } from './credentials.js';
import { problemOfHeaders } from './header-limits.js';
import type { KnownTargets } from './known-targets.js';
import { subjectsOf } from './limit-requests.js';
import type { RequestContext } from './request-context.js';
import { requestIdOf } from './request-id.js';
import { SECURITY_HEADERS } from './security-headers.js';
import { sendResult } from './send-result.js';
import { noteAuthenticated } from './unauthenticated-peers.js';

export interface HitParts {
  readonly endpoints: Endpoints;
  readonly targets: KnownTargets;
  readonly findHit: FindHit;
  readonly credentials: Credentials;
  readonly limiter: Limiter;
  readonly clock: Clock;
  readonly log: AccessLog;
}

/** Responds to a request where the local cache suffices. Returns whether it responded. */
export type FastPath = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Common `Accept` values that mean the same as none: JSON, unless the target names another format. */
const TAKES_JSON = new Set([undefined, '*/*', 'application/json', 'application/json, text/plain, */*']);

/**
 * Creates the fast path for a repeated request whose result is in the local cache: the same authentication, result and
 * headers as through the Express application, without its router. All other requests are left to the application.
 */
export function createFastPath({
  endpoints,
  targets,
  findHit,
  credentials,
  limiter,
  clock,
  log,
}: HitParts): FastPath {
  return (request, response) => {
    const startedAt = performance.now();
    const { url = '', headers } = request;
    const principal = isOrdinary(request) ? knownPrincipal(credentials, request) : undefined;
    const now = clock().getTime();
    const known = principal && targets.find(scopeOf(principal), url, now);
    if (!known || !mayCall(principal, known.query.endpoint)) return false;
    const { endpoint } = known.query;
    const subjects = subjectsOf(endpoints, principal, endpoint);
    if (!limiter.admitsAtOnce(subjects)) return false;
    const outcome = findHit(
      known.query,
      known.key,
      (result) => pendingEncoding(headers['accept-encoding']?.toString(), result) !== undefined,
    );
    const limits = outcome && admitAtOnce(limiter, subjects);
    if (!limits) return false;
    noteAuthenticated(request.socket);
    credentials.noteUse(principal, now);
    const requestId = requestIdOf(headers['x-request-id']?.toString());
    const context: RequestContext = {
      requestId,
      startedAt,
      principal,
      endpoint: endpoint.name,
      query: { digest: endpoint.digest, hash: known.key.hash },
    };
    noteOutcome(context, outcome);
    const headerList = ['X-Request-Id', requestId, ...SECURITY_HEADERS];
    if (limits.length > 0) headerList.push(...Object.entries(rateLimitHeaders(limits)).flat());
    const { download, query } = known;
    const { representation } = query;
    sendResult(request, response, {
      endpoint,
      outcome,
      context,
      representation,
      download,
      now,
      headers: headerList,
    });
    log.note(request, response, url, context);
    return true;
  };
}

const UNLIMITED: readonly LimitState[] = [];

/** The limits after counting the request; undefined, and nothing counted, where the application must reject it. */
function admitAtOnce(limiter: Limiter, subjects: readonly Subject[]): readonly LimitState[] | undefined {
  try {
    const states = limiter.admitRequest(subjects);
    return states instanceof Promise ? undefined : (states ?? UNLIMITED);
  } catch (error) {
    if (error instanceof LimitExceeded) return undefined;
    throw error;
  }
}

/** The principal, where it can be authenticated without I/O and may call from any address. */
function knownPrincipal(credentials: Credentials, { headers }: IncomingMessage): Principal | undefined {
  const presented = presentedKey(headers);
  const principal = presented === undefined ? undefined : findPrincipal(credentials, presented);
  return principal?.addresses ? undefined : principal;
}

function isOrdinary(request: IncomingMessage): boolean {
  const { method, headers } = request;
  return (
    (method === 'GET' || method === 'HEAD') &&
    TAKES_JSON.has(headers.accept) &&
    headers['cache-control'] === undefined &&
    headers.origin === undefined &&
    headers['prefer'] === undefined &&
    headers.host !== undefined &&
    problemOfHeaders(request) === undefined
  );
}
