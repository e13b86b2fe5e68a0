import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';

import type { Endpoint } from '../../../endpoint/endpoint.js';
import { FORMATS } from '../../formats/formats.js';
import type { CallOutcome } from '../../query/call.js';
import type { Compressed, Encoding } from '../../query/endpoint-result.js';
import { compressedStream } from '../../query/encode-bodies.js';
import { readerOf } from '../../query/endpoint-query.js';
import type { ReadCall } from '../call/read-call.js';
import type { ByteRange } from './byte-range.js';
import { cacheHeaders, VARY } from './cache-headers.js';
import type { RequestContext } from '../transport/request-context.js';
import { closeWhereUnread } from '../transport/slow-reader.js';
import { selectContent, type SelectedContent } from './select-content.js';

/** A result to send. */
export interface Sending {
  readonly call: ReadCall;
  readonly outcome: CallOutcome;
  /** For `Server-Timing`. */
  readonly context: RequestContext;
  /** Bytes of a result up to which every gateway finds it in the cache. */
  readonly maxRangedBytes: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  /**
   * Headers that come first: names and values alternate. The others are appended to the list, which must be of this response
   * alone. Headers that were set on the response before come in any case.
   */
  readonly headers?: string[];
  /** What else of the request decided the headers. */
  readonly vary?: string | undefined;
}

/**
 * Sends a result: its bytes in the encoding that the client prefers, a part of them, or 304 where the client has them. Node
 * takes a third of the time for one list of all headers as for setting them one by one.
 *
 * @throws Failure PRECONDITION_FAILED or RANGE_NOT_SATISFIABLE; never for a request without `If-Match` and `Range`
 */
export function sendResult(request: IncomingMessage, response: ServerResponse, sending: Sending): void {
  const { call, outcome, now, headers = [], maxRangedBytes } = sending;
  const { endpoint } = call.query;
  const { result } = outcome;
  const selected = selectContent(request, { endpoint, result, maxRangedBytes });
  headers.push(...cacheHeaders(outcome, endpoint.settings.caching, now, readerOf(call.query)));
  headers.push(
    'ETag',
    selected.tag,
    'Vary',
    varyOf(sending.vary ?? response.getHeader('Vary')),
    'Accept-Ranges',
    selected.takesRanges ? 'bytes' : 'none',
    'X-Row-Count',
    String(result.rowCount),
    'Server-Timing',
    serverTiming(sending),
  );
  if (result.truncated) headers.push('X-Truncated', 'true');
  if (result.partial) headers.push('X-Partial', 'true');
  if (selected.isUnchanged) {
    response.writeHead(304, headers).end();
    return;
  }
  headers.push(...contentHeaders(sending, selected.encoding));
  sendBody(request, response, sending, { selected, headers });
}

/** The content to send, and all headers but those of its length. */
interface SelectedBody {
  readonly selected: SelectedContent;
  readonly headers: string[];
}

function sendBody(
  request: IncomingMessage,
  response: ServerResponse,
  sending: Sending,
  { selected: { encoding, range }, headers }: SelectedBody,
): void {
  const { identity, [encoding]: body } = sending.outcome.result.bodies;
  const isStreamed = encoding !== 'identity' && body === undefined;
  if (isStreamed) sendEncoded(request, response, sending, { headers, encoding });
  else if (range) sendPart(response, identity, range, headers);
  else {
    headers.push('Content-Length', String((body ?? identity).length));
    response.writeHead(200, headers).end(request.method === 'HEAD' ? undefined : (body ?? identity));
  }
  if (isStreamed || response.writableLength > 0) closeWhereUnread(response);
}

function sendPart(
  response: ServerResponse,
  body: Buffer,
  { first, last }: ByteRange,
  headers: string[],
): void {
  const part = body.subarray(first, last + 1);
  headers.push(
    'Content-Range',
    `bytes ${first}-${last}/${body.length}`,
    'Content-Length',
    String(part.length),
  );
  response.writeHead(206, headers).end(part);
}

/** Compresses the body while it is sent, at the pace of the client. A failure breaks off the response, which shows it. */
function sendEncoded(
  { method }: IncomingMessage,
  response: ServerResponse,
  { outcome, context }: Sending,
  { headers, encoding }: { readonly headers: string[]; readonly encoding: Compressed },
): void {
  if (method === 'HEAD') {
    response.writeHead(200, headers).end();
    return;
  }
  const compressed = compressedStream(outcome.result.bodies.identity, encoding);
  response.writeHead(200, headers);
  compressed.once('error', (error: NodeJS.ErrnoException) => {
    // The pipeline reports a client that disconnects to both streams; the log has its own status for that.
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') context.failure = error;
  });
  pipeline(compressed, response, () => undefined);
}

/** @param before what CORS set, if anything. */
export function varyOf(before: number | string | readonly string[] | undefined): string {
  return before === undefined ? VARY : `${String(before)}, ${VARY}`;
}

function contentHeaders({ call, outcome }: Sending, encoding: Encoding): readonly string[] {
  const { representation, download } = call.presentation;
  const { contentType, extension } = FORMATS[representation.format];
  const headers = ['Content-Type', contentType];
  if (encoding !== 'identity') headers.push('Content-Encoding', encoding);
  if (download) {
    headers.push(
      'Content-Disposition',
      `attachment; filename="${fileName(call.query.endpoint, outcome.result.createdAt, extension)}"`,
    );
  }
  return headers;
}

/** W3C Server Timing: the total and, where the request caused a query whose cost the caller may read, its stages; milliseconds. */
function serverTiming({ context: { startedAt, outcome }, call }: Sending): string {
  const caused = outcome?.caused;
  const total = `total;dur=${(performance.now() - startedAt).toFixed(2)}`;
  const cost = caused?.cost.readBy(readerOf(call.query));
  if (!caused || !cost) return total;
  return `${total}, queue;dur=${caused.waitingMs.toFixed(2)}, clickhouse;dur=${cost.clickhouseMs.toFixed(2)}`;
}

/** Name of the endpoint and creation time of the result in UTC: `orders.by-day-20260517T100503Z.csv`. */
export function fileName({ name }: Endpoint, createdAt: number, extension: string): string {
  const time = new Date(createdAt).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  return `${name}-${time}.${extension}`;
}
