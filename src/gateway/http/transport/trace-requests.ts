import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';

import type { EndedRequest, Tracing } from '../../observability/tracing.js';
import { asFailure } from './problem.js';
import { contextOf, type RequestContext } from './request-context.js';

/** Records a span for each request, from this handler to the end of the response. */
export function traceRequests(tracing: Pick<Tracing, 'begin'>): RequestHandler {
  return (request, response, next) => {
    const traced = tracing.begin(request.headers);
    response.once('close', () => {
      traced.end(spanOf(request, response, contextOf(request)));
    });
    traced.within(next);
  };
}

/** What the span of a request says; `attributes` is a function, because most spans are not sampled. */
export function spanOf(
  { method = '', url = '' }: IncomingMessage,
  { statusCode }: ServerResponse,
  { endpoint, cache, requestId, failure, isFailureInBody }: RequestContext,
): EndedRequest {
  return {
    name: `${method} ${endpoint ?? 'request'}`,
    status: isFailureInBody ? asFailure(failure).status : statusCode,
    attributes: () => ({
      'http.request.method': method,
      'url.path': url.split('?', 1)[0] ?? '',
      'querygate.request_id': requestId,
      ...(endpoint !== undefined && { 'querygate.endpoint': endpoint }),
      ...(cache !== undefined && { 'querygate.cache': cache }),
    }),
  };
}
