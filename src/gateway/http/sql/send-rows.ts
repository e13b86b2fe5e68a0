import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';

import { compressor } from '../../query/encode-bodies.js';
import type { Bodies, Compressed, Encoding } from '../../query/endpoint-result.js';
import type { StatementHead, StatementRequest, StatementSink } from '../../query/ports.js';
import { errorForClient } from '../../tables/error-response.js';
import type { CallOutcome } from '../../query/call.js';
import { cacheStatus } from '../result/cache-headers.js';
import { chooseEncoding, withChosenEncoding } from '../result/content-encoding.js';
import { ResponseBody } from '../result/send-export.js';
import { endWith } from '../result/send-result.js';
import type { ClientSettings } from './client-settings.js';
import { Lz4Frame } from './lz4-frame.js';
import type { SqlErrorOptions } from './sql-error.js';

const COMPRESSED_WHEN_SENT = { identity: Buffer.alloc(0), isEncodedWhenSent: true } as const;

/**
 * Opens the response for the rows of a statement. Its headers come from a fixed list: a client's settings could name others.
 */
export function openSqlSink(
  request: IncomingMessage,
  response: ServerResponse,
  { isHttpCompressed }: ClientSettings,
  { words, version }: Pick<SqlErrorOptions, 'words' | 'version'>,
): StatementRequest['openSink'] {
  return (head): StatementSink => {
    const encoding = isHttpCompressed ? encodingOf(request.headers['accept-encoding']) : 'identity';
    let hasFailed = false;
    response.writeHead(200, headersOf(head, encoding));
    const body = new ResponseBody(response, undefined, () => hasFailed);
    return {
      streams: encoding === 'identity' ? [body] : [encoderOf(encoding), body],
      textOf: (error) => {
        hasFailed = true;
        return errorForClient(error, words, version).text;
      },
    };
  };
}

/**
 * Sends a complete result.
 *
 * @param times milliseconds since 1970; the age of the result counts from `since`
 */
export async function sendWhole(
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  { isHttpCompressed }: ClientSettings,
  outcome: CallOutcome,
  { now, since }: { readonly now: number; readonly since: number },
): Promise<void> {
  const accepted = isHttpCompressed ? request.headers['accept-encoding'] : undefined;
  const { result, status } = outcome;
  const { head, bodies } = await withChosenEncoding(accepted, result);
  if (!head) throw new TypeError('the result is none of a statement');
  const encoding = encodingOf(accepted, bodies);
  response.writeHead(200, {
    'X-Cache': status,
    'Cache-Status': cacheStatus(outcome, Math.floor((result.expiresAt - now) / 1000), ''),
    Age: Math.max(0, Math.floor((now - since) / 1000)),
    ...headersOf(head, encoding),
  });
  endWith(response, encoding === 'lz4' ? await framed(bodies.identity) : bodies[encoding]);
}

function framed(body: Buffer): Promise<Buffer> {
  const frame = new Lz4Frame();
  frame.end(body);
  return buffer(frame);
}

/** The encoding of a response. LZ4 is the last choice, for clients that accept nothing else. */
function encodingOf(accepted = '', bodies: Bodies = COMPRESSED_WHEN_SENT): Encoding | 'lz4' {
  const encoding = chooseEncoding(accepted, bodies);
  return encoding === 'identity' && /(?:^|,) *lz4 *(?:,|$)/.test(accepted) ? 'lz4' : encoding;
}

const encoderOf = (encoding: Compressed | 'lz4'): Duplex =>
  encoding === 'lz4' ? new Lz4Frame() : compressor(encoding);

function headersOf(
  { contentType, format, timezone, exceptionTag }: StatementHead,
  encoding: string,
): Record<string, string> {
  return {
    'Content-Type': contentType,
    'X-ClickHouse-Format': format,
    'X-ClickHouse-Timezone': timezone,
    Vary: 'Accept-Encoding',
    'X-ClickHouse-Exception-Tag': exceptionTag,
    ...(encoding !== 'identity' && { 'Content-Encoding': encoding }),
  };
}
