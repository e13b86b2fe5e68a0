import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { connectClickHouse, type QueryClient } from '../../src/gateway/clickhouse/connect-clickhouse.js';

/** An HTTP server that pretends to be ClickHouse, and a client connected to it. */
export interface FakeClickHouse {
  readonly url: string;
  readonly client: QueryClient;
}

/** The listener, beside the settings of a plain user: each client reads them before its first query. */
export function forPlainUser(respond: RequestListener): RequestListener {
  return (request, response) => {
    if (!request.url?.includes('system.settings')) {
      respond(request, response);
      return;
    }
    request.resume();
    // The first query has a new connection.
    response.setHeader('Connection', 'close').end('[0,[]]');
  };
}

/** Runs a test's body with a fake ClickHouse that handles every query with the listener. */
export async function withFakeClickHouse(
  respond: RequestListener,
  use: (clickhouse: FakeClickHouse) => Promise<void>,
): Promise<void> {
  const server = createServer(forPlainUser(respond));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = connectClickHouse(
    { url, username: 'default', password: '', database: 'logs' },
    { maxOpenConnections: 2, requestTimeoutMs: 20_000 },
  );
  try {
    await use({ url, client });
  } finally {
    await client.close();
    server.close();
    server.closeAllConnections();
  }
}

/** Returns the header `X-ClickHouse-Summary` for a result of that many rows. */
export const summaryOf = (rows: number): string =>
  JSON.stringify({ read_rows: '7', read_bytes: '70', result_rows: String(rows), elapsed_ns: '1500000' });

/** Responds with status 200 and this complete body, as if the result had that many rows. */
export function respondWith(body: string, rows: number): RequestListener {
  return (request: IncomingMessage, response: ServerResponse) => {
    request.resume();
    response.writeHead(200, { 'X-ClickHouse-Summary': summaryOf(rows) }).end(body);
  };
}

/** Whether this is the query of a request, and not a ping or a query that the gateway runs at start-up. */
export const isRequestQuery = ({ url = '' }: IncomingMessage): boolean => url.includes('log_comment=');
