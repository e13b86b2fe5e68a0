import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Endpoint } from '../endpoint/endpoint.js';
import { FORMAT_FACTS, JSON_REPRESENTATION, type Representation } from '../formats/representation.js';
import type { CallOutcome } from '../query/call.js';
import type { Encoding } from '../query/endpoint-result.js';
import { cacheHeaders, VARY } from './cache-headers.js';
import { chooseEncoding } from './content-encoding.js';
import { entityTag, matchesEntityTag } from './entity-tag.js';
import type { RequestContext } from './request-context.js';

/** Milliseconds without a byte read, after which a caller is hung up on. */
const SLOW_READER_MS = 60_000;

/** An answer that is ready to be sent. */
export interface Sending {
  readonly endpoint: Endpoint;
  readonly outcome: CallOutcome;
  /** For the timings that the answer tells. */
  readonly context: RequestContext;
  /** That of the question; JSON where it is absent. */
  readonly representation?: Representation | undefined;
  /** Whether the answer is to be kept as a file. */
  readonly download?: boolean | undefined;
  /** Whether the caller must not learn what the query cost, because the query is its own SQL. */
  readonly hidesCost?: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Headers that the response does not have yet, names and values by turns. */
  readonly headers?: readonly string[];
}

/**
 * Sends an answer: the stored bytes in the encoding that the caller likes best, or 304 where it has them already. All
 * headers go out as one list, which costs Node a third of what setting them one by one does.
 */
export function sendResult(request: IncomingMessage, response: ServerResponse, sending: Sending): void {
  const { endpoint, outcome, now, headers: before = [] } = sending;
  const { result } = outcome;
  const encoding = chooseEncoding(request.headers['accept-encoding'], result.bodies);
  const tag = entityTag(result.digest, encoding);
  const headers = [
    ...before,
    ...cacheHeaders(outcome, endpoint.settings.caching, now),
    'ETag',
    tag,
    'Vary',
    // CORS may have set one already.
    response.hasHeader('Vary') ? `${String(response.getHeader('Vary'))}, ${VARY}` : VARY,
    'X-Row-Count',
    String(result.rowCount),
    'Server-Timing',
    serverTiming(sending),
  ];
  if (result.truncated) headers.push('X-Truncated', 'true');
  if (result.partial) headers.push('X-Partial', 'true');
  // That the bytes are the same does not make a partial answer of the one that the caller has, or the reverse.
  if (!result.partial && matchesEntityTag(request.headers['if-none-match'], tag)) {
    response.writeHead(304, headers).end();
    return;
  }
  const body = result.bodies[encoding] ?? result.bodies.identity;
  headers.push(...contentHeaders(sending, body, encoding));
  response.writeHead(200, headers).end(request.method === 'HEAD' ? undefined : body);
  // A caller that does not read would keep the bytes for ever; Node sets the time anew as they go out.
  if (response.writableLength > 0) request.socket.setTimeout(SLOW_READER_MS);
}

function contentHeaders(
  { endpoint, outcome, representation = JSON_REPRESENTATION, download = false }: Sending,
  body: Buffer,
  encoding: Encoding,
): readonly string[] {
  const { contentType, extension } = FORMAT_FACTS[representation.format];
  const headers = ['Content-Type', contentType, 'Content-Length', String(body.length)];
  if (encoding !== 'identity') headers.push('Content-Encoding', encoding);
  if (download) {
    headers.push('Content-Disposition', `attachment; filename="${fileName(endpoint, outcome, extension)}"`);
  }
  return headers;
}

/** Milliseconds in all and, where the request caused a query that is not the caller's own SQL, of its stages (W3C Server Timing). */
function serverTiming({ context: { startedAt, clickhouseMs, cost }, hidesCost }: Sending): string {
  const total = `total;dur=${(performance.now() - startedAt).toFixed(2)}`;
  if (clickhouseMs === undefined || hidesCost) return total;
  const waiting = (cost?.waitingMs ?? 0).toFixed(2);
  return `${total}, queue;dur=${waiting}, clickhouse;dur=${clickhouseMs.toFixed(2)}`;
}

/** Of what, as of when (UTC): `usage.api-counts-20260517T100503Z.csv`. */
function fileName({ name }: Endpoint, { result }: CallOutcome, extension: string): string {
  const time = new Date(result.createdAt).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  return `${name}-${time}.${extension}`;
}
