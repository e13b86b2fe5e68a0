import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { sendLoad } from '../../../bench/gateway/send-load.js';

let server: Server;

async function listen(listener: RequestListener): Promise<number> {
  server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const request = (target: string): string => `GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

describe('sendLoad', () => {
  it('sends each request once over the connections where the load has as many times', async () => {
    const seen: string[] = [];
    const port = await listen(({ url = '' }, response) => {
      seen.push(url);
      response.end('body');
    });
    const targets = Array.from({ length: 20 }, (_, index) => `/${index}`);
    const { requests, failures } = await sendLoad({
      ...{ port, requests: targets.map(request), connections: 4, times: 20 },
    });
    expect([...seen].sort()).toEqual([...targets].sort());
    expect([requests, failures]).toEqual([20, 0]);
  });

  it('counts responses other than 200 as failures', async () => {
    const port = await listen(({ url }, response) => {
      response.writeHead(url === '/rejected' ? 429 : 200).end('body');
    });
    const requests = [request('/rejected'), request('/')];
    expect((await sendLoad({ port, requests, connections: 2, times: 10 })).failures).toBe(5);
  });

  it('counts lost connections as failures, and ends when none is left', async () => {
    const port = await listen((_, response) => response.destroy());
    const { requests, failures } = await sendLoad({
      ...{ port, requests: [request('/')], connections: 3, seconds: 60 },
    });
    expect([requests, failures]).toEqual([0, 3]);
  });

  it('counts the latency of a paced load from when a request was due, not from when it was sent', async () => {
    const port = await listen((_, response) => setTimeout(() => response.end('body'), 50));
    const { p99 } = await sendLoad({
      ...{ port, requests: [request('/')], connections: 1, rate: 100, times: 10 },
    });
    // The tenth is due after 90 ms, and waits for nine responses of 50 ms.
    expect(p99).toBeGreaterThan(350);
  });
});
