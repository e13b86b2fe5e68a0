import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import cors from 'cors';

import type { EndedRequest, Tracing } from '../../observability/tracing.js';
import { RESPONSE_HEADERS } from '../describe/openapi/headers.js';
import { SESSION_HEADER } from '../mcp/session-calls.js';
import { statusOf, type AccessLog, type EndedResponse } from './access-log.js';
import { problemOfHead, requireWellFormed } from './malformed-head.js';
import { contextOf, openContext, requestIdOf, type RequestContext } from './request-context.js';
import type { HitRequest } from './raw-hits.js';

/**
 * Security headers of all responses: browsers must not execute, frame or sniff data. Headers that matter only for HTML documents are
 * omitted to keep responses small. HSTS is left to the proxy that terminates TLS.
 */
export const SECURITY_HEADERS: ReadonlyMap<string, string> = new Map([
  ['Content-Security-Policy', "default-src 'none';frame-ancestors 'none'"],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Referrer-Policy', 'no-referrer'],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'SAMEORIGIN'],
]);
const SECURITY_LIST = [...SECURITY_HEADERS].flat();

/** Name of the header with the request id. */
export const REQUEST_ID = 'X-Request-Id';

/** The headers that a page of another origin may read. */
const EXPOSED_HEADERS = [...RESPONSE_HEADERS, SESSION_HEADER].join(',');
/** Request header that determines the CORS headers, for `Vary`. */
const ORIGIN = 'Origin';

/** Headers at the start of a response, after its id, without `Vary`. Names and values alternate. */
export interface FirstHeaders {
  readonly list: readonly string[];
  readonly vary: string | undefined;
}

/** What every response of the public API has, whether the application or the fast path sends it. */
export class EveryResponse {
  constructor(
    private readonly dependencies: {
      readonly log: AccessLog;
      /** Tracing; absent where it is disabled. */
      readonly tracing?: Pick<Tracing, 'begin' | 'record'> | undefined;
      /** Origins whose pages may read responses; empty: no CORS headers. */
      readonly corsOrigins: readonly string[];
    },
  ) {}

  headersFor(origin: string | undefined): FirstHeaders {
    const { corsOrigins } = this.dependencies;
    if (corsOrigins.length === 0) return { list: SECURITY_LIST, vary: undefined };
    const list = [...SECURITY_LIST];
    if (origin !== undefined && corsOrigins.includes(origin))
      list.push('Access-Control-Allow-Origin', origin);
    list.push('Access-Control-Expose-Headers', EXPOSED_HEADERS);
    return { list, vary: ORIGIN };
  }

  /** Whether the {@link handlers} would accept the host and the headers of a request. */
  accepts(request: HitRequest): boolean {
    return problemOfHead(request) === undefined;
  }

  /** Logs a request that has ended, and records its span. */
  end(request: HitRequest, response: EndedResponse, context: RequestContext): void {
    this.dependencies.log.note(request, response, request.url ?? '', context);
    this.dependencies.tracing?.record(request.headers, context.startedAt, spanOf(request, response, context));
  }

  /** The application's first handlers: they begin the response, and reject a request whose head is malformed. */
  handlers(): readonly RequestHandler[] {
    const { corsOrigins: origin, tracing } = this.dependencies;
    const preflight = cors({ origin: [...origin], methods: ['GET', 'HEAD', 'POST'], maxAge: 600 });
    return [
      this.begin,
      ...(tracing ? [traceRequests(tracing)] : []),
      ...(origin.length > 0 ? [onlyFor('OPTIONS', preflight)] : []),
    ];
  }

  private readonly begin: RequestHandler = (request, response, next) => {
    const requestId = requestIdOf(request.get('x-request-id'));
    const context = { requestId, startedAt: performance.now() };
    openContext(request, context);
    const { list, vary } = this.headersFor(request.headers.origin);
    response.setHeader(REQUEST_ID, requestId);
    for (let at = 0; at < list.length; at += 2) response.setHeader(list[at] ?? '', list[at + 1] ?? '');
    if (vary !== undefined) response.vary(vary);
    response.once('close', () => {
      this.dependencies.log.note(request, response, request.originalUrl, context);
    });
    requireWellFormed(request);
    next();
  };
}

function onlyFor(method: string, handle: RequestHandler): RequestHandler {
  return (request, response, next) => {
    if (request.method === method) void handle(request, response, next);
    else next();
  };
}

/** Records a span for each request, from this handler to the end of the response. */
export function traceRequests(
  tracing: Pick<Tracing, 'begin'>,
): (request: IncomingMessage, response: ServerResponse, next: () => void) => void {
  return (request, response, next) => {
    const traced = tracing.begin(request.headers);
    response.once('close', () => {
      traced.end(spanOf(request, response, contextOf(request)));
    });
    traced.within(next);
  };
}

/** Name, status and attributes of a request's span; `attributes` is a function, because most spans are not sampled. */
function spanOf(
  { method = '', url = '' }: Pick<IncomingMessage, 'method' | 'url'>,
  response: EndedResponse,
  context: RequestContext,
): EndedRequest {
  const { endpoint, outcome: { cache } = {}, requestId } = context;
  return {
    name: `${method} ${endpoint ?? 'request'}`,
    status: statusOf(response, context),
    attributes: () => ({
      'http.request.method': method,
      'url.path': url.split('?', 1)[0] ?? '',
      'querygate.request_id': requestId,
      ...(endpoint !== undefined && { 'querygate.endpoint': endpoint }),
      ...(cache !== undefined && { 'querygate.cache': cache }),
    }),
  };
}
