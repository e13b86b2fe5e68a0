import type { Endpoint } from '../../../endpoint/endpoint.js';
import type { Endpoints } from '../../../endpoint/registry.js';
import { Failure } from '../../errors.js';
import { resourceOf } from '../describe/endpoint-resource.js';
import { findVisible, pageOf } from './catalogue.js';
import type { McpCaller } from './mcp-caller.js';
import { ProtocolError } from './protocol-error.js';

const SCHEME = 'querygate://endpoints/';
const MEDIA_TYPE = 'application/json';
const PAGE_SIZE = 200;

/** An entry of `resources/list`. */
export interface ListedResource {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly mimeType: string;
}

/** `resources/list`: a resource for each endpoint that the caller may call. */
export function listResources(
  endpoints: Endpoints,
  caller: McpCaller,
  cursor: string | undefined,
): { readonly resources: readonly ListedResource[]; readonly nextCursor?: string } {
  const { endpoints: page, ...next } = pageOf(endpoints, caller, cursor, PAGE_SIZE);
  return { resources: page.map(entryOf), ...next };
}

function entryOf({ name, summary }: Endpoint): ListedResource {
  return { uri: `${SCHEME}${name}`, name, description: summary, mimeType: MEDIA_TYPE };
}

/** `resources/templates/list` */
export function listResourceTemplates(): {
  readonly resourceTemplates: readonly Readonly<Record<string, string>>[];
} {
  return {
    resourceTemplates: [
      {
        uriTemplate: `${SCHEME}{name}`,
        name: 'endpoint',
        description:
          'An endpoint: its saved query, parameters with their choices, columns, caching and warming.',
        mimeType: MEDIA_TYPE,
      },
    ],
  };
}

/**
 * `resources/read`: an endpoint in the form of `GET /api/endpoints/NAME`, without the values of pinned parameters.
 *
 * @throws ProtocolError where the resource does not exist or the caller may not read it.
 */
export function readResource(
  endpoints: Endpoints,
  { principal, context }: McpCaller,
  uri: string,
): {
  readonly contents: readonly { readonly uri: string; readonly mimeType: string; readonly text: string }[];
} {
  const name = uri.startsWith(SCHEME) ? uri.slice(SCHEME.length) : '';
  const endpoint = findVisible(endpoints, principal, name);
  if (!endpoint) {
    throw new ProtocolError(
      new Failure(
        'ENDPOINT_NOT_FOUND',
        `No resource that this key may read has this URI. resources/list has the URIs, such as ${SCHEME}NAME.`,
      ),
      // Clients recognize this error among others with the same code by `uri`.
      { uri },
    );
  }
  context.endpoint = endpoint.name;
  // An agent may pass on what it reads: so it gets the names of pinned parameters, but not their values.
  const text = JSON.stringify(resourceOf(endpoint, principal, new Map()), undefined, 1);
  return { contents: [{ uri, mimeType: MEDIA_TYPE, text }] };
}
