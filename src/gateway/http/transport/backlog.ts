import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import { responding } from './connections.js';
import { DirectReading } from './direct-reading.js';
import { RawConnection, type RawHits } from './raw-hits.js';
import { Turns } from './turns.js';

/** Maximum requests of all backlogs in one turn of the event loop. A rejected request takes about 0.1 ms. */
const REQUESTS_PER_TURN = 16;
/** Bytes that are parsed at a time: at most fifteen requests, which take the parser 10 µs each. */
const SLICE_BYTES = 256;
/** Bytes of a backlog up to which its connection is still read, in order to notice that the client disconnects. */
const MAX_READ_AHEAD_BYTES = 16 * 1024;
const NO_BYTES = Buffer.alloc(0);

const backlogs = new WeakMap<Duplex, Backlog>();

/** The pipelined requests of a connection that wait for its earlier responses. */
export interface Backlogs {
  /** Handles a request of a connection, or its malformed bytes, once the responses before it are complete. */
  readonly add: (socket: Duplex, handle: () => void) => void;
}

/** Whether requests of a connection, or their bytes, wait. */
export function hasBacklog(socket: Duplex): boolean {
  return backlogs.get(socket)?.isEmpty === false;
}

/**
 * Makes a server handle one request of a connection at a time, and a limited number of pipelined requests in each turn of
 * the event loop. Node's parser would emit all requests of a chunk at once.
 *
 * @param mayReadDirectly whether a connection is trusted to send one request at a time, until it sends several.
 * @param rawHits serves hits; absent where Node's server responds to all requests.
 */
export function keepBacklogs(
  server: Server,
  mayReadDirectly: (socket: Socket) => boolean,
  rawHits?: RawHits,
): Backlogs {
  const turns = new Turns(REQUESTS_PER_TURN);
  const direct = new Set<Backlog>();
  server.on('connection', (socket: Socket) => {
    const raw = rawHits && new RawConnection(socket, rawHits);
    const onOneAtATime = (): void => {
      if (raw?.hasGivenUp !== false && mayReadDirectly(socket)) direct.add(backlog.readDirectly());
    };
    const backlog = new Backlog(socket, { turns, onOneAtATime, raw });
    backlogs.set(socket, backlog);
    socket.once('close', () => direct.delete(backlog));
  });
  return {
    add: (socket, handle) => {
      const backlog = backlogs.get(socket);
      if (!backlog) {
        handle();
        return;
      }
      backlog.add(handle);
      // All connections: this turn may have read others too, each with a chunk of many requests.
      for (const each of direct) each.readByEvents();
      direct.clear();
    },
  };
}

interface OfConnection {
  readonly turns: Turns;
  /** Called after each chunk, unless the connection has ever pipelined. */
  readonly onOneAtATime: () => void;
  readonly raw: RawConnection | undefined;
}

class Backlog {
  private readonly waiting: (() => void)[] = [];
  private bytes: Buffer = NO_BYTES;
  private hasPipelined = false;
  private isPaused = false;
  private readonly directReading: DirectReading;
  private readonly parse: (bytes: Buffer) => void;

  constructor(
    private readonly socket: Socket,
    private readonly connection: OfConnection,
  ) {
    const [listener] = socket.listeners('data');
    if (!listener) throw new Error('Node’s HTTP server does not listen to the connection');
    this.parse = listener.bind(socket) as (bytes: Buffer) => void;
    socket.off('data', listener as () => void);
    this.directReading = new DirectReading(socket, (chunk) => {
      this.read(chunk);
    });
  }

  get isEmpty(): boolean {
    return this.waiting.length === 0 && this.bytes.length === 0;
  }

  add(handle: () => void): void {
    this.hasPipelined = true;
    this.waiting.push(handle);
    if (this.waiting.length === 1) this.awaitResponse();
  }

  readDirectly(): this {
    this.directReading.start();
    return this;
  }

  readByEvents(): void {
    this.directReading.stop();
  }

  private read(chunk: Buffer): void {
    const { raw } = this.connection;
    if (raw?.serveChunk(chunk, this.isEmpty)) return;
    this.bytes = this.bytes.length === 0 ? chunk : Buffer.concat([this.bytes, chunk]);
    this.parseBytes();
    if (this.isEmpty) raw?.learn(chunk);
    if (!this.hasPipelined) this.connection.onOneAtATime();
  }

  /** Parses until a request has to wait. The body of a request is parsed while the request is handled. */
  private parseBytes(): void {
    while (this.bytes.length > 0 && this.waiting.length === 0) {
      if (!this.isOpen()) return;
      const slice = this.bytes.subarray(0, SLICE_BYTES);
      this.bytes = this.bytes.subarray(SLICE_BYTES);
      this.parse(slice);
    }
    const isLong = this.bytes.length > MAX_READ_AHEAD_BYTES;
    // The socket is paused each time, because Node resumes it after each request.
    if (isLong) this.socket.pause();
    else if (this.isPaused) this.socket.resume();
    this.isPaused = isLong;
  }

  private awaitResponse(): void {
    const next = (): void => {
      this.connection.turns.run(() => {
        this.handleNext();
      });
    };
    const response = responding(this.socket);
    if (response) response.once('close', next);
    else next();
  }

  private handleNext(): void {
    if (!this.isOpen()) return;
    this.waiting.shift()?.();
    if (this.waiting.length > 0) this.awaitResponse();
    else this.parseBytes();
  }

  /** Whether the connection is open. Drops everything where the client disconnected or a response has ended the connection. */
  private isOpen(): boolean {
    if (this.socket.readable && this.socket.writable) return true;
    this.waiting.length = 0;
    this.bytes = NO_BYTES;
    return false;
  }
}
