import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Endpoint } from '../endpoint/endpoint.js';
import type { Answered } from '../execution/call.js';
import { cacheHeaders, VARY } from './cache-headers.js';
import { chooseEncoding } from './content-encoding.js';
import { entityTag, matchesEntityTag } from './entity-tag.js';

/**
 * Sends an answer: the stored bytes in the encoding that the caller likes best, or 304 where it has them already.
 *
 * @param now milliseconds since 1970.
 */
export function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  endpoint: Endpoint,
  answered: Answered,
  now: number,
): void {
  const { answer } = answered;
  const encoding = chooseEncoding(request.headers['accept-encoding'], answer.bodies);
  const tag = entityTag(answer.digest, encoding);
  const body = answer.bodies[encoding] ?? answer.bodies.identity;
  const unchanged = matchesEntityTag(request.headers['if-none-match'], tag);
  const headers: Record<string, string | number> = {
    ...cacheHeaders(answered, endpoint.settings.caching !== 'disabled', now),
    ETag: tag,
    // CORS may have set one already.
    Vary: [response.getHeader('Vary'), VARY].filter(Boolean).join(', '),
    'X-Row-Count': answer.rowCount,
  };
  if (answer.truncated) headers['X-Truncated'] = 'true';
  if (unchanged) {
    response.writeHead(304, headers).end();
    return;
  }
  headers['Content-Type'] = 'application/json; charset=utf-8';
  headers['Content-Length'] = body.length;
  if (encoding !== 'identity') headers['Content-Encoding'] = encoding;
  response.writeHead(200, headers).end(request.method === 'HEAD' ? undefined : body);
}
