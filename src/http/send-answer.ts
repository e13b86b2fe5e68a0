import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Answered } from '../execution/call.js';
import type { Endpoint } from '../endpoint/endpoint.js';
import { cacheHeaders, VARY } from './cache-headers.js';
import { chooseEncoding } from './content-encoding.js';
import { entityTag, matchesEntityTag } from './entity-tag.js';

/** An answer that is ready to be sent. */
export interface Sending {
  readonly endpoint: Endpoint;
  readonly answered: Answered;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Headers that the response does not have yet, names and values by turns. */
  readonly headers?: readonly string[];
}

/**
 * Sends an answer: the stored bytes in the encoding that the caller likes best, or 304 where it has them already. All
 * headers go out as one list, which costs Node a third of what setting them one by one does.
 */
export function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  { endpoint, answered, now, headers: before = [] }: Sending,
): void {
  const { answer } = answered;
  const encoding = chooseEncoding(request.headers['accept-encoding'], answer.bodies);
  const tag = entityTag(answer.digest, encoding);
  const headers = [
    ...before,
    ...cacheHeaders(answered, endpoint.settings.caching !== 'disabled', now),
    'ETag',
    tag,
    'Vary',
    // CORS may have set one already.
    response.hasHeader('Vary') ? `${String(response.getHeader('Vary'))}, ${VARY}` : VARY,
    'X-Row-Count',
    String(answer.rowCount),
  ];
  if (answer.truncated) headers.push('X-Truncated', 'true');
  if (matchesEntityTag(request.headers['if-none-match'], tag)) {
    response.writeHead(304, headers).end();
    return;
  }
  const body = answer.bodies[encoding] ?? answer.bodies.identity;
  headers.push('Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(body.length));
  if (encoding !== 'identity') headers.push('Content-Encoding', encoding);
  response.writeHead(200, headers).end(request.method === 'HEAD' ? undefined : body);
}
