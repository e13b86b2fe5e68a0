import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';

import { connectClickHouse } from '../../../src/clickhouse/connection.js';
import { createQueryRunner } from '../../../src/clickhouse/query-runner.js';
import type { Failure } from '../../../src/errors.js';
import type { QueryResult } from '../../../src/query/ports.js';
import { respondWith, summaryOf, withFakeClickHouse } from '../../support/fake-clickhouse.js';
import { failureOf, queryRequest as request } from '../../support/query-requests.js';

describe('a ClickHouse that lies', () => {
  const WHOLE = '{"result":[{"n":1},\n{"n":2}]}';
  const outcome = (answer: Parameters<typeof withFakeClickHouse>[0]): Promise<Failure | QueryResult> =>
    new Promise((resolve, reject) => {
      withFakeClickHouse(answer, async ({ client }) => {
        const run = createQueryRunner(client, { timeoutMs: 2000 });
        resolve(await run(request('SELECT 1 AS n')).catch((error: unknown) => error as Failure));
      }).catch(reject);
    });
  const begin = (response: ServerResponse, length?: number): ServerResponse =>
    response.writeHead(200, {
      'X-ClickHouse-Summary': summaryOf(2),
      ...(length !== undefined && { 'Content-Length': length }),
    });

  it('is believed where the answer is whole', async () => {
    expect(await outcome(respondWith(WHOLE, 2))).toMatchObject({
      rowCount: 2,
      rowsRead: 7,
      clickhouseMs: 1.5,
    });
  });

  it.each([
    ['in the middle of a row', WHOLE.slice(0, 15)],
    ['after a row', WHOLE.slice(0, 18)],
    ['before the last byte', WHOLE.slice(0, -1)],
    ['before the first byte', ''],
  ])('with an answer that ends %s is a 502', async (_where, body) => {
    expect(await outcome(respondWith(body, 2))).toMatchObject({
      code: 'CLICKHOUSE_ANSWER_BROKEN',
      status: 502,
    });
  });

  it('with fewer rows than its summary tells is a 502', async () => {
    expect(await outcome(respondWith('{"result":[{"n":1}]}', 2))).toMatchObject({
      code: 'CLICKHOUSE_ANSWER_BROKEN',
      details: { diagnosis: 'ClickHouse sent 1 rows, its summary says 2' },
    });
  });

  it.each([
    ['an HTML page', '<html><body>Welcome to the proxy</body></html>'],
    ['the text of an exception', 'Code: 241. DB::Exception: Memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)'],
    ['rows and then an exception', '{"result":[{"n":1}Code: 241. DB::Exception: secret'],
    ['another JSON', '{"error":"none of your business"}'],
  ])('with status 200 and %s is a 502 without its words', async (_what, body) => {
    const failure = (await outcome(respondWith(body, 0))) as Failure;
    expect([failure.code, failure.status]).toEqual(['CLICKHOUSE_ANSWER_BROKEN', 502]);
    expect(failure.message).not.toMatch(/proxy|DB::Exception|business/);
  });

  it.each([
    ['without a summary', {}],
    ['with a summary that is none', { 'X-ClickHouse-Summary': 'garbage' }],
  ])('%s is a 502', async (_what, headers) => {
    const failure = await outcome((_request, response) => response.writeHead(200, headers).end(WHOLE));
    expect(failure).toMatchObject({ status: 502 });
  });

  it.each([
    [403, '<html><h1>403 Forbidden</h1></html>', 502],
    [500, '', 502],
    [404, 'Code: 60. DB::Exception: Table logs.secret does not exist. (UNKNOWN_TABLE)', 502],
    [500, 'Code: 159. DB::Exception: Timeout exceeded. (TIMEOUT_EXCEEDED)', 504],
    [500, 'Code: 202. DB::Exception: Too many queries. (TOO_MANY_SIMULTANEOUS_QUERIES)', 503],
  ])('with status %i and %j is a %i without its words', async (status, body, expected) => {
    const failure = (await outcome((_request, response) => response.writeHead(status).end(body))) as Failure;
    expect(failure.status).toBe(expected);
    expect(failure.message).not.toMatch(/html|DB::Exception|secret/);
  });

  it('that hangs up in the middle of a row is a 503', async () => {
    const failure = await outcome((_request, response) => {
      begin(response, WHOLE.length).write(WHOLE.slice(0, 15), () => response.destroy());
    });
    expect(failure).toMatchObject({ code: 'CLICKHOUSE_UNREACHABLE', status: 503 });
  });

  it('that hangs up in the middle of a chunk is a 503', async () => {
    const failure = await outcome((_request, response) => {
      begin(response).write(WHOLE.slice(0, 15), () => response.socket?.destroy());
    });
    expect(failure).toMatchObject({ code: 'CLICKHOUSE_UNREACHABLE', status: 503 });
  });

  it('that hangs up without an answer is a 503', async () => {
    const failure = await outcome((incoming) => incoming.socket.destroy());
    expect(failure).toMatchObject({ code: 'CLICKHOUSE_UNREACHABLE', status: 503 });
  });

  it.each([
    ['never answers', () => undefined],
    [
      'stops after the headers',
      (response: ServerResponse) => {
        begin(response).flushHeaders();
      },
    ],
    [
      'stops in the middle of a row',
      (response: ServerResponse) => {
        begin(response).write(WHOLE.slice(0, 15));
      },
    ],
  ])('that %s is a 504 at the limit', async (_what, stall) => {
    await withFakeClickHouse(
      (_request, response) => {
        stall(response);
      },
      async ({ client }) => {
        const run = createQueryRunner(client, { timeoutMs: 300 });
        const failure = await failureOf(run(request('SELECT 1 AS n')));
        expect([failure.code, failure.status]).toEqual(['QUERY_TIMEOUT', 504]);
      },
    );
  });

  it('that is not there is a 503 to be tried again', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    const client = connectClickHouse(
      { url: `http://127.0.0.1:${port}`, username: 'default', password: '', database: 'logs' },
      { maxOpenConnections: 1, requestTimeoutMs: 5000 },
    );
    const failure = await failureOf(createQueryRunner(client, { timeoutMs: 5000 })(request('SELECT 1 AS n')));
    expect([failure.code, failure.status, failure.details.retryAfterSeconds]).toEqual([
      'CLICKHOUSE_UNREACHABLE',
      503,
      1,
    ]);
    await client.close();
  });

  describe('has begun to answer', () => {
    /** Whether the runner says so of a query that fails. */
    const hasBegun = async (answer: RequestListener): Promise<readonly [string, boolean]> => {
      let begun = false;
      let code = '';
      await withFakeClickHouse(answer, async ({ client }) => {
        const run = createQueryRunner(client, { timeoutMs: 2000 });
        const onResponse = (): void => void (begun = true);
        ({ code } = await failureOf(run(request('SELECT 1 AS n', { onResponse }))));
      });
      return [code, begun];
    };

    it.each<[string, RequestListener]>([
      [
        'headers alone',
        (_request, response) => {
          begin(response).flushHeaders();
          setImmediate(() => response.socket?.destroy());
        },
      ],
      [
        'a part of the rows',
        (_request, response) => {
          begin(response).write(WHOLE.slice(0, 15), () => response.socket?.destroy());
        },
      ],
      [
        'a part of an error, the connection then reset',
        (_request, response) => {
          response.writeHead(500, { 'Content-Length': 500 });
          response.write('Code: 241. DB::Exc', () => response.socket?.resetAndDestroy());
        },
      ],
    ])('with %s', async (_what, answer) => {
      expect(await hasBegun(answer)).toEqual(['CLICKHOUSE_UNREACHABLE', true]);
    });

    it('with an exception', async () => {
      const exception = 'Code: 241. DB::Exception: Memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)';
      const outcome = await hasBegun((_request, response) => response.writeHead(500).end(exception));
      expect(outcome).toEqual(['QUERY_NEEDS_TOO_MUCH_MEMORY', true]);
    });

    it.each<[string, RequestListener]>([
      ['hangs up', ({ socket }) => socket.destroy()],
      ['resets the connection', ({ socket }) => socket.resetAndDestroy()],
      ['hangs up in the middle of the headers', ({ socket }) => socket.end('HTTP/1.1 200 OK\r\nX-Click')],
    ])('not where it only %s', async (_what, answer) => {
      expect(await hasBegun(answer)).toEqual(['CLICKHOUSE_UNREACHABLE', false]);
    });
  });

  it('is given what an earlier try left of the time, and the limit is told as it is', async () => {
    let asked = '';
    await withFakeClickHouse(
      ({ url = '' }) => void (asked = url),
      async ({ client }) => {
        const run = createQueryRunner(client, { timeoutMs: 30_000 });
        const failure = await failureOf(run(request('SELECT 1 AS n', { spentMs: 29_800 })));
        expect(failure.code).toBe('QUERY_TIMEOUT');
        expect(failure.message).toContain('time limit of 30 seconds');
      },
    );
    expect(new URL(asked, 'http://clickhouse').searchParams.get('max_execution_time')).toBe('1');
  });

  it('is not asked where the caller has gone before', async () => {
    let asked = 0;
    const count: RequestListener = (_request, response) => {
      asked += 1;
      respondWith('{"result":[]}', 0)(_request, response);
    };
    await withFakeClickHouse(count, async ({ client }) => {
      const run = createQueryRunner(client, { timeoutMs: 2000 });
      const failure = await failureOf(run(request('SELECT 1 AS n', { signal: AbortSignal.abort() })));
      expect([failure.code, asked]).toEqual(['CALLER_GONE', 0]);
    });
  });
});
