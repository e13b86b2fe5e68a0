import { mayCallWithPins } from '../../auth/pinned-parameters.js';
import type { Principal } from '../../auth/principal.js';
import type { Endpoint } from '../../../endpoint/endpoint.js';
import type { Endpoints } from '../../../endpoint/registry.js';
import { Failure } from '../../errors.js';
import type { McpCaller } from './mcp-caller.js';
import { ProtocolError } from './protocol-error.js';

/** A part of a list, and the cursor of the next part; absent in the last part. */
export interface ListPage {
  readonly endpoints: readonly Endpoint[];
  readonly nextCursor?: string;
}

/**
 * One page of the endpoints that a caller may call and that have one of its tags. A cursor names the last endpoint before the
 * page, so that a reload between two pages neither repeats nor omits an endpoint that exists before and after it.
 *
 * @throws ProtocolError where the cursor is invalid.
 */
export function pageOf(
  endpoints: Endpoints,
  { principal, tags }: Pick<McpCaller, 'principal' | 'tags'>,
  cursor: string | undefined,
  size: number,
): ListPage {
  const after = cursor === undefined ? '' : nameIn(cursor);
  const rest = endpoints
    .all()
    .filter(
      (endpoint) =>
        endpoint.name > after &&
        (!tags || endpoint.tags.some((tag) => tags.has(tag))) &&
        mayCallWithPins(principal, endpoint),
    );
  const page = rest.slice(0, size);
  const last = page.at(-1);
  return { endpoints: page, ...(rest.length > size && last && { nextCursor: cursorAfter(last) }) };
}

const cursorAfter = ({ name }: Endpoint): string => Buffer.from(name).toString('base64url');

function nameIn(cursor: string): string {
  const name = Buffer.from(cursor, 'base64url').toString();
  if (name !== '' && Buffer.from(name).toString('base64url') === cursor) return name;
  throw new ProtocolError(
    new Failure('BAD_REQUEST', 'The cursor is invalid. Send nextCursor of the page before.'),
  );
}

/** The endpoint with a name, or undefined where the caller may not call it. */
export function findVisible(
  endpoints: Endpoints,
  principal: Principal,
  idOrName: string,
): Endpoint | undefined {
  const endpoint = endpoints.find(idOrName);
  return endpoint && mayCallWithPins(principal, endpoint) ? endpoint : undefined;
}
