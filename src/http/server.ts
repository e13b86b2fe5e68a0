import { randomUUID } from 'node:crypto';
import { createServer, STATUS_CODES, type RequestListener, type Server } from 'node:http';
import type { Duplex } from 'node:stream';

import { Failure } from '../errors.js';
import type { Logger } from '../observability/logger.js';
import { noteConnections, type ConnectionLimits } from './connections.js';
import { MAX_HEADER_LINES } from './header-limits.js';
import { boundParserPool } from './parser-pool.js';
import { problemDocument, problemHeaders } from './problem.js';

/** Room for every parameter of an endpoint at its longest, percent-encoded. */
const MAX_HEADER_BYTES = 512 * 1024;
/** How long after such an answer the connection stays open for the caller to read it. */
const LINGER_MS = 1000;

/** What peers may take of a server. */
export interface ServerLimits extends ConnectionLimits {
  /** Milliseconds from the connection, or the first byte of a further request, to the end of its headers. */
  readonly headersTimeoutMs: number;
}

const DEFAULT_LIMITS: ServerLimits = {
  maxConnections: Infinity,
  // Sixty-odd requests of the largest size.
  maxUnauthenticatedBytes: 32 * 1024 * 1024,
  headersTimeoutMs: 10_000,
};

/** Node looks every 30 s by default, so that a timeout of 10 s would take effect after up to 40. */
const TIMEOUT_CHECKS = 10;

/** An HTTP server whose limits are bounded, and which answers what is no HTTP with a problem document as well. */
export function createHttpServer(
  listener: RequestListener,
  logger: Logger,
  limits: Partial<ServerLimits> = {},
): Server {
  const { headersTimeoutMs, ...connections } = { ...DEFAULT_LIMITS, ...limits };
  boundParserPool();
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: headersTimeoutMs,
      requestTimeout: 30_000,
      connectionsCheckingInterval: Math.ceil(headersTimeoutMs / TIMEOUT_CHECKS),
      // Longer than load balancers keep an idle connection, so that it is they who close it.
      keepAliveTimeout: 75_000,
      // Node would refuse with an empty body; the application does it with a problem document.
      requireHostHeader: false,
    },
    listener,
  );
  // An expectation other than 100-continue may be ignored (RFC 9110, 10.1.1); Node would refuse with an empty body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  noteConnections(server, connections);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    sendClientError(error, socket, logger);
  });
  return server;
}

function sendClientError(error: NodeJS.ErrnoException, socket: Duplex, logger: Logger): void {
  // Node 24 reports each further chunk of a request that was refused: what still comes is dropped below.
  if (socket.writableEnded && error.code !== 'ECONNRESET') return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = randomUUID();
  const failure = failureOf(error);
  logger.info('request', { requestId, status: failure.status, code: failure.code, diagnosis: error.code });
  const body = JSON.stringify(problemDocument(failure, requestId));
  const headers = {
    ...problemHeaders(failure),
    'X-Request-Id': requestId,
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(
    `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status] ?? ''}\r\n${lines.join('\r\n')}\r\n\r\n${body}`,
  );
  // What still comes is read and dropped, lest the answer be lost; one who never hangs up is hung up on.
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function failureOf({ code }: NodeJS.ErrnoException): Failure {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      // Node 22 and later report too many lines, 2,000 of them, as this as well.
      return new Failure(
        'HEADERS_TOO_LARGE',
        `URL and headers together are over ${MAX_HEADER_BYTES / 1024} KiB, or there are more than ${MAX_HEADER_LINES} header lines.`,
      );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Failure('REQUEST_TIMEOUT', 'The request was not sent in time.');
    case undefined:
    default:
      return new Failure('BAD_REQUEST', 'This is not an HTTP/1.1 request.');
  }
}
