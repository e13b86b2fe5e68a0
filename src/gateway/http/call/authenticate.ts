import type { RequestHandler } from 'express';

import type { Endpoints } from '../../../endpoint/registry.js';
import {
  principalOfPresented,
  principalOfQueryString,
  authorize,
  presentedKey,
  type Credentials,
} from './credentials.js';
import { endpointOfPath } from './find-endpoint.js';
import { contextOf } from '../transport/request-context.js';

/**
 * Rejects requests without a valid key, token or signed link. Credentials in headers win over the query string: where they
 * are invalid, the query string is not tried.
 */
export function authenticate(credentials: Credentials, endpoints: Endpoints): RequestHandler {
  return async (request, _response, next) => {
    const presented = presentedKey(request.headers);
    const { originalUrl: target, path } = request;
    const principal =
      presented === undefined
        ? principalOfQueryString(credentials, { target, findEndpoint: () => endpointOfPath(endpoints, path) })
        : await principalOfPresented(credentials, presented, request.headers);
    const context = contextOf(request);
    context.principal = authorize(credentials, principal, request);
    context.isPresentedInHeaders = presented !== undefined;
    next();
  };
}
