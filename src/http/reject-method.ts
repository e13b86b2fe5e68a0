import type { RequestHandler } from 'express';

import { Failure } from '../errors.js';

/** Rejects methods other than GET and HEAD with 405. */
export function rejectMethod(): RequestHandler {
  return (request) => {
    throw new Failure('METHOD_NOT_ALLOWED', `${request.method} is not allowed here. Use GET or HEAD.`, {
      allow: ['GET', 'HEAD'],
    });
  };
}
