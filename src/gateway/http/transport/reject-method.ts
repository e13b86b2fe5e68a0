import type { RequestHandler } from 'express';

import { Failure } from '../../errors.js';

/** Rejects methods with 405, except GET, HEAD and the listed ones. */
export function rejectMethod(...others: readonly string[]): RequestHandler {
  return rejectMethodsExcept('GET', 'HEAD', ...others);
}

/** Rejects methods with 405, except the listed ones. */
export function rejectMethodsExcept(...allow: readonly string[]): RequestHandler {
  const use = [allow.slice(0, -1).join(', '), allow.at(-1) ?? ''].filter((part) => part !== '').join(' or ');
  return (request) => {
    throw new Failure('METHOD_NOT_ALLOWED', `${request.method} is not allowed here. Use ${use}.`, { allow });
  };
}
