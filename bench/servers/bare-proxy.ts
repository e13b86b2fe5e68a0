/**
 * The baseline for the gateway's misses, as a process of its own: a bare Node proxy. Its second argument is JSON: the URL of
 * ClickHouse, the token that stands for a value in the queries, and the queries. A GET of `/INDEX/VALUE` sends the query with
 * that index, with the value in it, over a kept connection, gathers the bytes of the response and sends them, as gzip where the
 * client accepts that.
 */
import {
  Agent,
  createServer,
  request as send,
  type IncomingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import { gzip } from 'node:zlib';

interface Proxied {
  readonly clickhouse: string;
  readonly token: string;
  readonly queries: readonly {
    readonly target: string;
    readonly headers: IncomingHttpHeaders;
    readonly body: string;
  }[];
}

const { clickhouse, token, queries } = JSON.parse(process.argv[2] ?? '') as Proxied;
const { hostname, port } = new URL(clickhouse);
const agent = new Agent({ keepAlive: true });

const server = createServer((request, response) => {
  const [, index = '', value = ''] = (request.url ?? '').split('/');
  const query = queries[Number(index)];
  if (!query) {
    response.writeHead(404).end();
    return;
  }
  const body = query.body.replaceAll(token, value);
  const path = query.target.replaceAll(token, value);
  const headers = {
    ...query.headers,
    'accept-encoding': 'identity',
    'content-length': Buffer.byteLength(body),
  };
  const sent = send({ agent, hostname, port, path, method: 'POST', headers }, (received) => {
    const chunks: Buffer[] = [];
    received.on('data', (chunk: Buffer) => chunks.push(chunk));
    received.on('end', () => {
      const bytes = Buffer.concat(chunks);
      const status = received.statusCode ?? 502;
      if (request.headers['accept-encoding'] !== 'gzip') respond(response, status, bytes, {});
      else
        gzip(bytes, (_error, packed) => {
          respond(response, status, packed, { 'Content-Encoding': 'gzip' });
        });
    });
  });
  sent.on('error', () => response.destroy());
  sent.end(body);
});

function respond(
  response: ServerResponse,
  status: number,
  body: Buffer,
  headers: Readonly<Record<string, string>>,
): void {
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    ...headers,
  });
  response.end(body);
}

server.listen(Number(process.env['PORT']), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
