import type { RequestHandler } from 'express';

import { readablePins } from '../../auth/shown-pins.js';
import { mayCallWithPins } from '../../auth/pinned-parameters.js';
import type { Endpoints } from '../../../endpoint/registry.js';
import { invalidParameters, problemOfEncoding } from '../../query/validate-parameters.js';

import type { ApiParts } from '../api-parts.js';
import { findEndpoint, requireOpen } from '../call/find-endpoint.js';
import { parseQueryString } from '../call/query-string.js';
import { contextOf, principalOf } from '../transport/request-context.js';
import { resourceOf } from './endpoint-resource.js';

/** `GET /api/endpoints`: the endpoints that the key may call, as resources; with `tag`, those that have the tag. */
export function listEndpoints({
  endpoints,
  sqlPort,
}: Pick<ApiParts, 'endpoints' | 'sqlPort'>): RequestHandler {
  return (request, response) => {
    const principal = principalOf(contextOf(request));
    const tag = tagIn(request.originalUrl);
    const all = endpoints.all();
    const open = all
      .filter((endpoint) => mayCallWithPins(principal, endpoint))
      .filter(({ tags }) => tag === undefined || tags.includes(tag));
    const pins = readablePins(principal.pinned ?? [], all);
    response
      .set('Cache-Control', 'no-store')
      .json({ result: open.map((endpoint) => resourceOf(endpoint, principal, pins)), sqlPort });
  };
}

/** The tag in a request target. @throws Failure INVALID_PARAMETERS where it is repeated or not decodable */
function tagIn(target: string): string | undefined {
  const raw = parseQueryString(target).get('tag');
  const problem = raw && problemOfEncoding(raw);
  if (problem !== undefined) throw invalidParameters([{ param: 'tag', problem }]);
  return raw?.text;
}

/** `GET /api/endpoints/ID_OR_NAME`: one endpoint as a resource. */
export function describeEndpoint(endpoints: Endpoints): RequestHandler {
  return (request, response) => {
    const context = contextOf(request);
    const principal = principalOf(context);
    const endpoint = findEndpoint(endpoints, request.params['idOrName'], principal);
    context.endpoint = endpoint.name;
    requireOpen(principal, endpoint);
    const pins = readablePins(principal.pinned ?? [], endpoints.all());
    response.set('Cache-Control', 'no-store').json(resourceOf(endpoint, principal, pins));
  };
}
