import { camelName, pascalName } from '../../../../endpoint/camel-name.js';
import type { Column } from '../../../../endpoint/definition.js';
import { rowCap, type Endpoint } from '../../../../endpoint/endpoint.js';
import type { JsonSchema } from '../../../../endpoint/json-schema.js';
import { jsonTypeOf } from '../../../../endpoint/json-type.js';
import type { Times } from '../../../formats/format.js';
import type { OperationObject, ParameterObject, ResponseObject } from './document.js';
import { endpointBody } from './endpoint-body.js';
import { endpointParameters } from './endpoint-parameters.js';
import { headerRefs, HEADERS_OF, ONLY_FOR_GET, REQUEST_HEADERS } from './headers.js';
import { problemResponses } from './problems.js';
import { REPRESENTATION_PARAMETERS, responseContent } from './representations.js';
import { refTo, schemaOf } from './schema.js';

export const TAGS = {
  queries: 'Queries',
  catalogue: 'Catalogue',
  health: 'Health',
} as const;

/** The groups of an endpoint's operation. */
export const tagsOf = ({ tags }: Endpoint): readonly string[] => (tags.length > 0 ? tags : [TAGS.queries]);

const rowSchemaName = ({ name }: Endpoint): string => `${pascalName(name)}Row`;

/** The schema of an endpoint's rows, under its name. */
export function rowSchema(endpoint: Endpoint, times: Times): readonly [string, JsonSchema] {
  const columns = [...endpoint.columns].map(([name, column]) => {
    const schema = schemaOf(jsonTypeOf(column), times, `${rowSchemaName(endpoint)}_${name}`);
    return [name, { ...schema, description: meaningOf(endpoint, name, column) }] as const;
  });
  return [
    rowSchemaName(endpoint),
    {
      type: 'object',
      description: `A row of ${endpoint.name}.`,
      required: [...endpoint.columns.keys()].filter((name) => !endpoint.optionalColumns.has(name)),
      properties: Object.fromEntries(columns),
      additionalProperties: false,
    },
  ];
}

/** What a column means, and which parameters must have a value for it. */
export function meaningOf({ optionalColumns }: Endpoint, name: string, { meaning }: Column): string {
  const required = optionalColumns.get(name);
  if (!required) return meaning;
  const condition = `Only with ${required.map((parameter) => `\`${parameter}\``).join(' and ')}.`;
  return meaning === '' ? condition : `${meaning} ${condition}`;
}

/**
 * The call of an endpoint by GET.
 *
 * @param pinned names of the parameters that the reader's key pins.
 */
export function callOperation(endpoint: Endpoint, pinned: ReadonlySet<string>): OperationObject {
  return {
    operationId: camelName(endpoint.name),
    tags: tagsOf(endpoint),
    summary: endpoint.summary,
    description: settingsNote(endpoint),
    parameters: [
      ...endpointParameters(endpoint, pinned),
      ...REPRESENTATION_PARAMETERS,
      ...Object.keys(REQUEST_HEADERS).map((name) => refTo('parameters', name)),
    ],
    responses: {
      200: rowsResponse(endpoint),
      // Without `content`: a part of a JSON document is no JSON, which generated clients and validators would parse.
      206: {
        description: 'The part of the rows that `Range` names, with the media type that the whole has.',
        headers: headerRefs(...HEADERS_OF.part),
      },
      304: {
        description: 'The result is the one that `If-None-Match` names.',
        headers: headerRefs(...HEADERS_OF.rows),
      },
      ...problemResponses('anywhere', 'withKey', 'notFound', 'call', 'range', 'unavailable'),
    },
  };
}

/**
 * The call of an endpoint by POST.
 *
 * @param pinned names of the parameters that the reader's key pins.
 */
export function postOperation(endpoint: Endpoint, pinned: ReadonlySet<string>): OperationObject {
  // Names of endpoints have no underscore, so that the id is unique.
  return {
    operationId: `${camelName(endpoint.name)}_post`,
    tags: tagsOf(endpoint),
    summary: `${endpoint.summary} (POST)`,
    description:
      'The same call with the parameters in the body, where they may be long and are in no log of a proxy. ' +
      settingsNote(endpoint),
    parameters: [
      ...REPRESENTATION_PARAMETERS,
      ...Object.keys(REQUEST_HEADERS)
        .filter((name) => !ONLY_FOR_GET.has(name))
        .map((name) => refTo('parameters', name)),
    ],
    requestBody: endpointBody(endpoint, pinned),
    responses: {
      200: rowsResponse(endpoint),
      ...problemResponses('anywhere', 'withKey', 'notFound', 'call', 'body', 'unavailable'),
    },
  };
}

function rowsResponse(endpoint: Endpoint): ResponseObject {
  return {
    description:
      'The rows. They are complete unless the response has `X-Partial`: a failure after the first row is an error.',
    headers: headerRefs(...HEADERS_OF.file),
    content: responseContent({
      row: rowSchemaName(endpoint),
      maxRows: rowCap(endpoint),
      isOpen: endpoint.settings.sandboxing === 'enabled',
    }),
  };
}

function settingsNote(endpoint: Endpoint): string {
  const { caching, unknownParameters } = endpoint.settings;
  const cached = caching === 'disabled' ? 'not cached' : `cached for ${caching} s`;
  const unknown = unknownParameters === 'reject' ? ' Other parameters are 400.' : '';
  return `At most ${rowCap(endpoint)} rows; ${cached}.${unknown} Also by its id: \`/api/endpoints/query/${endpoint.id}\`.`;
}

