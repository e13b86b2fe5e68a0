import type { IncomingMessage, ServerResponse } from 'node:http';

import { respondWith, isRequestQuery, summaryOf, withFakeClickHouse } from '../../support/fake-clickhouse.js';
import { openMultiServerGateway, type MultiServerGateway } from '../../support/multi-server-gateway.js';
import { pollUntil } from '../../support/poll-until.js';

const EMPTY = '{"result":[]}';

type Behaviour = (request: IncomingMessage, response: ServerResponse) => void;

/** A query as a server received it. */
interface Reached {
  readonly queryId: string | null;
  readonly requestId: string | null;
}

/** Two servers: the first one handles queries as the test defines. Records the request queries that reached each. */
async function withTwo(
  first: Behaviour,
  use: (
    gateway: MultiServerGateway,
    reached: { readonly first: readonly Reached[]; readonly second: readonly Reached[] },
  ) => Promise<void>,
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  const reached = { first: [] as Reached[], second: [] as Reached[] };
  const listen =
    (where: Reached[], behave: Behaviour): Behaviour =>
    (request, response) => {
      if (!isRequestQuery(request)) {
        respondWith('', 0)(request, response);
        return;
      }
      const { searchParams } = new URL(request.url ?? '', 'http://clickhouse');
      where.push({ queryId: searchParams.get('query_id'), requestId: searchParams.get('log_comment') });
      behave(request, response);
    };
  await withFakeClickHouse(listen(reached.first, first), async (a) => {
    await withFakeClickHouse(listen(reached.second, respondWith(EMPTY, 0)), async (b) => {
      const gateway = await openMultiServerGateway([a.url, b.url], environment);
      try {
        await use(gateway, reached);
      } finally {
        await gateway.close();
      }
    });
  });
}

const outcomeOf = async (response: Response): Promise<string> => {
  const { code } = (await response.json()) as { code?: string };
  return `${response.status} ${code ?? ''}`.trim();
};
const beginResponse = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { 'X-ClickHouse-Summary': summaryOf(2), 'Content-Length': 1000 });

describe('a query whose server closes the connection', () => {
  it('before the response is retried once on the other server, under a query id of its own', async () => {
    await withTwo(
      ({ socket }) => socket.destroy(),
      async (gateway, { first, second }) => {
        expect(await outcomeOf(await gateway.send('p', 'request-1'))).toBe('200');
        expect([first.length, second.length]).toEqual([1, 1]);
        expect([first[0]?.requestId, second[0]?.requestId]).toEqual(['request-1', 'request-1']);
        expect(first[0]?.queryId).toMatch(/^request-1-/);
        expect(second[0]?.queryId).toMatch(/^request-1-/);
        expect(first[0]?.queryId).not.toBe(second[0]?.queryId);
        expect(await gateway.metric('server_retried_elsewhere_total')).toBe(1);
      },
    );
  });

  it.each<[string, Behaviour]>([
    [
      'in the middle of the rows',
      (_request, response) => {
        beginResponse(response).write('{"result":[{"timestamp":"2026', () => response.socket?.destroy());
      },
    ],
    [
      'in the middle of the rows, with a reset',
      (_request, response) => {
        beginResponse(response).write('{"result":[', () => response.socket?.resetAndDestroy());
      },
    ],
    [
      'in the middle of an exception',
      (_request, response) => {
        response.writeHead(500, { 'Content-Length': 1000 });
        response.write('Code: 241. DB::Exception', () => response.socket?.resetAndDestroy());
      },
    ],
  ])('%s returns 503, and is not retried', async (_where, first) => {
    await withTwo(first, async (gateway, reached) => {
      expect(await outcomeOf(await gateway.send('p', 'cut'))).toBe('503 CLICKHOUSE_UNREACHABLE');
      expect([reached.first.length, reached.second.length]).toEqual([1, 0]);
      expect(await gateway.metric('server_retried_elsewhere_total')).toBe(0);
    });
  });
});

