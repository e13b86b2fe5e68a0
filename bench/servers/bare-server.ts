/**
 * The baseline for the gateway's hits, as a process of its own: a bare Node server, or a bare Express route, that
 * returns the bytes of its second argument (base64).
 */
import { createServer, type RequestListener } from 'node:http';
import express from 'express';

const [kind, encoded = ''] = process.argv.slice(2);
const body = Buffer.from(encoded, 'base64');

const bareNode: RequestListener = (_request, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body);
};

function bareExpress(): RequestListener {
  const app = express();
  app.get('/api/endpoints/query/:name', (_request, response) => {
    response.type('json').send(body);
  });
  return app;
}

const server = createServer(kind === 'express' ? bareExpress() : bareNode);
server.listen(Number(process.env['PORT']), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
