import { cachingText } from '../../../../endpoint/caching.js';
import { camelName } from '../../../../endpoint/camel-name.js';
import { deprecationNote, describeDeprecation } from '../../../../endpoint/deprecation.js';
import { rowCap, type Endpoint } from '../../../../endpoint/endpoint.js';
import type { JsonSchema } from '../../../../endpoint/json-schema.js';
import {
  refTo,
  type OperationObject,
  type ParameterObject,
  type PathItemObject,
  type RefObject,
  type ResponseObject,
} from './document.js';
import { endpointBody, endpointParameters } from './endpoint-parameters.js';
import { featuresOf, headerRefs, ONLY_FOR_GET, REQUEST_HEADERS, type HeaderPlace } from './headers.js';
import { problemResponses } from './problems.js';
import {
  CURSOR_PARAMETER,
  EXPORT_PARAMETER,
  representationParameters,
  responseContent,
} from './representations.js';

export const TAGS = {
  queries: 'Queries',
  catalogue: 'Catalogue',
  health: 'Health',
} as const;

/** The groups of an endpoint's operation. */
export const tagsOf = ({ tags }: Endpoint): readonly string[] => (tags.length > 0 ? tags : [TAGS.queries]);

const requestHeaders = Object.keys(REQUEST_HEADERS);
const headersOfGet: readonly RefObject[] = requestHeaders.map((name) => refTo('parameters', name));
const headersOfPost: readonly RefObject[] = requestHeaders
  .filter((name) => !ONLY_FOR_GET.has(name))
  .map((name) => refTo('parameters', name));

/**
 * The operations by which an endpoint is called.
 *
 * @param pinned names of the parameters that the reader's key pins.
 */
export function callOperations(endpoint: Endpoint, pinned: ReadonlySet<string>): PathItemObject {
  const shared = { tags: tagsOf(endpoint), ...(endpoint.deprecated && { deprecated: true }) };
  const note = settingsNote(endpoint);
  const features = featuresOf(endpoint);
  return {
    get: {
      operationId: camelName(endpoint.name),
      ...shared,
      summary: endpoint.summary,
      description: note,
      parameters: [...endpointParameters(endpoint, pinned), ...ownParameters(endpoint), ...headersOfGet],
      responses: {
        200: rowsResponse(endpoint),
        202: RUNNING,
        // No `content`: a part of a JSON document is not valid JSON, but generated clients and validators would parse it.
        206: {
          description: 'The part of the rows that `Range` names, with the media type that the whole has.',
          headers: headerRefs('part', ...features),
        },
        304: {
          description: 'The result is the one that `If-None-Match` names.',
          headers: headerRefs('rows', ...features),
        },
        ...problemResponses('get', endpoint),
      },
    },
    post: {
      // The id is unique, because names of endpoints have no underscore.
      operationId: `${camelName(endpoint.name)}_post`,
      ...shared,
      summary: `${endpoint.summary} (POST)`,
      description: `The same call with the parameters in the body, where they may be long and are in no log of a proxy. ${note}`,
      parameters: [...ownParameters(endpoint), ...headersOfPost],
      requestBody: endpointBody(endpoint, pinned),
      responses: { 200: rowsResponse(endpoint), 202: RUNNING, ...problemResponses('post', endpoint) },
    },
  };
}

function ownParameters(endpoint: Endpoint): readonly ParameterObject[] {
  return [
    ...representationParameters(endpoint),
    ...(endpoint.settings.exports ? [EXPORT_PARAMETER] : []),
    ...(endpoint.pages ? [CURSOR_PARAMETER] : []),
  ];
}

function rowsResponse(endpoint: Endpoint): ResponseObject {
  return {
    description:
      'The rows. They are complete unless the response has `X-Partial`: a failure after the first row is an error.',
    headers: headerRefs('file', ...featuresOf(endpoint)),
    content: responseContent(endpoint),
  };
}

function settingsNote(endpoint: Endpoint): string {
  const { unknownParameters } = endpoint.settings;
  const unknown = unknownParameters === 'reject' ? ' Other parameters are 400.' : '';
  return `${deprecationNote(describeDeprecation(endpoint))}At most ${rowCap(endpoint)} rows; ${cachingText(endpoint.settings)}.${unknown} Also by its id: \`/api/endpoints/query/${endpoint.id}\`.`;
}

function jsonResponse(description: string, headers: HeaderPlace, schema: JsonSchema): ResponseObject {
  return { description, headers: headerRefs(headers), content: { 'application/json': { schema } } };
}

/** The 202 response. It has no `content`, because only callers who request it get it; generated clients would expect it for any call. */
const RUNNING: ResponseObject = {
  description:
    'With `Prefer: respond-async`: the query is still running. Repeat the request. The body is JSON with `status` (`running`), `elapsedSeconds` and `timeLimitSeconds`.',
  headers: headerRefs('running'),
};

const ENDPOINT = refTo('schemas', 'Endpoint');

/** `GET /api/endpoints` */
export function listOperation(): OperationObject {
  const tag: ParameterObject = {
    name: 'tag',
    in: 'query',
    description: 'Only the endpoints with this tag; may be given once.',
    schema: { type: 'string' },
  };
  const list: JsonSchema = {
    type: 'object',
    required: ['result'],
    properties: {
      result: { type: 'array', items: ENDPOINT },
      sqlPort: {
        type: 'integer',
        description: 'Where endpoints with `tables` are tables; absent where none are.',
      },
    },
    additionalProperties: false,
  };
  return {
    operationId: 'listEndpoints',
    tags: [TAGS.catalogue],
    summary: 'The endpoints that the key may call',
    parameters: [tag],
    responses: {
      200: jsonResponse('The endpoints, by name.', 'withKey', list),
      ...problemResponses('list'),
    },
  };
}

/** `GET /api/endpoints/{idOrName}` */
export function describeOperation(example: string | undefined): OperationObject {
  const idOrName: ParameterObject = {
    name: 'idOrName',
    in: 'path',
    required: true,
    description: 'Name or UUID of an endpoint.',
    schema: { type: 'string', minLength: 1, ...(example !== undefined && { examples: [example] }) },
  };
  return {
    operationId: 'describeEndpoint',
    tags: [TAGS.catalogue],
    summary: 'One endpoint: its saved query, parameters, columns and settings',
    parameters: [idOrName],
    responses: {
      200: jsonResponse('The endpoint.', 'withKey', ENDPOINT),
      ...problemResponses('describe'),
    },
  };
}

const READY_WARNINGS: JsonSchema = {
  type: 'array',
  items: { type: 'string' },
  description: 'Problems that an operator has to solve while requests succeed: a full disk of ClickHouse.',
};

/** `GET /health/live` and `GET /health/ready`, which need no key. */
export function healthOperation(status: 'live' | 'ready', summary: string): OperationObject {
  const isReady = status === 'ready';
  const health: JsonSchema = {
    type: 'object',
    required: ['status'],
    properties: {
      status: { type: 'string', const: status },
      ...(isReady && { warnings: READY_WARNINGS }),
    },
  };
  return {
    operationId: isReady ? 'isReady' : 'isLive',
    tags: [TAGS.health],
    summary,
    security: [],
    responses: {
      200: jsonResponse('Yes.', 'any', health),
      ...problemResponses(status),
    },
  };
}
