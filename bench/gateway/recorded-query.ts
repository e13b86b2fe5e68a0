import { createServer, request as send, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

import { httpGet } from '../measuring/http-get.js';
import type { ServerProcess } from '../servers/server-process.js';
import type { Environment } from '../stage.js';
import { startDeployed, type Build, type Deployment } from './deployed-gateway.js';

/** A request to ClickHouse, as the gateway sent it for one of its own. */
export interface RecordedQuery {
  /** Path and query string. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Headers that belong to one connection or one body. */
const NOT_REPLAYED = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'traceparent']);

/** Sends a gateway a request with an `X-Request-Id`. */
export type RecordedCall = (gateway: ServerProcess, id: string) => Promise<unknown>;

/** A GET of a target. */
export const callOf =
  (target: string, apiKey: string): RecordedCall =>
  ({ url }, id) =>
    httpGet(url + target, { 'X-API-KEY': apiKey, 'X-Request-Id': id });

/** Records what a gateway sends to ClickHouse for each call, so that the same query can be sent without it. */
export async function recordQueries(
  deployment: Deployment,
  build: Build,
  calls: readonly RecordedCall[],
  environment: Environment = {},
): Promise<readonly RecordedQuery[]> {
  const recorded: RecordedQuery[] = [];
  const server = createServer((incoming, outgoing) => {
    void buffer(incoming).then((body) => {
      recorded.push(recordOf(incoming, body));
      forward(build.clickhouse, incoming, body).then(
        (response) => {
          outgoing.writeHead(response.statusCode ?? 502, response.rawHeaders);
          response.pipe(outgoing);
        },
        (error: unknown) => outgoing.destroy(error as Error),
      );
    });
  });
  server.listen(0, '127.0.0.1');
  deployment.stage.closesWith(() => {
    server.closeAllConnections();
    return Promise.resolve(server.close());
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const gateway = await startDeployed(deployment, build, {
    ...environment,
    CLICKHOUSE_URL: `http://127.0.0.1:${port}`,
  });
  const queries: RecordedQuery[] = [];
  for (const [index, call] of calls.entries()) {
    const id = `recorded-${index}-`;
    await call(gateway, id);
    const query = recorded.find((each) => settingsOf(each).get('log_comment') === id);
    if (!query) throw new Error(`the gateway sent no query for call ${index}`);
    queries.push(query);
  }
  await gateway.stop();
  return queries;
}

function recordOf({ url = '/', headers }: IncomingMessage, body: Buffer): RecordedQuery {
  const replayed = Object.entries(headers).filter(([name]) => !NOT_REPLAYED.has(name));
  return { target: withoutQueryId(url), headers: Object.fromEntries(replayed), body: body.toString() };
}

/** ClickHouse rejects a query id that it is running already. */
function withoutQueryId(target: string): string {
  return target.replace(/([?&])query_id=[^&]*&?/, '$1');
}

async function forward(
  { readerConnection }: Build['clickhouse'],
  { method, url, headers }: IncomingMessage,
  body: Buffer,
): Promise<IncomingMessage> {
  const request = send(new URL(url ?? '/', readerConnection.url), { method, headers });
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

/** Everything beside the query's text: settings and values. */
export const settingsOf = ({ target }: RecordedQuery): URLSearchParams =>
  new URL(target, 'http://clickhouse').searchParams;
