import type { Endpoint } from '../../endpoint/endpoint.js';
import type { OpenApiDocument, PathItemObject } from './document.js';
import { ENDPOINT_SCHEMA } from './endpoint-schema.js';
import { REQUEST_HEADERS, RESPONSE_HEADERS } from './headers.js';
import {
  callOperation,
  describeOperation,
  healthOperation,
  listOperation,
  rowSchema,
  TAGS,
  type CallOptions,
} from './operations.js';
import { problemComponents } from './problems.js';
import { JSON_ALONE, type RepresentationFacts } from './representations.js';
import type { Times } from './schema.js';

/** What the document is made of. */
export interface OpenApiInput {
  /** Those that the reader may call. */
  readonly endpoints: readonly Endpoint[];
  /** Of the gateway. */
  readonly version: string;
  /** The ways in which rows can be had; JSON alone where absent. */
  readonly representations?: readonly RepresentationFacts[];
  /** How times are written in JSON where the request does not say; ISO 8601 where absent. */
  readonly times?: Times | undefined;
  /** Names of the parameters that the reader's key supplies; they are not required. */
  readonly pinned?: ReadonlySet<string>;
  /** Where the gateway is; by default where the document came from. */
  readonly serverUrl?: string;
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
    tags: [
      { name: TAGS.queries, description: 'The saved queries.' },
      { name: TAGS.catalogue, description: 'What there is.' },
      { name: TAGS.health, description: 'For load balancers; without a key.' },
    ],
    paths: pathsOf(endpoints, {
      representations: input.representations ?? JSON_ALONE,
      pinned: input.pinned ?? new Set(),
    }),
    components: componentsOf(endpoints, input.times ?? 'iso'),
  };
}

const DESCRIPTION = `Each query has a name, parameters in the query string, and rows as its answer.

**Authentication.** Send your key in the header \`X-API-KEY\`, or a key or token as \`Authorization: Bearer …\`. This
document shows what the key it was asked with may call, and no more.

**Requests.** \`GET\`, or \`HEAD\` for the headers alone; any other method is 405. Values are texts; parameters that an
endpoint does not declare are ignored. Times are ISO 8601, UTC where they name no zone.

**Answers.** 200 means complete. \`X-Truncated: true\` says that more rows exist than the cap lets through. Errors are
problem documents (RFC 9457) whose \`code\` is stable; 429 and 503 say in \`Retry-After\` when to come again.`;

function pathsOf(
  endpoints: readonly Endpoint[],
  dependencies: CallOptions,
): Readonly<Record<string, PathItemObject>> {
  const calls = endpoints.map((endpoint) => [
    `/api/endpoints/query/${endpoint.name}`,
    { get: callOperation(endpoint, dependencies) },
  ]);
  return {
    ...(Object.fromEntries(calls) as Readonly<Record<string, PathItemObject>>),
    '/api/endpoints': { get: listOperation() },
    '/api/endpoints/{idOrName}': { get: describeOperation() },
    '/health/live': { get: healthOperation('live', 'Whether the process answers') },
    '/health/ready': { get: healthOperation('ready', 'Whether requests can be answered') },
  };
}

function componentsOf(endpoints: readonly Endpoint[], times: Times): OpenApiDocument['components'] {
  const problems = problemComponents();
  const rows = endpoints.filter(({ settings }) => settings.sandboxing === 'disabled');
  return {
    securitySchemes: {
      apiKey: { type: 'apiKey', in: 'header', name: 'X-API-KEY', description: 'A key.' },
      bearer: {
        type: 'http',
        scheme: 'bearer',
        description: 'A key, or a token of an issuer that is trusted.',
      },
    },
    parameters: REQUEST_HEADERS,
    headers: RESPONSE_HEADERS,
    responses: problems.responses,
    schemas: {
      Endpoint: ENDPOINT_SCHEMA,
      ...problems.schemas,
      ...Object.fromEntries(rows.map((endpoint) => rowSchema(endpoint, times))),
    },
  };
}
