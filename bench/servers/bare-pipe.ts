/**
 * The baseline for exports, as a process of its own: a bare Node pipe. Its second argument is JSON: a URL of ClickHouse with the
 * query string of a query, its headers, and the SQL. Each GET runs the query and pipes the bytes of the response.
 */
import { Agent, createServer, request as send } from 'node:http';

interface Piped {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const { url, headers, body } = JSON.parse(process.argv[2] ?? '') as Piped;
const agent = new Agent({ keepAlive: true });

const server = createServer((_request, response) => {
  const sent = send(url, { agent, method: 'POST', headers }, (received) => {
    response.writeHead(received.statusCode ?? 502, { 'Content-Type': 'application/x-ndjson' });
    received.pipe(response);
  });
  sent.on('error', () => response.destroy());
  sent.end(body);
});

server.listen(Number(process.env['PORT']), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
