/**
 * Answers every query as ClickHouse would, at once: what a cache is filled from where its filling, and not ClickHouse,
 * is measured. A query about the project of its second argument gets the body of its first (base64), of as many rows as
 * its third says; any other gets no rows.
 */
import { createServer } from 'node:http';

const [encoded = '', project = '', rows = '0'] = process.argv.slice(2);
const body = Buffer.from(encoded, 'base64');
const nothing = Buffer.from('{"result":[]}');

const summaryOf = (count: string): string =>
  JSON.stringify({ read_rows: count, read_bytes: count, result_rows: count, elapsed_ns: '1000' });

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    const asked = new URL(request.url ?? '/', 'http://clickhouse').searchParams.get('param_project');
    const isKnown = asked === project;
    response.writeHead(200, { 'X-ClickHouse-Summary': summaryOf(isKnown ? rows : '0') });
    response.end(isKnown ? body : nothing);
  });
});
server.listen(Number(process.env['PORT']), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
