import type { RequestHandler } from 'express';

import { Failure } from '../errors.js';

/** Rejects an HTTP/1.1 request without a Host header, as RFC 9112 (section 3.2) demands. */
export function requireHost(): RequestHandler {
  return (request, _response, next) => {
    if (request.httpVersion === '1.1' && request.headers.host === undefined) {
      throw new Failure('BAD_REQUEST', 'The request has no Host header, which HTTP/1.1 requires.');
    }
    next();
  };
}
