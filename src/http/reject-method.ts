import type { RequestHandler } from 'express';

import { Failure } from '../errors.js';

/** Answers what is neither GET nor HEAD. */
export function rejectMethod(): RequestHandler {
  return (request) => {
    throw new Failure('METHOD_NOT_ALLOWED', `${request.method} is not allowed here; GET and HEAD are.`, {
      allow: ['GET', 'HEAD'],
    });
  };
}
