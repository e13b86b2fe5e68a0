import type { IncomingMessage, ServerResponse } from 'node:http';
import { Writable } from 'node:stream';

import { callerGone, Failure } from '../../errors.js';
import { FORMATS } from '../../formats/formats.js';
import { factsOfExport, type OutcomeFacts } from '../../observability/outcome-facts.js';
import { compressor } from '../../query/encode-bodies.js';
import type { Encoding } from '../../query/endpoint-result.js';
import type { ExportRequest } from '../../query/ports.js';
import { setRealTimer, type SetTimer } from '../../query/signal.js';
import type { ReadCall } from '../call/read-call.js';
import { chooseEncoding } from './content-encoding.js';
import { fileName, varyOf } from './send-result.js';

/** The trailer with the number of rows, which proves to a client that it has all of them. */
const ROW_COUNT = 'X-Row-Count';

/** Bytes that are buffered while the client does not read. */
const BUFFERED_BYTES = 256 * 1024;

/** An export ends whose client reads less than LEAST_BYTES in this time: it would occupy a slot for `maxSeconds`. */
const RATE_MS = 30_000;
const LEAST_BYTES = 1024 * 1024;

/** How much a client has read. */
interface Progress {
  readonly taken: number;
  readonly isBlocked: boolean;
}

function tooSlow(): Failure {
  return new Failure(
    'EXPORT_TOO_SLOW',
    `The client read less than ${LEAST_BYTES} bytes of the export in ${RATE_MS / 1000} seconds. Write it to a file first.`,
    { diagnosis: 'the client reads too slowly' },
  );
}

/** An export to send. */
export interface ExportSending {
  readonly call: ReadCall;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Receives the facts of the outcome for the log. */
  readonly context: { outcome?: OutcomeFacts };
  /** Called before the headers are sent. */
  readonly beforeHeaders: () => void;
  readonly setTimer?: SetTimer | undefined;
  /** Runs the export. @throws Failure where not every row was sent */
  readonly run: (openSink: ExportRequest['openSink']) => Promise<unknown>;
}

/**
 * Requires a version of HTTP in which an aborted response differs from a complete one.
 *
 * @throws Failure HTTP_VERSION_NOT_SUPPORTED for HTTP/1.0, where the end of the connection is the end of the response.
 */
export function requireChunks({ httpVersionMajor: major, httpVersionMinor: minor }: IncomingMessage): void {
  if (major > 1 || minor >= 1) return;
  throw new Failure(
    'HTTP_VERSION_NOT_SUPPORTED',
    'An export needs HTTP/1.1: with HTTP/1.0 a transfer that is broken off looks complete. Behind nginx, set proxy_http_version 1.1.',
  );
}

/**
 * Sends an export as its rows arrive. The response ends only where every row was sent. Otherwise the handler of the failure
 * destroys the response, so that the caller gets no last chunk. HEAD runs no query.
 *
 * @throws Failure
 */
export async function sendExport(
  request: IncomingMessage,
  response: ServerResponse,
  { call, now, context, beforeHeaders, run, setTimer }: ExportSending,
): Promise<void> {
  const { format } = call.presentation.representation;
  const encoding = FORMATS[format].isCompressible
    ? chooseEncoding(request.headers['accept-encoding'], COMPRESSED_WHEN_SENT)
    : 'identity';
  const begin = (more: readonly string[]): void => {
    beforeHeaders();
    const headers = headersOf(call, { now, encoding, vary: varyOf(response.getHeader('Vary')) });
    response.writeHead(200, [...headers, ...more]);
  };
  if (request.method === 'HEAD') {
    begin([]);
    response.end();
    return;
  }
  await run(() => {
    // Only with rows: Node rejects the header in a response without a body.
    begin('exportRows' in FORMATS[format] ? ['Trailer', ROW_COUNT] : []);
    const body = new ResponseBody(response, setTimer);
    return {
      streams: encoding === 'identity' ? [body] : [compressor(encoding), body],
      onComplete: (complete) => {
        const { rowCount } = complete;
        context.outcome = factsOfExport(complete);
        if (rowCount !== undefined) response.addTrailers({ [ROW_COUNT]: String(rowCount) });
      },
    };
  });
}

const COMPRESSED_WHEN_SENT = { identity: Buffer.alloc(0), isEncodedWhenSent: true } as const;

function headersOf(
  { presentation: { representation, download }, query }: ReadCall,
  { now, encoding, vary }: { readonly now: number; readonly encoding: Encoding; readonly vary: string },
): string[] {
  const format = FORMATS[representation.format];
  const headers = ['X-Cache', 'BYPASS', 'Cache-Status', 'querygate; fwd=bypass; detail=export'];
  headers.push('Cache-Control', 'no-store', 'Vary', vary, 'Accept-Ranges', 'none');
  headers.push('Content-Type', format.contentType);
  if (encoding !== 'identity') headers.push('Content-Encoding', encoding);
  if (download) {
    const name = fileName(query.endpoint, now, format.extension);
    headers.push('Content-Disposition', `attachment; filename="${name}"`);
  }
  return headers;
}

/**
 * Writes to a response at the pace of the client. A failed stream leaves the response open, because the log must know the failure
 * before the response closes.
 */
export class ResponseBody extends Writable {
  private cancelCheck: () => void = () => undefined;

  /** @param isBroken whether a body that has ended is incomplete: the response then has no last chunk */
  constructor(
    private readonly response: ServerResponse,
    private readonly setTimer = setRealTimer,
    private readonly isBroken: () => boolean = () => false,
  ) {
    super({ highWaterMark: BUFFERED_BYTES });
    this.checkRate({ taken: 0, isBlocked: false });
    response.once('close', () => {
      this.cancelCheck();
      if (!response.writableFinished) this.destroy(callerGone());
    });
  }

  /** Bytes that the client has taken, and whether the gateway waits for the client. */
  private get progress(): Progress {
    const { bytesWritten = 0, writableLength = 0 } = this.response.socket ?? {};
    return { taken: bytesWritten - writableLength, isBlocked: writableLength > 0 };
  }

  private checkRate(before: Progress): void {
    this.cancelCheck = this.setTimer(() => {
      if (this.destroyed) return;
      const { progress } = this;
      const isSlow = progress.taken - before.taken < LEAST_BYTES;
      if (before.isBlocked && progress.isBlocked && isSlow) this.destroy(tooSlow());
      else this.checkRate(progress);
    }, RATE_MS);
  }

  /** Writes all waiting chunks together: most CPU time would go into separate writes. */
  override _writev(chunks: readonly { readonly chunk: Buffer }[], done: (error?: Error) => void): void {
    const { response } = this;
    const { socket } = response;
    // Node ends the connection of a client that has closed its side.
    if (!socket?.writable) {
      done(callerGone());
      return;
    }
    response.cork();
    for (const { chunk } of chunks) response.write(chunk);
    response.uncork();
    // The socket, not the response: after a write to a corked response, its `drain` may never come (Node 20).
    if (socket.writableNeedDrain) socket.once('drain', done);
    else done();
  }

  override _final(done: () => void): void {
    if (!this.isBroken()) {
      this.response.end(done);
      return;
    }
    // Closed without a reset, so that the client can read the last bytes, which contain the error.
    this.response.socket?.destroySoon();
    done();
  }
}
