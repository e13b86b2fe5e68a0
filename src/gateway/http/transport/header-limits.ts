import type { IncomingMessage } from 'node:http';

/** Most header lines of a request; browsers behind two proxies send about thirty. */
export const MAX_HEADER_LINES = 100;
/** Bytes of all header names and values together, without the request target. */
const MAX_TOTAL_BYTES = 32 * 1024;
/** Bytes of the value of a header that is not listed below, such as a key, a token or a cookie. */
export const MAX_HEADER_VALUE_BYTES = 8192;
/** The smallest limit: a request with fewer bytes of headers in total exceeds no limit. */
const SMALLEST_BYTES = 1024;

/**
 * Bytes of a header's value; several lines with one name count together. The limits of parsed headers are several times
 * their longest sensible value. `X-Request-Id`, `traceparent` and `tracestate` have the default limit: values that are longer
 * than their formats allow are ignored, as W3C Trace Context demands.
 */
const MAX_BYTES_BY_NAME: ReadonlyMap<string, number> = new Map([
  ['accept', SMALLEST_BYTES],
  ['accept-encoding', SMALLEST_BYTES],
  ['cache-control', SMALLEST_BYTES],
  ['host', SMALLEST_BYTES],
  ['if-range', SMALLEST_BYTES],
  ['origin', SMALLEST_BYTES],
  ['prefer', SMALLEST_BYTES],
  ['range', SMALLEST_BYTES],
  // Lists of entity tags: one for each format and encoding of a URL.
  ['if-match', 4096],
  ['if-none-match', 4096],
  // About 90 proxies with IPv6 addresses.
  ['x-forwarded-for', 4096],
]);

/** Not limited here: authentication rejects a key or token that is too long as unknown (401). */
const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'x-api-key']);

type Headers = Pick<IncomingMessage, 'headers' | 'rawHeaders'>;

/** Names the limit that a request's headers exceed; undefined where they exceed none. One addition for each line. */
export function problemOfHeaders({ headers, rawHeaders }: Headers): string | undefined {
  if (rawHeaders.length > 2 * MAX_HEADER_LINES)
    return `The request has more than ${MAX_HEADER_LINES} header lines. Send fewer headers.`;
  let total = 0;
  for (const text of rawHeaders) total += text.length;
  if (total <= SMALLEST_BYTES) return undefined;
  for (const [name, value] of Object.entries(headers)) {
    if (CREDENTIALS.has(name)) {
      total -= lengthOf(value);
      continue;
    }
    const limit = MAX_BYTES_BY_NAME.get(name) ?? MAX_HEADER_VALUE_BYTES;
    if (lengthOf(value) > limit)
      return `The header ${name} has more than ${limit} bytes. Send a shorter value.`;
  }
  return total > MAX_TOTAL_BYTES
    ? `The headers together have more than ${MAX_TOTAL_BYTES} bytes. Send fewer or shorter headers.`
    : undefined;
}

function lengthOf(value: string | readonly string[] | undefined): number {
  if (typeof value === 'string') return value.length;
  return value?.reduce((sum, { length }) => sum + length, 0) ?? 0;
}
