import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';

import type { Reader } from '../../../endpoint/figures.js';
import type { Endpoint } from '../../../endpoint/endpoint.js';
import { FORMATS } from '../../formats/formats.js';
import type { CallOutcome } from '../../query/call.js';
import type { Compressed, Encoding, EndpointResult } from '../../query/endpoint-result.js';
import { compressedStream } from '../../query/encode-bodies.js';
import { readerOf } from '../../query/endpoint-query.js';
import type { ReadCall } from '../call/read-call.js';
import { cacheHeaders, VARY } from './cache-headers.js';
import type { RequestContext } from '../transport/request-context.js';
import { closeWhereUnread } from '../transport/slow-reader.js';
import { selectContent, type SelectedContent } from './select-content.js';

/** A result, and what determines its response in addition to the request. */
export interface SentResult {
  readonly call: ReadCall;
  readonly outcome: CallOutcome;
  /** Maximum bytes of a result that every gateway finds in the cache. */
  readonly maxRangedBytes: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** A result to send. */
export interface Sending extends SentResult {
  /** Context of the request, for `Server-Timing`. */
  readonly context: RequestContext;
}

/** The response to a request, without `Server-Timing`. In the lists of headers, names and values alternate. */
export interface ResultResponse {
  readonly status: 200 | 206 | 304;
  readonly beforeTiming: readonly string[];
  readonly afterTiming: readonly string[];
  /** The body; undefined where none is sent, and where the body is compressed while it is sent. */
  readonly body: Buffer | undefined;
  readonly compressed: Compressed | undefined;
}

/**
 * Sends a result: its bytes in the encoding that the client prefers, a range of them, or 304 where the client has them. All headers
 * are set as one list, because setting them one by one takes Node three times as long.
 *
 * @throws Failure PRECONDITION_FAILED or RANGE_NOT_SATISFIABLE; never for a request without `If-Match` and `Range`
 */
export function sendResult(request: IncomingMessage, response: ServerResponse, sending: Sending): void {
  const { status, ...selected } = responseOf(request, sending, response.getHeader('Vary'));
  const { beforeTiming, afterTiming, body, compressed } = selected;
  const timing = serverTiming(sending.context, readerOf(sending.call.query));
  response.writeHead(status, [...beforeTiming, ...timing, ...afterTiming]);
  if (compressed) sendCompressed(response, sending, compressed);
  else endWith(response, body);
}

/** Ends a response whose headers are written. */
export function endWith(response: ServerResponse, body: Buffer | undefined): void {
  response.end(body);
  if (response.writableLength > 0) closeWhereUnread(response);
}

/**
 * The response to a request for a result.
 *
 * @param vary other request headers that determined the response.
 * @throws as {@link sendResult}
 */
export function responseOf(
  request: Pick<IncomingMessage, 'method' | 'headers'>,
  sent: SentResult,
  vary: Vary,
): ResultResponse {
  const { call, outcome, now, maxRangedBytes } = sent;
  const { endpoint } = call.query;
  const { result } = outcome;
  const selected = selectContent(request, { endpoint, result, maxRangedBytes });
  const { tag, takesRanges, isUnchanged } = selected;
  const beforeTiming = [
    ...cacheHeaders(outcome, endpoint.settings.caching, now, readerOf(call.query)),
    ...['ETag', tag, 'Vary', varyOf(vary), 'Accept-Ranges', takesRanges ? 'bytes' : 'none'],
    ...['X-Row-Count', String(result.rowCount)],
  ];
  const afterTiming: string[] = [];
  if (result.truncated) afterTiming.push('X-Truncated', 'true');
  if (result.partial) afterTiming.push('X-Partial', 'true');
  if (isUnchanged) return { status: 304, beforeTiming, afterTiming, ...NO_CONTENT };
  afterTiming.push(...contentHeaders(sent, selected.encoding));
  const { status, headers, body, compressed } = contentOf(result, selected);
  afterTiming.push(...headers);
  if (request.method === 'HEAD') return { status, beforeTiming, afterTiming, ...NO_CONTENT };
  return { status, beforeTiming, afterTiming, body, compressed };
}

const NO_CONTENT = { body: undefined, compressed: undefined };

/** The body of a response, and the headers about its length. */
function contentOf(
  { bodies }: EndpointResult,
  { encoding, range }: SelectedContent,
): Pick<ResultResponse, 'body' | 'compressed'> & {
  readonly status: 200 | 206;
  readonly headers: readonly string[];
} {
  const { identity, [encoding]: encoded } = bodies;
  if (encoding !== 'identity' && encoded === undefined)
    return { status: 200, headers: [], body: undefined, compressed: encoding };
  const whole = encoded ?? identity;
  const body = range ? whole.subarray(range.first, range.last + 1) : whole;
  const headers = ['Content-Length', String(body.length)];
  if (!range) return { status: 200, headers, body, compressed: undefined };
  const contentRange = ['Content-Range', `bytes ${range.first}-${range.last}/${whole.length}`];
  return { status: 206, headers: [...contentRange, ...headers], body, compressed: undefined };
}

/** Compresses the body while it is sent, at the pace of the client. A failure aborts the response, so that the client notices. */
function sendCompressed(response: ServerResponse, { outcome, context }: Sending, encoding: Compressed): void {
  const compressed = compressedStream(outcome.result.bodies.identity, encoding);
  compressed.once('error', (error: NodeJS.ErrnoException) => {
    // The pipeline reports a disconnected client to both streams. The log has its own status for that.
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') context.failure = error;
  });
  pipeline(compressed, response, () => undefined);
  closeWhereUnread(response);
}

type Vary = number | string | readonly string[] | undefined;

/** The value of `Vary`. @param before what CORS has set */
export function varyOf(before: Vary): string {
  return before === undefined ? VARY : `${String(before)}, ${VARY}`;
}

function contentHeaders({ call, outcome }: SentResult, encoding: Encoding): readonly string[] {
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

/**
 * W3C Server Timing in milliseconds: the total, and the stages of a query that the request caused, if the caller may read its cost.
 *
 * @returns name and value
 */
export function serverTiming(
  { startedAt, outcome }: RequestContext,
  reader: Reader,
): readonly [name: string, value: string] {
  const caused = outcome?.caused;
  const total = `total;dur=${(performance.now() - startedAt).toFixed(2)}`;
  const cost = caused?.cost.readBy(reader);
  if (!caused || !cost) return ['Server-Timing', total];
  const stages = `queue;dur=${caused.waitingMs.toFixed(2)}, clickhouse;dur=${cost.clickhouseMs.toFixed(2)}`;
  return ['Server-Timing', `${total}, ${stages}`];
}

/** A file name from the endpoint's name and the creation time of the result in UTC: `orders.by-day-20260517T100503Z.csv`. */
export function fileName({ name }: Endpoint, createdAt: number, extension: string): string {
  const time = new Date(createdAt).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  return `${name}-${time}.${extension}`;
}
