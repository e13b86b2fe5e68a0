import { STATUS_CODES, validateHeaderValue, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** What is read of a request that a hit may be for. */
export type HitRequest = Pick<
  IncomingMessage,
  'method' | 'url' | 'headers' | 'rawHeaders' | 'httpVersion' | 'socket'
>;

/** Bytes of a response that are copied to be written in one piece. */
const MAX_COPIED = 64 * 1024;
let copied = Buffer.allocUnsafeSlow(MAX_COPIED);

/** A response that is written to its connection at once, without Node's HTTP server. */
export class RawResponse {
  readonly writableEnded = true;
  readonly writableFinished = true;
  statusCode = 200;

  /** @param keepAliveMs how long the server keeps an idle connection. */
  constructor(
    private readonly socket: Socket,
    private readonly keepAliveMs: number,
  ) {}

  /** @param lines each header with its line break. */
  send(status: number, lines: string, body: Buffer | undefined): void {
    this.statusCode = status;
    const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines}${lastLines(this.keepAliveMs)}`;
    write(this.socket, head, body);
  }
}

/** The lines of headers, of which names and values alternate. @throws Error for a value that is none. */
export function linesOf(headers: readonly string[]): string {
  let lines = '';
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = headers.slice(at, at + 2);
    validateHeaderValue(name, value);
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}

/** The second and the time of the lines that were made last, and these. */
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
  // The system has not taken all bytes yet: they are read later.
  if (socket.writableLength > 0) copied = Buffer.allocUnsafeSlow(MAX_COPIED);
}

const NO_BYTES = Buffer.alloc(0);
