import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import { isAuthenticated, latestResponse, responding } from './connections.js';
import { isExactly, KnownBlocks, VERSION } from './known-blocks.js';
import { RawResponse, type HitRequest } from './raw-response.js';
import { closeWhereUnreadRaw } from './slow-reader.js';

/** Responds to a request where the local cache suffices. Returns whether it responded. */
export type ServeRaw = (request: HitRequest, response: RawResponse) => boolean;

/** Longer heads are left to Node's parser. */
const MAX_HEAD = 8192;
/** Heads in a row that were not known, after which a connection asks no more. */
const MAX_UNKNOWN = 16;
const METHOD = 'GET ';

/**
 * Serves hits without Node's HTTP server: a request that came as one chunk, whose header block Node's parser has read before
 * byte by byte, on a connection where nothing else is under way. All else is left to Node's server, and so are the first
 * request of each connection, by which Node starts the connection's timers, and all requests of a server that was closed.
 */
export class RawHits {
  readonly blocks = new KnownBlocks();

  constructor(
    private readonly server: Server,
    private readonly serve: ServeRaw,
  ) {}

  /** Responds to a request where the local cache suffices. Returns whether it responded. */
  respond(request: HitRequest): boolean {
    const { listening, keepAliveTimeout } = this.server;
    return listening && this.serve(request, new RawResponse(request.socket, keepAliveTimeout));
  }
}

/** A connection that may be sent raw hits. */
export class RawConnection {
  /** Whether Node's parser has proved that it stands between two requests. */
  private isBetween = false;
  private unknown = 0;
  private latest: ServerResponse | undefined;

  constructor(
    private readonly socket: Socket,
    private readonly hits: RawHits,
  ) {}

  /** Whether its heads are never equal, so that asking is a waste. */
  get hasGivenUp(): boolean {
    return this.unknown >= MAX_UNKNOWN;
  }

  /**
   * Responds to a chunk that is the request of a hit. Returns whether it did: if not, Node's parser has to read the chunk.
   *
   * @param isNext whether the parser has all chunks before it.
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

  /** Learns from a chunk that Node's parser has read completely, after {@link serveChunk}. */
  learn(chunk: Buffer): void {
    const response = latestResponse(this.socket);
    if (this.hasGivenUp || chunk.length > MAX_HEAD || response === this.latest || !response) return;
    const text = chunk.toString('latin1');
    if (!isExactly(text, response.req)) return;
    this.isBetween = true;
    // A slice of the text would keep all of it in memory.
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
