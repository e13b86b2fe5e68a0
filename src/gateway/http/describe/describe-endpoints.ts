import type { RequestHandler } from 'express';

import { mayCallWithPins } from '../../auth/pinned-parameters.js';
import type { Principal } from '../../auth/principal.js';
import type { Endpoint } from '../../../endpoint/endpoint.js';
import { MAX_VALUE_BYTES, type Parameter } from '../../../endpoint/parameters/parameter.js';
import type { Endpoints } from '../../../endpoint/registry.js';
import { Failure } from '../../errors.js';
import { invalidParameters, problemOfEncoding } from '../../query/validate-parameters.js';

import { findEndpoint } from '../call/find-endpoint.js';
import { parseQueryString } from '../call/query-string.js';
import { contextOf, principalOf } from '../transport/request-context.js';

/** `GET /api/endpoints`: the endpoints that the key may call, as resources; with `tag`, those that have the tag. */
export function listEndpoints(endpoints: Endpoints): RequestHandler {
  return (request, response) => {
    const principal = principalOf(contextOf(request));
    const tag = tagIn(request.originalUrl);
    const open = endpoints
      .all()
      .filter((endpoint) => mayCallWithPins(principal, endpoint))
      .filter(({ tags }) => tag === undefined || tags.includes(tag));
    response
      .set('Cache-Control', 'no-store')
      .json({ result: open.map((endpoint) => resourceOf(endpoint, principal)) });
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
    checkIsOpen(principal, endpoint);
    response.set('Cache-Control', 'no-store').json(resourceOf(endpoint, principal));
  };
}

/** @throws Failure FORBIDDEN for the endpoints that the list leaves out */
function checkIsOpen(principal: Principal, endpoint: Endpoint): void {
  if (mayCallWithPins(principal, endpoint)) return;
  throw new Failure(
    'FORBIDDEN',
    'This key may not call this endpoint. GET /api/endpoints lists those that it may.',
  );
}

/** The endpoint as the principal can call it: pinned parameters are not required. They and secret ones are not in the example. */
export function resourceOf(endpoint: Endpoint, { pinned }: Principal): Readonly<Record<string, unknown>> {
  const { id, name, summary, tags, savedQuery, settings, limit, parameters, columns, example } = endpoint;
  return {
    id,
    name,
    description: summary,
    tags,
    query: savedQuery,
    maxRows: settings.maxRows,
    ...(limit !== undefined && { limit }),
    caching: settings.caching,
    warming: settings.warming,
    sandboxing: settings.sandboxing,
    ...(settings.unknownParameters && { unknownParameters: settings.unknownParameters }),
    parameters: [...parameters].map(([parameter, spec]) => ({
      name: parameter,
      kind: spec.kind,
      required: spec.required && pinned?.has(parameter) !== true,
      empty: spec.empty,
      type: spec.type,
      description: spec.description,
      ...(spec.format !== undefined && { format: spec.format }),
      ...(spec.choices && { choices: spec.choices }),
      ...(spec.suggestions && { suggestions: spec.suggestions }),
      ...declaredFacts(spec),
    })),
    columns: [...columns].map(([column, { type, meaning }]) => ({
      name: column,
      type,
      description: meaning,
      ...(endpoint.optionalColumns.has(column) && { onlyWith: endpoint.optionalColumns.get(column) }),
    })),
    example: Object.fromEntries(
      Object.entries(example).filter(
        ([param]) => pinned?.has(param) !== true && !parameters.get(param)?.secret,
      ),
    ),
  };
}

/** What a parameter is declared with beside its kind: nothing for the specified endpoints, whose resources stay as they are. */
function declaredFacts({
  default: fallback,
  deprecated,
  secret,
  choicesFrom,
  relativeStepMs,
  jsonSchema: { minimum, maximum, maxLength = MAX_VALUE_BYTES, pattern },
}: Parameter): Readonly<Record<string, unknown>> {
  return {
    ...(fallback !== undefined && { default: fallback }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(maxLength < MAX_VALUE_BYTES && { maxLength }),
    ...(pattern !== undefined && { pattern }),
    ...(relativeStepMs !== undefined && { relativeStep: relativeStepMs / 1000 }),
    ...(deprecated && { deprecated }),
    ...(secret && { secret }),
    ...(choicesFrom && { choicesFrom }),
  };
}
