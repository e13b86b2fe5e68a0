import {
  STATUS_CODES,
  validateHeaderValue,
  type Server,
  type ServerResponse,
  type IncomingMessage,
} from 'node:http';
import type { Socket } from 'node:net';

import { isAuthenticated, latestResponse, responding } from './connections.js';
import { isExactly, KnownBlocks, VERSION } from './known-blocks.js';
import { closeWhereUnreadRaw } from './slow-reader.js';

/** Responds to a request for which the local cache suffices. Returns whether it responded. */
export type ServeRaw = (request: HitRequest, response: RawResponse) => boolean;

/** Maximum bytes of a head; longer ones are left to Node's parser. */
const MAX_HEAD = 8192;
/** Number of consecutive unknown heads after which a connection stops looking them up. */
const MAX_UNKNOWN = 16;
const METHOD = 'GET ';

/**
 * Serves hits without Node's HTTP server: a request in a single chunk, whose header block Node's parser has read before with the same
 * bytes, on a connection with no other request in progress. Node's server handles all other requests. It also handles the first request
 * of each connection, because that starts Node's timers, and all requests of a closed server.
 */
export class RawHits {
  readonly blocks = new KnownBlocks();

  constructor(
    private readonly server: Server,
    private readonly serve: ServeRaw,
  ) {}

  /** Responds to a request for which the local cache suffices. Returns whether it responded. */
  respond(request: HitRequest): boolean {
    const { listening, keepAliveTimeout } = this.server;
    return listening && this.serve(request, new RawResponse(request.socket, keepAliveTimeout));
  }
}

/** A connection on which hits may be served without Node's HTTP server. */
export class RawConnection {
  /** Whether Node's parser is known to be between two requests. */
  private isBetween = false;
  private unknown = 0;
  private latest: ServerResponse | undefined;

  constructor(
    private readonly socket: Socket,
    private readonly hits: RawHits,
  ) {}

  /** Whether the heads of the connection always differ, so that a look-up is a waste. */
  get hasGivenUp(): boolean {
    return this.unknown >= MAX_UNKNOWN;
  }

  /**
   * Responds to a chunk that is the request of a hit. Returns whether it responded; if not, Node's parser must read the chunk.
   *
   * @param isNext whether the parser has read all earlier chunks.
   */
  serveChunk(chunk: Buffer, isNext: boolean): boolean {
    const request = isNext && !this.hasGivenUp ? this.requestOf(chunk) : undefined;
    if (!request || !this.hits.respond(request)) {
      this.latest = latestResponse(this.socket);
      this.isBetween = false;
      return false;
    }
    if (this.socket.writableLength > 0) closeWhereUnreadRaw(this.socket);
    return true;
  }

  /** Learns from a chunk that Node's parser has read completely; called after {@link serveChunk}. */
  learn(chunk: Buffer): void {
    const response = latestResponse(this.socket);
    if (this.hasGivenUp || chunk.length > MAX_HEAD || response === this.latest || !response) return;
    const text = chunk.toString('latin1');
    if (!isExactly(text, response.req)) return;
    this.isBetween = true;
    // Only the block is converted: a slice of the text of the chunk would keep the whole text in memory.
    if (isAuthenticated(this.socket))
      this.hits.blocks.learn(chunk.toString('latin1', chunk.indexOf(VERSION)), response.req);
  }

  private requestOf(chunk: Buffer): HitRequest | undefined {
    this.unknown += 1;
    if (!this.isBetween || !this.isIdle() || chunk.length > MAX_HEAD) return undefined;
    const text = chunk.toString('latin1');
    const end = text.indexOf(VERSION);
    const block = text.startsWith(METHOD) ? this.hits.blocks.find(text.slice(end)) : undefined;
    if (!block) return undefined;
    this.unknown = 0;
    const { headers, rawHeaders } = block;
    const url = text.slice(METHOD.length, end);
    return { method: 'GET', url, httpVersion: '1.1', headers, rawHeaders, socket: this.socket };
  }

  private isIdle(): boolean {
    const { socket } = this;
    return (
      responding(socket) === undefined && socket.writableLength === 0 && socket.writable && socket.readable
    );
  }
}

/** The properties of a request that the fast path reads. */
export type HitRequest = Pick<
  IncomingMessage,
  'method' | 'url' | 'headers' | 'rawHeaders' | 'httpVersion' | 'socket'
>;

/** Maximum bytes of a response that are copied, in order to write the response at once. */
const MAX_COPIED = 64 * 1024;
let copied = Buffer.allocUnsafeSlow(MAX_COPIED);

/** A response that is written to its connection directly, without Node's HTTP server. */
export class RawResponse {
  readonly writableEnded = true;
  readonly writableFinished = true;
  statusCode = 200;

  /** @param keepAliveMs milliseconds for which the server keeps an idle connection */
  constructor(
    private readonly socket: Socket,
    private readonly keepAliveMs: number,
  ) {}

  /** @param lines header lines, each with its line break */
  send(status: number, lines: string, body: Buffer | undefined): void {
    this.statusCode = status;
    const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines}${lastLines(this.keepAliveMs)}`;
    write(this.socket, head, body);
  }
}

/** The lines of headers, in which names and values alternate. @throws Error for an invalid value */
export function linesOf(headers: readonly string[]): string {
  let lines = '';
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = headers.slice(at, at + 2);
    validateHeaderValue(name, value);
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}

/** The last lines that were made, with the second and the idle time for which they are valid. */
let made = { second: Number.NaN, keepAliveMs: Number.NaN, lines: '' };

/** The lines that Node's HTTP server adds to each response, and the end of the headers. */
function lastLines(keepAliveMs: number): string {
  const second = Math.floor(Date.now() / 1000);
  if (made.second !== second || made.keepAliveMs !== keepAliveMs) {
    const date = new Date(second * 1000).toUTCString();
    const timeout = Math.floor(keepAliveMs / 1000);
    const lines = `Date: ${date}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${timeout}\r\n\r\n`;
    made = { second, keepAliveMs, lines };
  }
  return made.lines;
}

function write(socket: Socket, head: string, body: Buffer = NO_BYTES): void {
  const length = head.length + body.length;
  if (length > MAX_COPIED) {
    socket.cork();
    socket.write(head, 'latin1');
    socket.write(body);
    socket.uncork();
    return;
  }
  copied.write(head, 'latin1');
  copied.set(body, head.length);
  socket.write(copied.subarray(0, length));
  // The system has not taken all bytes yet and will read them later, so that the buffer must not change.
  if (socket.writableLength > 0) copied = Buffer.allocUnsafeSlow(MAX_COPIED);
}

const NO_BYTES = Buffer.alloc(0);
