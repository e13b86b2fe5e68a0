/**
 * The baseline for the gateway's hits, as a process of its own: a bare Node server that sends the headers of its second
 * argument (a JSON list of names and values) and the bytes of its third (base64).
 */
import { createServer } from 'node:http';

const [, , headerList = '[]', encoded = ''] = process.argv;
const headers = JSON.parse(headerList) as string[];
const body = Buffer.from(encoded, 'base64');

const server = createServer((_request, response) => {
  response.writeHead(200, headers).end(body);
});
server.listen(Number(process.env['PORT']), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
