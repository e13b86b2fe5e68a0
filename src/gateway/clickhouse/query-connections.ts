import { Agent, request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as SecureAgent, request as requestHttps } from 'node:https';

import type { Signal } from '../query/signal.js';
import { queryTargetOf, type ClickHouseConnection } from './connection.js';
import { resultTooLarge } from './translate-error.js';

/** A query that is ready to be sent. */
export interface ReadyQuery {
  /** Query string: the settings, and the bound values unless they are in the body. */
  readonly search: string;
  /** The SQL, or a form with the SQL's bound values. */
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** Signal that closes the connection, so that ClickHouse cancels the query. */
  readonly signal: Signal;
  /** Called when the headers of a response arrive. */
  readonly onResponse?: (() => void) | undefined;
}

/** A query whose complete response is read. */
export interface BoundedQuery extends ReadyQuery {
  /** Maximum length of the response, in bytes. */
  readonly maxBytes: number;
}

/** A complete response of ClickHouse, with any status. */
export interface QueryResponse {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Connections to one server. */
export interface QueryConnections {
  /**
   * Sends a query and reads the complete response.
   *
   * @throws Failure RESULT_TOO_LARGE, the reason of the signal, or an Error with a `code` where the connection fails
   */
  readonly send: (query: BoundedQuery) => Promise<QueryResponse>;
  /**
   * Sends a query and returns the response with its body unread. An abort of the signal destroys the response.
   *
   * @throws the reason of the signal, or an Error with a `code` where the connection fails
   */
  readonly open: (query: ReadyQuery) => Promise<IncomingMessage>;
  /** Closes all connections. */
  readonly close: () => void;
}

/** Time after which an idle connection is closed, in milliseconds. It is well below that of the server. */
const IDLE_MS = 2000;
/** Maximum time until a server resets a connection that it had closed before the query arrived, in milliseconds. */
const STALE_MS = 250;

/**
 * Opens connections for queries. The ClickHouse client's `exec` would take 2 ms more: it waits for a timer before each request, and renders
 * everything anew.
 */
export function openQueryConnections(connection: ClickHouseConnection, maxSockets: number): QueryConnections {
  const { isSecure, host, port, path, search, headers } = queryTargetOf(connection);
  const agentOptions = { keepAlive: true, maxSockets, timeout: IDLE_MS };
  const agent = isSecure ? new SecureAgent(agentOptions) : new Agent(agentOptions);
  const startRequest = isSecure ? requestHttps : requestHttp;
  const start = (query: ReadyQuery): ClientRequest =>
    startRequest({
      agent,
      method: 'POST',
      host,
      port,
      path: `${path}?${search}&${query.search}`,
      headers: Object.assign({}, headers, query.headers, {
        'Content-Length': Buffer.byteLength(query.body),
      }),
    });
  return {
    send: (query) => sendUnlessStale(query, start, readWhole(query.maxBytes)),
    open: (query) => sendUnlessStale(query, start, leaveUnread),
    close: () => {
      agent.destroy();
    },
  };
}

/** Reads a response, and settles the promise of the exchange. */
type ReadResponse<T> = (response: IncomingMessage, settle: Settle<T>) => void;

interface Settle<T> {
  readonly resolve: (value: T) => void;
  readonly fail: (error: Error) => void;
  /** Stops following the signal. Must be called when the response has ended. */
  readonly release: () => void;
}

/** Sends a query, and sends it again if the server had closed the idle connection before. That is safe, because queries only read. */
async function sendUnlessStale<T>(
  query: ReadyQuery,
  start: (query: ReadyQuery) => ClientRequest,
  read: ReadResponse<T>,
): Promise<T> {
  const startedAt = performance.now();
  const request = start(query);
  const response = { hasStarted: false };
  const onResponse = (): void => {
    response.hasStarted = true;
    query.onResponse?.();
  };
  try {
    return await exchange(request, { ...query, onResponse }, read);
  } catch (error) {
    const isStale = request.reusedSocket && !response.hasStarted && performance.now() - startedAt < STALE_MS;
    if (!isStale || query.signal.aborted) throw error;
    return exchange(start(query), query, read);
  }
}

function exchange<T>(
  request: ClientRequest,
  { body, signal, onResponse }: ReadyQuery,
  read: ReadResponse<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const release = (): void => {
      signal.removeEventListener('abort', abort);
    };
    const fail = (error: Error): void => {
      release();
      request.destroy();
      reject(error);
    };
    // The promise rejects at once, because a request that still waits for a connection does not report an abort.
    const abort = (): void => {
      fail(signal.reason as Error);
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    request.on('error', fail);
    request.on('response', (response) => {
      onResponse?.();
      read(response, { resolve, fail, release });
    });
    request.end(body);
  });
}

const readWhole =
  (maxBytes: number): ReadResponse<QueryResponse> =>
  (response, { resolve, fail, release }) => {
    const chunks: Buffer[] = [];
    let length = 0;
    response.on('error', fail);
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxBytes) fail(resultTooLarge(`a response of more than ${maxBytes} bytes`));
    });
    response.on('end', () => {
      release();
      const { statusCode: status = 0, headers } = response;
      resolve({ status, headers, body: Buffer.concat(chunks, length) });
    });
  };

const leaveUnread: ReadResponse<IncomingMessage> = (response, { resolve, release }) => {
  // `close` comes in any case, whereas a response that breaks off has no `end`.
  response.on('close', release);
  resolve(response);
};
