import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

import type { QueryResponse, BoundedQuery } from '../../../../src/gateway/clickhouse/query-connections.js';
import { withFakeClickHouse } from '../../../support/fake-clickhouse.js';

const QUERY: BoundedQuery = {
  search: 'a=b',
  body: 'SELECT 1',
  signal: new AbortController().signal,
  maxBytes: 100,
};

/** Sends queries one after the other to a server; returns what each of them came to, as seen by the server too. */
async function send(
  listener: RequestListener,
  ...queries: readonly Partial<BoundedQuery>[]
): Promise<readonly (QueryResponse | Error)[]> {
  const outcomes: (QueryResponse | Error)[] = [];
  await withFakeClickHouse(listener, async ({ client }) => {
    for (const query of queries) {
      outcomes.push(await client.sendQuery({ ...QUERY, ...query }).catch((error: unknown) => error as Error));
    }
  });
  return outcomes;
}

const textOf = (outcome: QueryResponse | Error | undefined): string =>
  outcome instanceof Error ? outcome.message : (outcome?.body.toString() ?? '');

describe('queries', () => {
  it('share a connection, and have their text as the body', async () => {
    const sockets = new Set<Socket>();
    const echo: RequestListener = (request, response) => {
      sockets.add(request.socket);
      void request
        .toArray()
        .then((chunks) => response.end(`${request.url} ${Buffer.concat(chunks).toString()}`));
    };
    const [first, second] = await send(echo, {}, { search: 'c=d', body: 'SELECT 2' });
    expect([textOf(first), textOf(second)]).toEqual([
      '/?database=logs&a=b SELECT 1',
      '/?database=logs&c=d SELECT 2',
    ]);
    expect(sockets.size).toBe(1);
  });

  it('are sent once more where the server had closed the idle connection', async () => {
    const sockets = new Set<Socket>();
    const [first, second] = await send(
      (request, response) => {
        const isIdle = sockets.has(request.socket);
        sockets.add(request.socket);
        if (isIdle) request.socket.resetAndDestroy();
        else response.end('row');
      },
      {},
      {},
    );
    expect([textOf(first), textOf(second), sockets.size]).toEqual(['row', 'row', 2]);
  });

  it.each<[string, RequestListener]>([
    ['on a new connection', ({ socket }) => socket.resetAndDestroy()],
    [
      'after its response has started',
      (_request, response) => {
        response.writeHead(200, { 'Content-Length': 5 }).write('r', () => response.socket?.resetAndDestroy());
      },
    ],
  ])('are not sent again when the connection is lost %s', async (_when, listener) => {
    let requests = 0;
    const [outcome] = await send((request, response) => {
      requests += 1;
      listener(request, response);
    }, {});
    expect(outcome).toMatchObject({ code: 'ECONNRESET' });
    expect(requests).toBe(1);
  });

  it('fail when the response is longer than allowed', async () => {
    const [outcome] = await send((_request, response) => response.end('x'.repeat(101)), {});
    expect(outcome).toMatchObject({ code: 'RESULT_TOO_LARGE' });
  });

  it('end at once with the reason of an abort, also while they wait for a connection', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const closed: Promise<unknown>[] = [];
    await withFakeClickHouse(
      ({ socket }) => {
        closed.push(once(socket, 'close'));
        // Both connections are in use, so the third query waits.
        if (closed.length === 2) controller.abort(new Error('disconnected'));
      },
      async ({ client }) => {
        const sent = [1, 2, 3].map(() => client.sendQuery({ ...QUERY, signal }));
        const outcomes = await Promise.allSettled(sent);
        expect(outcomes).toEqual(sent.map(() => ({ status: 'rejected', reason: signal.reason as Error })));
        await Promise.all(closed);
      },
    );
    expect(closed).toHaveLength(2);
  });
});