describe('a query is not retried', () => {
  it.each([
    [500, 'Code: 241. DB::Exception: Memory. (MEMORY_LIMIT_EXCEEDED)', '422 QUERY_NEEDS_TOO_MUCH_MEMORY'],
    [500, 'Code: 202. DB::Exception: Too many. (TOO_MANY_SIMULTANEOUS_QUERIES)', '503 CLICKHOUSE_BUSY'],
    [502, '<html>Bad gateway</html>', '502 CLICKHOUSE_FAILED'],
  ])('if a server responds %i with %j', async (status, body, expected) => {
    await withTwo(
      (_request, response) => response.writeHead(status).end(body),
      async (gateway, { first, second }) => {
        expect(await outcomeOf(await gateway.send('p', 'error'))).toBe(expected);
        expect([first.length, second.length]).toEqual([1, 0]);
      },
    );
  });

  it('if it reached its time limit', async () => {
    await withTwo(
      () => undefined,
      async (gateway, { first, second }) => {
        expect(await outcomeOf(await gateway.send('p', 'late'))).toBe('504 QUERY_TIMEOUT');
        expect([first.length, second.length]).toEqual([1, 0]);
      },
      { QUERY_TIMEOUT_SECONDS: '0.3' },
    );
  });

  it('if its caller has disconnected', async () => {
    const controller = new AbortController();
    let hangUp = (): void => undefined;
    await withTwo(
      ({ socket }) => {
        hangUp = () => void socket.destroy();
        controller.abort();
      },
      async (gateway, { first, second }) => {
        await expect(gateway.send('p', 'disconnected', controller.signal)).rejects.toThrow('aborted');
        await gateway.logger.line('request');
        hangUp();
        await pollUntil('the query has ended', async () =>
          (await gateway.metric('server_queries_running')) === 0 ? true : undefined,
        );
        expect([first.length, second.length]).toEqual([1, 0]);
      },
    );
  });
});

describe('a second try', () => {
  it('uses no second slot, and three lost connections eject the first server', async () => {
    await withTwo(
      ({ socket }) => socket.destroy(),
      async (gateway, { first, second }) => {
        const all = await Promise.all(
          Array.from({ length: 12 }, (_each, n) => gateway.send(`p${n}`, `many-${n}`)),
        );
        expect(await Promise.all(all.map(outcomeOf))).toEqual(Array.from({ length: 12 }, () => '200'));
        expect([first.length, second.length]).toEqual([3, 12]);
        expect(gateway.logger.lines.filter(({ message }) => message.includes('is ejected'))).toHaveLength(1);
      },
      { MAX_CONCURRENT_QUERIES: '1' },
    );
  });
});

describe('what stands before ClickHouse', () => {
  const WAKING_UP: Behaviour = (_request, response) =>
    response.writeHead(503, { 'Retry-After': '20' }).end('<html>waking up</html>');

  it('and says when to try again is not asked before, and the other server runs the query', async () => {
    await withTwo(WAKING_UP, async (gateway, { first, second }) => {
      for (const request of ['a', 'b', 'c'])
        expect(await outcomeOf(await gateway.send(request, request))).toBe('200');
      expect([first.length, second.length]).toEqual([1, 3]);
    });
  });

  it.each([503, 429])(
    'has its %i sent as 503 with its Retry-After where there is no other server',
    async (status) => {
      let reached = 0;
      const respond: Behaviour = (request, response) => {
        if (isRequestQuery(request)) reached += 1;
        response.writeHead(status, { 'Retry-After': '20' }).end('<html>busy</html>');
      };
      await withFakeClickHouse(respond, async ({ url }) => {
        const gateway = await openMultiServerGateway([url], {});
        try {
          for (const request of ['a', 'b']) {
            const response = await gateway.send('p', request);
            expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(15);
            expect(await outcomeOf(response)).toBe('503 CLICKHOUSE_UNAVAILABLE');
          }
          expect(reached).toBe(1);
        } finally {
          await gateway.close();
        }
      });
    },
  );
});
