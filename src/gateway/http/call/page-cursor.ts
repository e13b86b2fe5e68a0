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
import { withoutKey } from './target-without-key.js';

/** Name of the parameter with the cursor of a page. */
export const CURSOR = 'cursor';

/**
 * Opens the cursor of a call; undefined where the call has no cursor.
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
  if (!isPossible(opened, endpoint, nowMs)) throw invalidCursor('is of no result of this endpoint');
  return opened;
}

/**
 * Whether a result can have this cursor. Without `LINK_SECRET` a caller can compute a cursor, but must not choose its clock, because
 * queries filter by it.
 */
function isPossible({ readAt, now }: OpenedCursor, endpoint: Endpoint, nowMs: number): boolean {
  const latest = nowMs + MAX_CLOCK_SKEW_MS;
  return readAt <= latest && now <= latest && now >= oldestTime(endpoint, readAt);
}

const DAY_SECONDS = 86_400;

/** The earliest time at which the query of a first page can have begun. A cached result can be older than the settings now allow. */
function oldestTime({ settings }: Endpoint, readAt: number): number {
  const { caching, untilChanged, staleIfError = DEFAULT_STALE_IF_ERROR_SECONDS } = settings;
  const longest = untilChanged?.atMost ?? 0;
  const seconds = caching === 'disabled' ? 0 : Math.max(caching + staleIfError, longest, DAY_SECONDS);
  return readAt - seconds * 1000 - MAX_CLOCK_SKEW_MS;
}

/** @throws Failure INVALID_CURSOR where the cursor belongs to another call, or the call has no pages */
export function requireSameCall(
  opened: OpenedCursor,
  call: PagedCall & Pick<EndpointQuery, 'endpoint'>,
  sql: string | undefined,
): void {
  const columns = call.endpoint.pages?.order.length;
  const problem =
    sql === undefined ? opened.problemOf(call) : 'is not possible with sql, whose rows have no pages';
  if (problem !== undefined) throw invalidCursor(problem);
  if (opened.last.length !== columns) throw invalidCursor('is of other columns');
}

/** The cursor of a result, which further hits of the same call reuse. */
interface MadeCursor {
  readonly cursor: string;
  readonly principal: Principal;
  readonly result: Pick<EndpointResult, 'createdAt' | 'digest'>;
  readonly readAt: number;
}

const made = new WeakMap<EndpointQuery, MadeCursor>();

/** Milliseconds for which a cursor is reused: its five HMACs take a fifth of the time of a hit. */
const MADE_ONCE_MS = 60_000;

/**
 * The cursor of the page after a result; undefined on the last page.
 *
 * @param readAt a time at which the parameters of the first page have the values of the call; milliseconds since 1970
 */
export function nextCursor(
  cursors: Cursors,
  principal: Principal,
  query: EndpointQuery,
  { lastRow: last, createdAt, digest, partial }: EndpointResult,
  readAt: number,
): string | undefined {
  // Rows of an unreachable shard that sort before the cursor would be on no page.
  if (!last || partial) return undefined;
  const known = made.get(query);
  const isKnown =
    known?.principal === principal &&
    known.result.createdAt === createdAt &&
    known.result.digest === digest &&
    readAt - known.readAt < MADE_ONCE_MS;
  if (known && isKnown) return known.cursor;
  const cursor = cursors.seal({ readAt, now: query.page?.now ?? createdAt, last }, query, principal);
  made.set(query, { cursor, principal, result: { createdAt, digest }, readAt });
  return cursor;
}

/** Maximum characters of a `Link` header, because proxies reject long headers. `X-Next-Cursor` has the cursor in any case. */
const MAX_LINK = 2048;

/**
 * The headers of a page that has a next one, as a list in which names and values alternate.
 *
 * @param target target of a GET, from which `Link` (RFC 8288) gets the URL of the next page, without the caller's key
 * @param publicUrl `PUBLIC_URL`; without it, the link is relative to the host
 */
export function nextPageHeaders(
  cursor: string,
  target: string | undefined,
  publicUrl = '',
): readonly string[] {
  const headers = ['X-Next-Cursor', cursor];
  const link = target === undefined ? '' : `<${publicUrl}${withCursor(target, cursor)}>; rel="next"`;
  return link === '' || link.length > MAX_LINK ? headers : [...headers, 'Link', link];
}

/** A request target with this cursor, and without a key. */
const withCursor = (target: string, cursor: string): string =>
  withoutKey(target, CURSOR, `${CURSOR}=${cursor}`);

function invalidCursor(problem: string): Failure {
  return new Failure('INVALID_CURSOR', `Invalid cursor: cursor ${problem}.`, {
    problems: [{ param: CURSOR, problem }],
  });
}
