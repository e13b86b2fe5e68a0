import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';

import { openContext } from './request-context.js';

/** Ids that can stand in a header, a log and a query id without being escaped. */
const PLAIN = /^[\w.:@=+/~-]{1,128}$/;

/** The caller's own id where it is a plain one, else a fresh UUID. */
export function requestIdOf(header: string | undefined): string {
  return header !== undefined && PLAIN.test(header) ? header : randomUUID();
}

/** Opens the request's context and answers with `X-Request-Id`. */
export function assignRequestId(): RequestHandler {
  return (request, response, next) => {
    const requestId = requestIdOf(request.get('x-request-id'));
    openContext(request, { requestId, startedAt: performance.now() });
    response.set('X-Request-Id', requestId);
    next();
  };
}
