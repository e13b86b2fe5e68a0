import type { RequestHandler } from 'express';

import type { Tracing } from '../observability/tracing.js';
import { contextOf } from './request-context.js';

/** Records a span for each request, from this handler to the end of the response. */
export function traceRequests(tracing: Pick<Tracing, 'begin'>): RequestHandler {
  return (request, response, next) => {
    const traced = tracing.begin(request.headers);
    response.once('close', () => {
      const { endpoint, cache, requestId } = contextOf(request);
      traced.end(`${request.method} ${endpoint ?? 'request'}`, response.statusCode, {
        'http.request.method': request.method,
        'url.path': request.path,
        'querygate.request_id': requestId,
        ...(endpoint !== undefined && { 'querygate.endpoint': endpoint }),
        ...(cache !== undefined && { 'querygate.cache': cache }),
      });
    });
    traced.within(next);
  };
}
