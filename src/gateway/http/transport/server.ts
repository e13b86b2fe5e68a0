import { randomUUID } from 'node:crypto';
import { createServer, STATUS_CODES, type RequestListener, type Server } from 'node:http';
import type { Duplex } from 'node:stream';

import { Failure } from '../../errors.js';
import type { Logger } from '../../observability/logger.js';
import { keepBacklogs } from './backlog.js';
import { isAuthenticated, responding, trackConnections } from './connections.js';
import type { ListenerWithMessages } from './messages.js';
import { RawHits, type ServeRaw } from './raw-hits.js';
import { problemDocument, problemHeaders } from './problem.js';

/** Maximum KiB of URL and headers together. A longer call must be a POST. */
const MAX_HEAD_KB = 64;
/** Milliseconds that a connection stays open after an error response, so that the client can read the response. */
const LINGER_MS = 1000;

/** Limits on the resources that clients may use. */
export interface ServerLimits {
  readonly maxConnections: number;
  /** Milliseconds from the connection, or from the first byte of a later request, to the end of the headers. */
  readonly headersTimeoutMs: number;
  /** Milliseconds to the end of the whole request, including its body; at least `headersTimeoutMs`. */
  readonly requestTimeoutMs: number;
}

const DEFAULT_LIMITS: ServerLimits = {
  maxConnections: Infinity,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
};

/** Number of timeout checks in each headers timeout. With Node's interval of 30 s, a timeout of 10 s could take 40 s. */
const TIMEOUT_CHECKS = 10;

/** Creates an HTTP server with limits, which responds with a problem document to malformed HTTP too. */
export function createHttpServer(
  listener: RequestListener & Partial<ListenerWithMessages> & { readonly serveRaw?: ServeRaw | undefined },
  logger: Logger,
  limits: Partial<ServerLimits> = {},
): Server {
  const { headersTimeoutMs, requestTimeoutMs, maxConnections } = { ...DEFAULT_LIMITS, ...limits };
  const server = createServer(
    {
      maxHeaderSize: MAX_HEAD_KB * 1024,
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.ceil(headersTimeoutMs / TIMEOUT_CHECKS),
      // This timeout exceeds the idle timeout of load balancers, so that they close idle connections first.
      keepAliveTimeout: 75_000,
      // Node would reject with an empty body; requireHost() sends a problem document.
      requireHostHeader: false,
      ...listener.messages,
    },
    (request, response) => {
      const handle = (): void => {
        noteRequest(request, response);
        listener(request, response);
      };
      if (responding(request.socket)) backlogs.add(request.socket, handle);
      else handle();
    },
  );
  // RFC 9110 (10.1.1) allows a server to ignore an unknown expectation. Node would reject it with an empty body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  const noteRequest = trackConnections(server, maxConnections);
  const backlogs = keepBacklogs(
    server,
    isAuthenticated,
    listener.serveRaw && new RawHits(server, listener.serveRaw),
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const active = responding(socket);
    const send = (): void => {
      sendClientError(error, socket, logger);
    };
    // The body is incomplete because the client disconnected.
    if (active && error.code === 'HPE_INVALID_EOF_STATE') socket.destroy();
    else if (active?.req.complete && error.code?.startsWith('HPE_')) backlogs.add(socket, send);
    else send();
  });
  return server;
}

function sendClientError(error: NodeJS.ErrnoException, socket: Duplex, logger: Logger): void {
  // Node 24 reports every further chunk of a rejected request. The rest of the request is discarded below.
  if (socket.writableEnded && error.code !== 'ECONNRESET') return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = randomUUID();
  const failure = failureOf(error);
  logger.request('info', { requestId, status: failure.status, code: failure.code, diagnosis: error.code });
  const body = JSON.stringify(problemDocument(failure, requestId));
  const headers = {
    Connection: 'close',
    'X-Request-Id': requestId,
    'Content-Length': String(Buffer.byteLength(body)),
    ...problemHeaders(failure),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(
    `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status] ?? ''}\r\n${lines.join('\r\n')}\r\n\r\n${body}`,
  );
  // Discards the rest of the request: unread bytes would reset the connection, and the response would be lost.
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function failureOf({ code }: NodeJS.ErrnoException): Failure {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      // Node 22 and later report more than 2,000 header lines with this code too.
      return new Failure(
        'HEADERS_TOO_LARGE',
        `URL and headers together have more than ${MAX_HEAD_KB} KiB, or there are too many header lines. ` +
          'Send the parameters of a call in the body of a POST.',
      );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Failure('REQUEST_TIMEOUT', 'The client did not send the whole request in time.');
    case undefined:
    default:
      return new Failure('BAD_REQUEST', 'This is not an HTTP/1.1 request.');
  }
}
