import { once } from 'node:events';
import { createServer as createHttpServer, request as forward } from 'node:http';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';

import { adminConnection } from './clickhouse.js';

/** Runs a body with a relay to ClickHouse that cuts each connection after so many bytes of its responses. */
export async function withCutConnections(bytes: number, use: (url: string) => Promise<void>): Promise<void> {
  const { hostname, port } = new URL(adminConnection('default').url);
  const sockets = new Set<Socket>();
  const relay = createServer((caller) => {
    const server = connect(Number(port), hostname);
    let passed = 0;
    for (const socket of [caller, server]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    caller.pipe(server);
    server.on('data', (chunk: Buffer) => {
      passed += chunk.length;
      caller.write(chunk);
      if (passed < bytes) return;
      server.destroy();
      caller.destroy();
    });
    caller.on('close', () => server.destroy());
    server.on('close', () => caller.destroy());
  }).listen(0, '127.0.0.1');
  await once(relay, 'listening');
  try {
    await use(`http://127.0.0.1:${(relay.address() as AddressInfo).port}`);
  } finally {
    relay.close();
    for (const socket of sockets) socket.destroy();
  }
}

/** Runs a body with a proxy to ClickHouse that ends each response in order, but after so many bytes: not that with the settings. */
export async function withShortResponses(bytes: number, use: (url: string) => Promise<void>): Promise<void> {
  const { hostname, port } = new URL(adminConnection('default').url);
  const proxy = createHttpServer((request, response) => {
    const { method, url: path, headers } = request;
    const onward = forward({ hostname, port, method, path, headers }, (answer) => {
      void buffer(answer).then((body) => {
        const sent = path?.includes('system.settings') ? body : body.subarray(0, bytes);
        response.writeHead(answer.statusCode ?? 502, answer.headers).end(sent);
      });
    });
    request.pipe(onward);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  try {
    await use(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  } finally {
    proxy.closeAllConnections();
    proxy.close();
  }
}
