import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';

import { openContext } from './request-context.js';

/** Ids that need no escaping in a header, a log line or a query id. */
const PLAIN = /^[\w.:@=+/~-]{1,128}$/;

/** The caller's id where it needs no escaping, else a new UUID. */
export function requestIdOf(header: string | undefined): string {
  return header !== undefined && PLAIN.test(header) ? header : randomUUID();
}

/** Creates the request's context and sets `X-Request-Id` on the response. */
export function assignRequestId(): RequestHandler {
  return (request, response, next) => {
    const requestId = requestIdOf(request.get('x-request-id'));
    openContext(request, { requestId, startedAt: performance.now() });
    response.set('X-Request-Id', requestId);
    next();
  };
}
