import type { Cursors, OpenedCursor, PagedCall } from '../../auth/cursors.js';
import type { Principal } from '../../auth/principal.js';
import type { Endpoint } from '../../../endpoint/endpoint.js';
import { DEFAULT_STALE_IF_ERROR_SECONDS } from '../../../endpoint/definition.js';
import { Failure } from '../../errors.js';
import { MAX_CLOCK_SKEW_MS } from '../../query/clock-skew.js';
import type { EndpointQuery } from '../../query/endpoint-query.js';
import type { EndpointResult } from '../../query/endpoint-result.js';
import type { RawParameters } from '../../query/raw-parameters.js';
import { problemOfEncoding } from '../../query/validate-parameters.js';

/** The parameter with the cursor of a page. */
export const CURSOR = 'cursor';

/**
 * Opens the cursor of a call; undefined where it has none.
 *
 * @param nowMs milliseconds since 1970
 * @throws Failure INVALID_CURSOR
 */
export function openCursor(
  cursors: Cursors,
  sent: RawParameters,
  {
    endpoint,
    principal,
    nowMs,
  }: { readonly endpoint: Endpoint; readonly principal: Principal; readonly nowMs: number },
): OpenedCursor | undefined {
  const parameter = sent.get(CURSOR);
  if (!parameter) return undefined;
  if (!endpoint.pages) throw invalidCursor('is not possible: this endpoint has no pages. Omit it');
  const problem = problemOfEncoding(parameter);
  if (problem !== undefined) throw invalidCursor(problem);
  const opened = cursors.open(parameter.text ?? '', { endpoint }, principal, nowMs);
  if ('problem' in opened) throw invalidCursor(opened.problem);
  if (opened.now < oldestTime(endpoint, opened.readAt))
    throw invalidCursor('is of no result of this endpoint');
  return opened;
}

/**
 * When the query of a first page can have begun at the earliest. A caller who computes a cursor of its own, which is possible without
 * `LINK_SECRET`, must not choose the clock: queries filter by it.
 */
function oldestTime({ settings }: Endpoint, readAt: number): number {
  const { caching, staleIfError = DEFAULT_STALE_IF_ERROR_SECONDS } = settings;
  const seconds = caching === 'disabled' ? 0 : caching + staleIfError;
  return readAt - seconds * 1000 - MAX_CLOCK_SKEW_MS;
}

/** @throws Failure INVALID_CURSOR where a cursor belongs to another call, or the call cannot have one */
export function requireSameCall(opened: OpenedCursor, call: PagedCall, sql: string | undefined): void {
  const problem =
    sql === undefined ? opened.problemOf(call) : 'is not possible with sql, whose rows have no pages';
  if (problem !== undefined) throw invalidCursor(problem);
}

/**
 * The cursor of the page after a result; undefined where there is none.
 *
 * @param readAt a time at which the parameters of the first page have the values of the call; milliseconds since 1970
 */
export function nextCursor(
  cursors: Cursors,
  principal: Principal,
  query: EndpointQuery,
  { lastRow: last, createdAt }: EndpointResult,
  readAt: number,
): string | undefined {
  if (!last) return undefined;
  return cursors.seal({ readAt, now: query.page?.now ?? createdAt, last }, query, principal);
}

/** Characters of a `Link`: proxies reject long headers, and `X-Next-Cursor` has what is needed. */
const MAX_LINK = 2048;

/**
 * The headers of a page that has a next one: names and values alternate.
 *
 * @param target of a GET, whose next page `Link` names (RFC 8288); never with the caller's key
 * @param publicUrl `PUBLIC_URL`; without it the link is relative to the host
 */
export function nextPageHeaders(
  cursor: string | undefined,
  target: string | undefined,
  publicUrl = '',
): readonly string[] {
  if (cursor === undefined) return [];
  const headers = ['X-Next-Cursor', cursor];
  const link = target === undefined ? '' : `<${publicUrl}${withCursor(target, cursor)}>; rel="next"`;
  return link === '' || link.length > MAX_LINK ? headers : [...headers, 'Link', link];
}

const DROPPED: ReadonlySet<string> = new Set([CURSOR, 'api_key']);

/** A request target with another cursor, and without a key. */
function withCursor(target: string, cursor: string): string {
  const at = target.indexOf('?');
  const [path, query] = at === -1 ? [target, ''] : [target.slice(0, at), target.slice(at + 1)];
  const others = query.split('&').filter((pair) => pair !== '' && !DROPPED.has(nameIn(pair)));
  // What a URL cannot have, and what would end the link.
  const escaped = [...others, `${CURSOR}=${cursor}`]
    .join('&')
    .replaceAll(/[^!-~]|[<>"]/g, encodeURIComponent);
  return `${path}?${escaped}`;
}

/** A name can be percent-encoded. */
const nameIn = (pair: string): string => [...new URLSearchParams(pair).keys()][0] ?? '';

function invalidCursor(problem: string): Failure {
  return new Failure('INVALID_CURSOR', `Invalid cursor: cursor ${problem}.`, {
    problems: [{ param: CURSOR, problem }],
  });
}
