import type { RequestHandler } from 'express';

import type { Endpoints } from '../../../endpoint/registry.js';
import { authorize, presentedKey, principalOfRequest, type Credentials } from './credentials.js';
import { endpointOfPath } from './find-endpoint.js';
import { contextOf } from '../transport/request-context.js';

/**
 * Rejects requests without a valid key, token or signed link.
 */
export function authenticate(credentials: Credentials, endpoints: Endpoints): RequestHandler {
  return async (request, _response, next) => {
    const { path } = request;
    const principal = await principalOfRequest(credentials, request, () => endpointOfPath(endpoints, path));
    const context = contextOf(request);
    context.principal = authorize(credentials, principal, request);
    context.isPresentedInHeaders = presentedKey(request.headers) !== undefined;
    next();
  };
}
