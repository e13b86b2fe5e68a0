import type { Endpoint } from '../../../../endpoint/endpoint.js';
import type { JsonSchema } from '../../../../endpoint/json-schema.js';
import type { Times } from '../../../formats/format.js';
import { rowSchema } from '../column-schema.js';
import { ENDPOINT_SCHEMA } from '../endpoint-resource.js';
import type { OpenApiDocument, PathItemObject } from './document.js';
import { headerComponents, REQUEST_HEADERS } from './headers.js';
import {
  callOperations,
  describeOperation,
  healthOperation,
  listOperation,
  TAGS,
  tagsOf,
} from './operations.js';
import { enumSchemas } from './endpoint-parameters.js';
import { problemComponents } from './problems.js';
import { REPRESENTATION_SCHEMAS, rowSchemaName } from './representations.js';

/** The input of the document. */
export interface OpenApiInput {
  /** The endpoints that the reader may call. */
  readonly endpoints: readonly Endpoint[];
  /** Version of the gateway. */
  readonly version: string;
  /** How the gateway writes times where a request does not choose; absent: ISO 8601. */
  readonly times?: Times | undefined;
  /** Names of the parameters that the reader's key pins; they are not required. */
  readonly pinned?: ReadonlySet<string>;
  /** Base URL of the gateway; by default, that of the document's URL. */
  readonly serverUrl?: string | undefined;
}

/** Describes the gateway in OpenAPI 3.1, for one reader. */
export function openApiDocument(input: OpenApiInput): OpenApiDocument {
  const { endpoints, version, serverUrl = '/' } = input;
  return {
    openapi: '3.1.0',
    info: {
      title: 'Querygate',
      version,
      summary: 'Saved, read-only analytical queries on ClickHouse.',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl, description: 'This gateway.' }],
    security: [{ apiKey: [] }, { bearer: [] }],
    tags: tagsOfDocument(endpoints),
    paths: pathsOf(endpoints, input.pinned ?? new Set()),
    components: componentsOf(endpoints, input.times ?? 'iso'),
  };
}

const DESCRIPTION = `Each endpoint has a name, takes parameters in the query string or in a JSON body, and returns rows.

**Authentication.** Send your key in the header \`X-API-KEY\`, or a key or token as \`Authorization: Bearer …\`. This
document lists only the endpoints that the key of its request may call.

**Requests.** \`GET\`, or \`HEAD\` for the headers alone; calls of an endpoint also \`POST\`. Any other method has status
405. Parameters that an endpoint does not declare are ignored. Times are ISO 8601, and UTC where they name no zone.

**Responses.** Status 200 means complete. \`X-Truncated: true\` means that more rows exist than the row cap allows; with
\`complete=1\` in the query string that is an error. Errors
are problem documents (RFC 9457) with a stable \`code\`; 429 and 503 name in \`Retry-After\` when to try again.`;

function tagsOfDocument(endpoints: readonly Endpoint[]): OpenApiDocument['tags'] {
  const used = new Set(endpoints.flatMap(tagsOf));
  const hasUntagged = used.delete(TAGS.queries);
  return [
    ...[...used].sort().map((tag) => ({ name: tag, description: `The saved queries with the tag ${tag}.` })),
    ...(hasUntagged ? [{ name: TAGS.queries, description: 'The saved queries without a tag.' }] : []),
    { name: TAGS.catalogue, description: 'The endpoints.' },
    { name: TAGS.health, description: 'For load balancers; without a key.' },
  ];
}

function pathsOf(
  endpoints: readonly Endpoint[],
  pinned: ReadonlySet<string>,
): Readonly<Record<string, PathItemObject>> {
  const calls = endpoints.map((endpoint) => [
    `/api/endpoints/query/${endpoint.name}`,
    callOperations(endpoint, pinned),
  ]);
  return {
    ...(Object.fromEntries(calls) as Readonly<Record<string, PathItemObject>>),
    '/api/endpoints': { get: listOperation() },
    '/api/endpoints/{idOrName}': { get: describeOperation(endpoints[0]?.name) },
    '/health/live': { get: healthOperation('live', 'Whether the process responds') },
    '/health/ready': { get: healthOperation('ready', 'Whether the gateway can run queries') },
  };
}

function componentsOf(endpoints: readonly Endpoint[], times: Times): OpenApiDocument['components'] {
  const problems = problemComponents(endpoints);
  const rows = endpoints.filter(({ settings }) => settings.sandboxing === 'disabled');
  return {
    securitySchemes: {
      apiKey: { type: 'apiKey', in: 'header', name: 'X-API-KEY', description: 'A key.' },
      bearer: {
        type: 'http',
        scheme: 'bearer',
        description: 'A key, or a token of a trusted issuer.',
      },
    },
    parameters: REQUEST_HEADERS,
    headers: headerComponents(endpoints),
    responses: problems.responses,
    schemas: {
      Endpoint: ENDPOINT_SCHEMA,
      ...problems.schemas,
      ...(endpoints.length > 0 && REPRESENTATION_SCHEMAS),
      ...Object.fromEntries(endpoints.flatMap(enumSchemas)),
      ...Object.fromEntries(rows.map((endpoint) => namedRowSchema(endpoint, times))),
    },
  };
}

function namedRowSchema(endpoint: Endpoint, times: Times): readonly [string, JsonSchema] {
  const name = rowSchemaName(endpoint);
  const schema = rowSchema(endpoint, (column) => ({ times, title: `${name}_${column}` }));
  return [name, { ...schema, description: `A row of ${endpoint.name}.` }];
}
