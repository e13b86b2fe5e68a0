import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';

import { Failure } from '../errors.js';
import { problemOfTarget } from './request-target.js';

/** A request with more header lines is refused; browsers behind two proxies send about thirty. */
export const MAX_HEADER_LINES = 100;
/** Bytes of all header names and values together, the request target aside. */
const MAX_TOTAL_BYTES = 32 * 1024;
/**
 * Bytes of the value of a header that is not named below: of a key or token, or of a cookie, for example, which the
 * gateway does not read.
 */
export const MAX_HEADER_VALUE_BYTES = 8192;
/** The smallest limit of all: a request that has fewer bytes of headers in all exceeds none. */
const SMALLEST_BYTES = 1024;

/**
 * Bytes of a header's value; several lines with one name count together. Those that are parsed get what their longest
 * sensible value needs several times over. `X-Request-Id`, `traceparent` and `tracestate` have the limit of any header: a
 * value that is longer than their formats allow is ignored, as W3C Trace Context demands.
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
  // Lists of entity tags, of every format and encoding of a URL.
  ['if-match', 4096],
  ['if-none-match', 4096],
  // About 90 proxies with IPv6 addresses.
  ['x-forwarded-for', 4096],
]);

/** Not limited here: a key or token that is too long is an unknown one (401), which is decided by its length alone. */
const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'x-api-key']);

type Headers = Pick<IncomingMessage, 'headers' | 'rawHeaders'>;

/** What is too large about a request's headers; undefined where nothing is. Nearly every request costs one addition a line. */
export function problemOfHeaders({ headers, rawHeaders }: Headers): string | undefined {
  if (rawHeaders.length > 2 * MAX_HEADER_LINES)
    return `The request has more than ${MAX_HEADER_LINES} header lines.`;
  let total = 0;
  for (const text of rawHeaders) total += text.length;
  if (total <= SMALLEST_BYTES) return undefined;
  for (const [name, value] of Object.entries(headers)) {
    if (CREDENTIALS.has(name)) {
      total -= lengthOf(value);
      continue;
    }
    const limit = MAX_BYTES_BY_NAME.get(name) ?? MAX_HEADER_VALUE_BYTES;
    if (lengthOf(value) > limit) return `The header ${name} is over ${limit} bytes.`;
  }
  return total > MAX_TOTAL_BYTES ? `The headers together are over ${MAX_TOTAL_BYTES} bytes.` : undefined;
}

/** Refuses a request whose URL or headers are too large before anything parses them, and closes its connection. */
export function limitHeaders(): RequestHandler {
  return (request, response, next) => {
    const problem = problemOfTarget(request.originalUrl) ?? problemOfHeaders(request);
    if (problem !== undefined) {
      response.set('Connection', 'close');
      throw new Failure('HEADERS_TOO_LARGE', problem);
    }
    next();
  };
}

function lengthOf(value: string | readonly string[] | undefined): number {
  if (typeof value === 'string') return value.length;
  return value?.reduce((sum, { length }) => sum + length, 0) ?? 0;
}
