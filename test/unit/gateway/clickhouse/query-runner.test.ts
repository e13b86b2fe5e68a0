import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';

import { connectClickHouse } from '../../../../src/gateway/clickhouse/connect-clickhouse.js';
import { createQueryRunner } from '../../../../src/gateway/clickhouse/query-runner.js';
import { OPERATORS } from '../../../../src/endpoint/figures.js';
import type { Failure } from '../../../../src/gateway/errors.js';
import type { QueryResult } from '../../../../src/gateway/query/ports.js';
import { respondWith, summaryOf, withFakeClickHouse } from '../../../support/fake-clickhouse.js';
import { failureOf, queryRequest as request } from '../../../support/query-requests.js';

describe('the response of ClickHouse', () => {
  const WHOLE = '{"result":[{"n":1},\n{"n":2}]}';
  const outcome = (listener: Parameters<typeof withFakeClickHouse>[0]): Promise<Failure | QueryResult> =>
    new Promise((resolve, reject) => {
      withFakeClickHouse(listener, async ({ client }) => {
        const run = createQueryRunner(client, { timeoutMs: 2000 });
        resolve(await run(request('SELECT 1 AS n')).catch((error: unknown) => error as Failure));
      }).catch(reject);
    });
  const begin = (response: ServerResponse, length?: number): ServerResponse =>
    response.writeHead(200, {
      'X-ClickHouse-Summary': summaryOf(2),
      ...(length !== undefined && { 'Content-Length': length }),
    });

  it('is accepted when it is complete', async () => {
    const result = (await outcome(respondWith(WHOLE, 2))) as QueryResult;
    expect(result.rowCount).toBe(2);
    expect(result.cost.readBy(OPERATORS)).toMatchObject({ rowsRead: 7, clickhouseMs: 1.5 });
  });

  it.each([
    ['in the middle of a row', WHOLE.slice(0, 15)],
    ['after a row', WHOLE.slice(0, 18)],
    ['before the last byte', WHOLE.slice(0, -1)],
    ['before the first byte', ''],
  ])('fails with 502 when it ends %s', async (_where, body) => {
    expect(await outcome(respondWith(body, 2))).toMatchObject({
      code: 'CLICKHOUSE_ANSWER_BROKEN',
      status: 502,
    });
  });

  it('fails with 502 when it has fewer rows than its summary', async () => {
    expect(await outcome(respondWith('{"result":[{"n":1}]}', 2))).toMatchObject({
      code: 'CLICKHOUSE_ANSWER_BROKEN',
      details: { diagnosis: 'ClickHouse sent 1 rows, its summary says 2' },
    });
  });

  it.each([
    ['an HTML page', '<html><body>Welcome to the proxy</body></html>'],
    ['the text of an exception', 'Code: 241. DB::Exception: Memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)'],
    ['rows and then an exception', '{"result":[{"n":1}Code: 241. DB::Exception: secret'],
    ['other JSON', '{"error":"none of your business"}'],
  ])('fails with 502 and without its text for status 200 and %s', async (_what, body) => {
    const failure = (await outcome(respondWith(body, 0))) as Failure;
    expect([failure.code, failure.status]).toEqual(['CLICKHOUSE_ANSWER_BROKEN', 502]);
    expect(failure.message).not.toMatch(/proxy|DB::Exception|business/);
  });

  it.each([
    ['without a summary', {}],
    ['with an invalid summary', { 'X-ClickHouse-Summary': 'garbage' }],
  ])('fails with 502 %s', async (_what, headers) => {
    const failure = await outcome((_request, response) => response.writeHead(200, headers).end(WHOLE));
    expect(failure).toMatchObject({ status: 502 });
  });

  it.each([
    [403, '<html><h1>403 Forbidden</h1></html>', 502],
    [500, '', 502],
    [404, 'Code: 60. DB::Exception: Table logs.secret does not exist. (UNKNOWN_TABLE)', 502],
    [500, 'Code: 159. DB::Exception: Timeout exceeded. (TIMEOUT_EXCEEDED)', 504],
    [500, 'Code: 202. DB::Exception: Too many queries. (TOO_MANY_SIMULTANEOUS_QUERIES)', 503],
  ])('with status %i and %j fails with %i and without its text', async (status, body, expected) => {
    const failure = (await outcome((_request, response) => response.writeHead(status).end(body))) as Failure;
    expect(failure.status).toBe(expected);
    expect(failure.message).not.toMatch(/html|DB::Exception|secret/);
  });

  it('fails with 503 when the connection closes in the middle of a row', async () => {
    const failure = await outcome((_request, response) => {
      begin(response, WHOLE.length).write(WHOLE.slice(0, 15), () => response.destroy());
    });
    expect(failure).toMatchObject({ code: 'CLICKHOUSE_UNREACHABLE', status: 503 });
  });

  it('fails with 503 when the connection closes in the middle of a chunk', async () => {
    const failure = await outcome((_request, response) => {
      begin(response).write(WHOLE.slice(0, 15), () => response.socket?.destroy());
    });
    expect(failure).toMatchObject({ code: 'CLICKHOUSE_UNREACHABLE', status: 503 });
  });

  it('fails with 503 when the connection closes before the response', async () => {
    const failure = await outcome((incoming) => incoming.socket.destroy());
    expect(failure).toMatchObject({ code: 'CLICKHOUSE_UNREACHABLE', status: 503 });
  });

  it.each([
    ['never starts', () => undefined],
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
  ])('fails with 504 at the time limit when it %s', async (_what, stall) => {
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

  it('fails with 503 and Retry-After when the server is unreachable', async () => {
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

  describe('calls onResponse', () => {
    /** The error code of a query that fails, and whether onResponse was called. */
    const outcomeOf = async (listener: RequestListener): Promise<readonly [string, boolean]> => {
      let begun = false;
      let code = '';
      await withFakeClickHouse(listener, async ({ client }) => {
        const run = createQueryRunner(client, { timeoutMs: 2000 });
        const onResponse = (): void => void (begun = true);
        ({ code } = await failureOf(run(request('SELECT 1 AS n', { onResponse }))));
      });
      return [code, begun];
    };

    it.each<[string, RequestListener]>([
      [
        'headers only',
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
        'a part of an error before a reset',
        (_request, response) => {
          response.writeHead(500, { 'Content-Length': 500 });
          response.write('Code: 241. DB::Exc', () => response.socket?.resetAndDestroy());
        },
      ],
    ])('after %s', async (_what, listener) => {
      expect(await outcomeOf(listener)).toEqual(['CLICKHOUSE_UNREACHABLE', true]);
    });

    it('after an exception', async () => {
      const exception = 'Code: 241. DB::Exception: Memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)';
      const outcome = await outcomeOf((_request, response) => response.writeHead(500).end(exception));
      expect(outcome).toEqual(['QUERY_NEEDS_TOO_MUCH_MEMORY', true]);
    });

    it.each<[string, RequestListener]>([
      ['closes the connection', ({ socket }) => socket.destroy()],
      ['resets the connection', ({ socket }) => socket.resetAndDestroy()],
      [
        'closes the connection in the middle of the headers',
        ({ socket }) => socket.end('HTTP/1.1 200 OK\r\nX-Click'),
      ],
    ])('not when the server only %s', async (_what, listener) => {
      expect(await outcomeOf(listener)).toEqual(['CLICKHOUSE_UNREACHABLE', false]);
    });
  });

  it('has the time that an earlier attempt left, and its failure states the whole limit', async () => {
    let requestUrl = '';
    await withFakeClickHouse(
      ({ url = '' }) => void (requestUrl = url),
      async ({ client }) => {
        const run = createQueryRunner(client, { timeoutMs: 30_000 });
        const failure = await failureOf(run(request('SELECT 1 AS n', { spentMs: 29_800 })));
        expect(failure.code).toBe('QUERY_TIMEOUT');
        expect(failure.message).toContain('time limit of 30 seconds');
      },
    );
    expect(new URL(requestUrl, 'http://clickhouse').searchParams.get('max_execution_time')).toBe('1');
  });

  it('is not requested when the caller has already disconnected', async () => {
    let requests = 0;
    const count: RequestListener = (_request, response) => {
      requests += 1;
      respondWith('{"result":[]}', 0)(_request, response);
    };
    await withFakeClickHouse(count, async ({ client }) => {
      const run = createQueryRunner(client, { timeoutMs: 2000 });
      const failure = await failureOf(run(request('SELECT 1 AS n', { signal: AbortSignal.abort() })));
      expect([failure.code, requests]).toEqual(['CALLER_GONE', 0]);
    });
  });
});
