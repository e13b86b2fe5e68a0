import type { RequestHandler } from 'express';

import { Failure } from '../errors.js';

/** Rejects methods other than GET, HEAD and those that are listed with 405. */
export function rejectMethod(...others: readonly string[]): RequestHandler {
  const allow = ['GET', 'HEAD', ...others];
  const use = `${allow.slice(0, -1).join(', ')} or ${allow.at(-1) ?? ''}`;
  return (request) => {
    throw new Failure('METHOD_NOT_ALLOWED', `${request.method} is not allowed here. Use ${use}.`, { allow });
  };
}
