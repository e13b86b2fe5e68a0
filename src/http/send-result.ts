import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Endpoint } from '../endpoint/endpoint.js';
import { FORMATS } from '../formats/formats.js';
import { JSON_REPRESENTATION, type Representation } from '../formats/representation.js';
import type { CallOutcome } from '../query/call.js';
import type { Encoding } from '../query/endpoint-result.js';
import { cacheHeaders, VARY } from './cache-headers.js';
import { chooseEncoding } from './content-encoding.js';
import { entityTag, matchesEntityTag } from './entity-tag.js';
import type { RequestContext } from './request-context.js';

/** Milliseconds after which the gateway closes the connection of a client that reads nothing. */
const SLOW_READER_MS = 60_000;

/** A result to send. */
export interface Sending {
  readonly endpoint: Endpoint;
  readonly outcome: CallOutcome;
  /** For `Server-Timing`. */
  readonly context: RequestContext;
  /** JSON where it is absent. */
  readonly representation?: Representation | undefined;
  /** Whether browsers save the response as a file. */
  readonly download?: boolean | undefined;
  /** Whether the caller must not learn what the query cost, because the query is its own SQL. */
  readonly hidesCost?: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Headers that come first: names and values alternate. Those that were set on the response before come in any case. */
  readonly before?: readonly string[];
  /** What else of the request decided the headers. */
  readonly vary?: string | undefined;
}

/**
 * Sends a result: the cached bytes in the encoding that the client prefers, or 304 where the client has them. Node takes a
 * third of the time for one list of all headers as for setting them one by one.
 */
export function sendResult(request: IncomingMessage, response: ServerResponse, sending: Sending): void {
  const { endpoint, outcome, now, before = [] } = sending;
  const { result } = outcome;
  const encoding = chooseEncoding(request.headers['accept-encoding'], result.bodies);
  const tag = entityTag(result.digest, encoding);
  const headers = [
    ...before,
    ...cacheHeaders(outcome, endpoint.settings.caching, now),
    'ETag',
    tag,
    'Vary',
    varyOf(sending.vary ?? response.getHeader('Vary')),
    'X-Row-Count',
    String(result.rowCount),
    'Server-Timing',
    serverTiming(sending),
  ];
  if (result.truncated) headers.push('X-Truncated', 'true');
  if (result.partial) headers.push('X-Partial', 'true');
  // Equal bytes do not make a complete result of a partial one, so a partial result is never a 304. Nor is the response to a POST.
  if (
    !result.partial &&
    request.method !== 'POST' &&
    matchesEntityTag(request.headers['if-none-match'], tag)
  ) {
    response.writeHead(304, headers).end();
    return;
  }
  const body = result.bodies[encoding] ?? result.bodies.identity;
  headers.push(...contentHeaders(sending, body, encoding));
  response.writeHead(200, headers).end(request.method === 'HEAD' ? undefined : body);
  // A client that does not read would keep the bytes in memory for ever. Node restarts the timeout with each write.
  if (response.writableLength > 0) request.socket.setTimeout(SLOW_READER_MS);
}

/** @param before what CORS set, if anything. */
function varyOf(before: number | string | readonly string[] | undefined): string {
  return before === undefined ? VARY : `${String(before)}, ${VARY}`;
}

function contentHeaders(
  { endpoint, outcome, representation = JSON_REPRESENTATION, download = false }: Sending,
  body: Buffer,
  encoding: Encoding,
): readonly string[] {
  const { contentType, extension } = FORMATS[representation.format];
  const headers = ['Content-Type', contentType, 'Content-Length', String(body.length)];
  if (encoding !== 'identity') headers.push('Content-Encoding', encoding);
  if (download) {
    headers.push('Content-Disposition', `attachment; filename="${fileName(endpoint, outcome, extension)}"`);
  }
  return headers;
}

/** W3C Server Timing: the total and, where the request caused a query other than the caller's own SQL, its stages; milliseconds. */
function serverTiming({ context: { startedAt, clickhouseMs, cost }, hidesCost }: Sending): string {
  const total = `total;dur=${(performance.now() - startedAt).toFixed(2)}`;
  if (clickhouseMs === undefined || hidesCost) return total;
  const waiting = (cost?.waitingMs ?? 0).toFixed(2);
  return `${total}, queue;dur=${waiting}, clickhouse;dur=${clickhouseMs.toFixed(2)}`;
}

/** Name of the endpoint and creation time of the result in UTC: `orders.by-day-20260517T100503Z.csv`. */
function fileName({ name }: Endpoint, { result }: CallOutcome, extension: string): string {
  const time = new Date(result.createdAt).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  return `${name}-${time}.${extension}`;
}
