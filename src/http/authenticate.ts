import type { RequestHandler } from 'express';

import type { EndpointRegistry } from '../endpoint/registry.js';
import { holderOfPresented, holderOfQuery, letIn, presentedKey, type Credentials } from './credentials.js';
import { parseQueryString } from './query-string.js';
import { contextOf } from './request-context.js';

/** Where a link leads, below where this is mounted. */
const CALL = /^\/endpoints\/query\/([^/?]+)/;

/**
 * Lets only callers with a good key, token or link pass. What is presented first decides: headers before the query
 * string, and a bad one is never made up for by another.
 */
export function authenticate(credentials: Credentials, endpoints: EndpointRegistry): RequestHandler {
  return async (request, _response, next) => {
    const presented = presentedKey(request.headers);
    const holder =
      presented === undefined
        ? holderOfQuery(credentials, {
            sent: parseQueryString(request.url),
            endpoint: endpoints.find(decoded(CALL.exec(request.url)?.[1] ?? '')),
          })
        : await holderOfPresented(credentials, presented);
    const context = contextOf(request);
    context.keyHolder = letIn(credentials, holder, request);
    context.isPresentedInHeaders = presented !== undefined;
    next();
  };
}

/** What can't be decoded is the name of no endpoint. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return '';
  }
}
