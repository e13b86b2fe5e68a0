import type { RequestHandler } from 'express';

import { Failure } from '../errors.js';
import type { KeyHolder } from '../keys/key-ring.js';
import { contextOf } from './request-context.js';

export type FindKey = (key: string) => KeyHolder | undefined;

/** The key that a request carries: `X-API-KEY`, else `Authorization: Bearer`. */
export function presentedKey(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): string | undefined {
  const header = headers['x-api-key'];
  if (typeof header === 'string' && header !== '') return header;
  const bearer = /^Bearer +(\S+) *$/i.exec(String(headers['authorization'] ?? ''));
  return bearer?.[1];
}

/** Lets only callers with a good key pass. */
export function authenticate(findKey: FindKey): RequestHandler {
  return (request, _response, next) => {
    const key = presentedKey(request.headers);
    if (key === undefined) {
      throw new Failure(
        'API_KEY_MISSING',
        'Send an API key in the header X-API-KEY, or as Authorization: Bearer.',
      );
    }
    const holder = findKey(key);
    if (!holder) throw new Failure('API_KEY_INVALID', 'This API key is not known here, or has expired.');
    contextOf(request).keyHolder = holder;
    next();
  };
}