/** `GET /api/endpoints` */
export function listOperation(): OperationObject {
  return {
    operationId: 'listEndpoints',
    tags: [TAGS.catalogue],
    summary: 'The endpoints that the key may call',
    parameters: [TAG],
    responses: {
      200: {
        description: 'The endpoints, by name.',
        headers: headerRefs(...HEADERS_OF.withKey),
        content: {
          'application/json': {
            schema: {
              type: 'object',
              required: ['result'],
              properties: { result: { type: 'array', items: refTo('schemas', ENDPOINT) } },
              additionalProperties: false,
            },
          },
        },
      },
      ...problemResponses('anywhere', 'withKey', 'unavailable'),
    },
  };
}

/** `GET /api/endpoints/{idOrName}` */
export function describeOperation(example: string | undefined): OperationObject {
  return {
    operationId: 'describeEndpoint',
    tags: [TAGS.catalogue],
    summary: 'One endpoint: its saved query, parameters, columns and settings',
    parameters: [
      {
        ...ID_OR_NAME,
        schema: { ...ID_OR_NAME.schema, ...(example !== undefined && { examples: [example] }) },
      },
    ],
    responses: {
      200: {
        description: 'The endpoint.',
        headers: headerRefs(...HEADERS_OF.withKey),
        content: { 'application/json': { schema: refTo('schemas', ENDPOINT) } },
      },
      ...problemResponses('anywhere', 'withKey', 'notFound', 'unavailable'),
    },
  };
}

const ENDPOINT = 'Endpoint';

const TAG: ParameterObject = {
  name: 'tag',
  in: 'query',
  description: 'Only the endpoints with this tag; may be given once.',
  schema: { type: 'string' },
};

const ID_OR_NAME: ParameterObject = {
  name: 'idOrName',
  in: 'path',
  required: true,
  description: 'Name or UUID of an endpoint.',
  schema: { type: 'string', minLength: 1 },
};

const READY_WARNINGS = {
  type: 'array',
  items: { type: 'string' },
  description: 'Problems that an operator has to solve while requests succeed: a full disk of ClickHouse.',
} as const;

/** `GET /health/live` and `GET /health/ready`, which need no key. */
export function healthOperation(status: 'live' | 'ready', summary: string): OperationObject {
  return {
    operationId: status === 'live' ? 'isLive' : 'isReady',
    tags: [TAGS.health],
    summary,
    security: [],
    responses: {
      200: {
        description: 'Yes.',
        headers: headerRefs(...HEADERS_OF.any),
        content: {
          'application/json': {
            schema: {
              type: 'object',
              required: ['status'],
              properties: {
                status: { type: 'string', const: status },
                ...(status === 'ready' && { warnings: READY_WARNINGS }),
              },
            },
          },
        },
      },
      ...problemResponses('anywhere', ...(status === 'ready' ? (['unavailable'] as const) : [])),
    },
  };
}
