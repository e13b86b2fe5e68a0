import type { RequestHandler } from 'express';

import type { Endpoint } from '../endpoint/endpoint.js';
import type { EndpointRegistry } from '../endpoint/registry.js';
import { Failure } from '../errors.js';
import { isOpenTo } from '../auth/pinned-parameters.js';
import type { KeyHolder } from '../auth/principal.js';
import { findEndpoint, holderOf } from './call-endpoint.js';
import { contextOf } from './request-context.js';

/** `GET /api/endpoints`: the endpoints that the key may call, as resources. */
export function listEndpoints(endpoints: EndpointRegistry): RequestHandler {
  return (request, response) => {
    const holder = holderOf(contextOf(request));
    const open = endpoints.all().filter((endpoint) => isOpenTo(holder, endpoint));
    response
      .set('Cache-Control', 'no-store')
      .json({ result: open.map((endpoint) => resourceOf(endpoint, holder)) });
  };
}

/** `GET /api/endpoints/ID_OR_NAME`: one endpoint as a resource. */
export function describeEndpoint(endpoints: EndpointRegistry): RequestHandler {
  return (request, response) => {
    const endpoint = findEndpoint(endpoints, request.params['idOrName']);
    const context = contextOf(request);
    context.endpoint = endpoint.name;
    const holder = holderOf(context);
    checkIsOpen(holder, endpoint);
    response.set('Cache-Control', 'no-store').json(resourceOf(endpoint, holder));
  };
}

/** @throws Failure FORBIDDEN, for the same endpoints as the list leaves out */
function checkIsOpen(holder: KeyHolder, endpoint: Endpoint): void {
  if (isOpenTo(holder, endpoint)) return;
  throw new Failure(
    'FORBIDDEN',
    'This key may not call this endpoint. GET /api/endpoints lists those that it may.',
  );
}

/** As its holder can call it: what the key fixes need not be sent, and is no part of the example. */
function resourceOf(endpoint: Endpoint, { fixed }: KeyHolder): Readonly<Record<string, unknown>> {
  const { id, name, summary, savedQuery, settings, parameters, columns, example } = endpoint;
  return {
    id,
    name,
    description: summary,
    query: savedQuery,
    maxRows: settings.maxRows,
    caching: settings.caching,
    warming: settings.warming,
    sandboxing: settings.sandboxing,
    parameters: [...parameters].map(([parameter, spec]) => ({
      name: parameter,
      required: spec.required && fixed?.has(parameter) !== true,
      type: spec.type,
      description: spec.description,
      ...(spec.format !== undefined && { format: spec.format }),
      ...(spec.choices && { choices: spec.choices }),
      ...(spec.suggestions && { suggestions: spec.suggestions }),
    })),
    columns: [...columns].map(([column, { type, meaning }]) => ({
      name: column,
      type,
      description: meaning,
    })),
    example: Object.fromEntries(Object.entries(example).filter(([param]) => fixed?.has(param) !== true)),
  };
}
