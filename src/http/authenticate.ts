import type { RequestHandler } from 'express';

import type { EndpointRegistry } from '../endpoint/registry.js';
import { calledEndpoint } from './called-endpoint.js';
import {
  principalOfPresented,
  principalOfQueryString,
  authorize,
  presentedKey,
  type Credentials,
} from './credentials.js';
import { contextOf } from './request-context.js';

/**
 * Lets only callers with a good key, token or link pass. What is presented first decides: headers before the query
 * string, and a bad one is never made up for by another.
 */
export function authenticate(credentials: Credentials, endpoints: EndpointRegistry): RequestHandler {
  return async (request, _response, next) => {
    const presented = presentedKey(request.headers);
    const { originalUrl: target, path } = request;
    const principal =
      presented === undefined
        ? principalOfQueryString(credentials, { target, findEndpoint: () => calledEndpoint(endpoints, path) })
        : await principalOfPresented(credentials, presented);
    const context = contextOf(request);
    context.principal = authorize(credentials, principal, request);
    context.isPresentedInHeaders = presented !== undefined;
    next();
  };
}
