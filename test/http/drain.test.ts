import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import { drain } from '../../src/gateway/http/transport/drain.js';
import { createHttpServer } from '../../src/gateway/http/transport/server.js';
import { nativeSignal } from '../../src/gateway/query/signal.js';
import { resultOf } from '../support/fake-run-query.js';
import { pollUntil } from '../support/poll-until.js';
import { exchange, send, type RawResponse } from '../support/raw-exchange.js';
import { createTestGateway, GOOD_CALL, KEY } from '../support/test-gateway.js';

const REQUEST = `GET ${GOOD_CALL} HTTP/1.1\r\nHost: gateway\r\nX-API-KEY: ${KEY}\r\n\r\n`;

/** A listening server with one running query. */
interface BusyServer {
  readonly server: Server;
  readonly port: number;
  readonly responses: Promise<readonly RawResponse[]>;
  readonly finishQuery: () => void;
  /** Resolves when the gateway cancels the query. */
  readonly aborted: Promise<unknown>;
}

async function startBusyServer(): Promise<BusyServer> {
  const { listener, logger, runQuery } = await createTestGateway();
  const finishing = new AbortController();
  const running = new Promise<AbortSignal>((resolve) => {
    runQuery.respondWith(async ({ signal }) => {
      resolve(nativeSignal(signal));
      await once(finishing.signal, 'abort', { signal: nativeSignal(signal) });
      return resultOf([]);
    });
  });
  const server = createHttpServer(listener, logger);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const responses = exchange(port, REQUEST);
  const signal = await running;
  return {
    server,
    port,
    responses: responses,
    finishQuery: () => {
      finishing.abort();
    },
    aborted: once(signal, 'abort'),
  };
}

describe('drain', () => {
  it('accepts no more connections, completes running requests, and closes their connections', async () => {
    const { server, port, responses: responses, finishQuery } = await startBusyServer();
    const drained = drain(server, 20_000);
    await expect(exchange(port, REQUEST)).rejects.toThrow('ECONNREFUSED');
    finishQuery();
    expect((await responses).map(({ status, body }) => [status, body])).toEqual([[200, '{"result":[]}']]);
    await drained;
  });

  it('does not wait for a connection without a request', async () => {
    const { server, port, responses: responses, finishQuery } = await startBusyServer();
    const idle = send(port, '');
    await once(idle, 'connect');
    finishQuery();
    await drain(server, 20_000);
    await responses;
    idle.destroy();
  });

  it('responds to the next request on a keep-alive connection with Connection: close', async () => {
    const { listener, logger } = await createTestGateway();
    const server = createHttpServer(listener, logger);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const caller = send(port, REQUEST);
    let text = '';
    caller.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    await pollUntil('the first response', () => text.includes('{"result":') || undefined);
    const drained = drain(server, 20_000);
    const [first] = [text];
    caller.write(REQUEST);
    await once(caller, 'end');
    caller.destroy();
    await drained;
    expect(first).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(first).not.toMatch(/Connection: close/i);
    expect(text.slice(first.length)).toMatch(
      /^HTTP\/1\.1 200 OK\r\n[^]*Connection: close\r\n[^]*{"result":/i,
    );
  });

  it('accepts the first request of a connection that is already open', async () => {
    const { server, port, responses: responses, finishQuery } = await startBusyServer();
    const late = send(port, '');
    await once(late, 'connect');
    // A response to a later connection proves that the server has accepted this one.
    await exchange(
      port,
      REQUEST.replace('X-API-KEY', 'X-NO-KEY').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'),
    );
    const drained = drain(server, 20_000);
    let text = '';
    late.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    late.write('GET /health/live HTTP/1.1\r\nHost: gateway\r\n\r\n');
    await once(late, 'end');
    late.destroy();
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*Connection: close\r\n/i);
    finishQuery();
    await responses;
    await drained;
  });

  it('completes each of several pipelined requests', async () => {
    const { listener, logger, runQuery } = await createTestGateway();
    const finish: (() => void)[] = [];
    runQuery.respondWith(
      () =>
        new Promise((resolve) => {
          finish.push(() => {
            resolve(resultOf([]));
          });
        }),
    );
    const server = createHttpServer(listener, logger);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const caller = send(
      (server.address() as AddressInfo).port,
      ['a', 'b', 'c'].map((project) => REQUEST.replace('project=a', `project=${project}`)).join(''),
    );
    let text = '';
    caller.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    await pollUntil('the first query runs', () => finish.length === 1 || undefined);
    const drained = drain(server, 20_000);
    finish[0]?.();
    await pollUntil('the first response', () => text.includes('{"result":') || undefined);
    // Longer than the idle timeout of a connection.
    await delay(1300);
    finish[1]?.();
    await pollUntil('the third query runs', () => finish.length === 3 || undefined);
    finish[2]?.();
    await once(caller, 'end');
    caller.destroy();
    await drained;
    expect(text).toMatch(/^(HTTP\/1\.1 200 OK\r\n[^]*?\{"result":\[\]\}){3}$/);
    expect(text.match(/^Connection: [a-z-]+/gim)).toEqual([
      'Connection: keep-alive',
      'Connection: keep-alive',
      'Connection: close',
    ]);
  });

  it('closes connections whose requests do not complete in time, and cancels their queries', async () => {
    const { server, responses: responses, aborted } = await startBusyServer();
    const cut = responses.catch(() => []);
    await drain(server, 50);
    await aborted;
    expect(await cut).toEqual([]);
  });
});
