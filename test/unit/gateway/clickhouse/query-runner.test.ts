import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';

import { connectClickHouse } from '../../../../src/gateway/clickhouse/connect-clickhouse.js';
import { createQueryRunner } from '../../../../src/gateway/clickhouse/query-runner.js';
import type { BoundQuery } from '../../../../src/endpoint/bind.js';
import { OPERATORS } from '../../../../src/endpoint/figures.js';
import type { Failure } from '../../../../src/gateway/errors.js';
import type { QueryResult } from '../../../../src/gateway/query/ports.js';
import {
  isRequestQuery,
  respondWith,
  summaryOf,
  withFakeClickHouse,
} from '../../../support/fake-clickhouse.js';
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

  const flush = (response: ServerResponse): void => {
    begin(response).flushHeaders();
  };

  it('is accepted when it is complete', async () => {
    const result = (await outcome(respondWith(WHOLE, 2))) as QueryResult;
    expect(result.rowCount).toBe(2);
    expect(result.cost.readBy(OPERATORS)).toMatchObject({ rowsRead: 7, clickhouseMs: 1.5 });
  });

  it.each([
    ['ends in the middle of a row', WHOLE.slice(0, 15), 2],
    ['ends after a row', WHOLE.slice(0, 18), 2],
    ['ends before the last byte', WHOLE.slice(0, -1), 2],
    ['is empty', '', 2],
    ['is an HTML page', '<html><body>Welcome to the proxy</body></html>', 0],
    ['is an exception', 'Code: 241. DB::Exception: Memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)', 0],
    ['has rows and then an exception', '{"result":[{"n":1}Code: 241. DB::Exception: secret', 0],
    ['is other JSON', '{"error":"none of your business"}', 0],
  ])('fails with 502 and without its text when it %s', async (_what, body, rows) => {
    const failure = (await outcome(respondWith(body, rows))) as Failure;
    expect([failure.code, failure.status]).toEqual(['CLICKHOUSE_ANSWER_BROKEN', 502]);
    expect(failure.message).not.toMatch(/proxy|DB::Exception|business/);
  });

  it('fails with 502 when it has fewer rows than its summary', async () => {
    expect(await outcome(respondWith('{"result":[{"n":1}]}', 2))).toMatchObject({
      code: 'CLICKHOUSE_ANSWER_BROKEN',
      details: { diagnosis: 'ClickHouse sent 1 rows, its summary says 2' },
    });
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
    [404, 'Code: 60. DB::Exception: Table logs.secret does not exist. (UNKNOWN_TABLE)', 500],
    [500, 'Code: 159. DB::Exception: Timeout exceeded. (TIMEOUT_EXCEEDED)', 504],
    [500, 'Code: 202. DB::Exception: Too many queries. (TOO_MANY_SIMULTANEOUS_QUERIES)', 503],
  ])('with status %i and %j fails with %i and without its text', async (status, body, expected) => {
    const failure = (await outcome((_request, response) => response.writeHead(status).end(body))) as Failure;
    expect(failure.status).toBe(expected);
    expect(failure.message).not.toMatch(/html|DB::Exception|secret/);
  });

  it.each<[string, (response: ServerResponse) => unknown]>([
    ['never starts', () => undefined],
    ['stops after the headers', flush],
    ['stops in the middle of a row', (response) => begin(response).write(WHOLE.slice(0, 15))],
  ])('fails with 504 at the time limit when it %s', async (_what, stall) => {
    const listener: RequestListener = (_request, response) => void stall(response);
    await withFakeClickHouse(listener, async ({ client }) => {
      const failure = await failureOf(
        createQueryRunner(client, { timeoutMs: 300 })(request('SELECT 1 AS n')),
      );
      expect([failure.code, failure.status]).toEqual(['QUERY_TIMEOUT', 504]);
    });
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

  const EXCEPTION = 'Code: 241. DB::Exception: Memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)';
  const reset = (response: ServerResponse): unknown => response.socket?.resetAndDestroy();
  const close = (response: ServerResponse): unknown => response.socket?.destroy();
  const flushAndClose = (response: ServerResponse): void => {
    flush(response);
    setImmediate(() => close(response));
  };
  it.each<[what: string, (response: ServerResponse) => unknown, begun?: boolean, code?: string]>([
    ['headers only', flushAndClose],
    ['a part of the rows', (to) => begin(to, WHOLE.length).write(WHOLE.slice(0, 15), () => close(to))],
    ['a part of a chunk', (to) => begin(to).write(WHOLE.slice(0, 15), () => close(to))],
    [
      'a part of an error',
      (to) => to.writeHead(500, { 'Content-Length': 500 }).write('Code:', () => reset(to)),
    ],
    ['an exception', (to) => to.writeHead(500).end(EXCEPTION), true, 'QUERY_NEEDS_TOO_MUCH_MEMORY'],
    ['nothing, and closes the connection', close, false],
    ['nothing, and resets the connection', reset, false],
    ['a part of the headers', (to) => to.socket?.end('HTTP/1.1 200 OK\r\nX-Click'), false],
  ])(
    'fails where the server sends %s, and calls onResponse where it began',
    async (_what, respond, ...rest) => {
      const [begun = true, code = 'CLICKHOUSE_UNREACHABLE'] = rest;
      const listener: RequestListener = (_request, response) => void respond(response);
      await withFakeClickHouse(listener, async ({ client }) => {
        let called = false;
        const run = createQueryRunner(client, { timeoutMs: 2000 });
        const failure = await failureOf(
          run(request('SELECT 1 AS n', { onResponse: () => void (called = true) })),
        );
        expect([failure.code, called]).toEqual([code, begun]);
      });
    },
  );

  it('keeps its failure where ClickHouse does not analyse the values within the time limit, and is analysed once', async () => {
    const analysed: string[] = [];
    const fails: RequestListener = (sent, response) => {
      if (isRequestQuery(sent)) {
        response.writeHead(500, { 'X-ClickHouse-Exception-Code': '38' });
        response.end('Code: 38. DB::Exception: Cannot parse date. (CANNOT_PARSE_DATE)');
        return;
      }
      sent.on('data', (text) => analysed.push(String(text)));
    };
    await withFakeClickHouse(fails, async ({ client }) => {
      const run = createQueryRunner(client, { timeoutMs: 1500 });
      const exampleOf = (): BoundQuery => ({ text: 'SELECT 1 AS n', parameters: {} });
      expect((await failureOf(run(request('SELECT 2 AS n', { exampleOf })))).code).toBe('CLICKHOUSE_FAILED');
    });
    expect(analysed.filter((text) => text.startsWith('EXPLAIN'))).toEqual([
      expect.stringContaining('SELECT 2 AS n'),
    ]);
  });

  it('has the time that an earlier attempt left, and its failure states the whole limit', async () => {
    let requestUrl = '';
    await withFakeClickHouse(
      ({ url = '' }) => void (requestUrl = url),
      async ({ client }) => {
        const run = createQueryRunner(client, { timeoutMs: 30_000 });
        const failure = await failureOf(run(request('SELECT 1 AS n', { spentMs: 28_500 })));
        expect(failure.code).toBe('QUERY_TIMEOUT');
        expect(failure.message).toContain('time limit of 30 seconds');
      },
    );
    expect(new URL(requestUrl, 'http://clickhouse').searchParams.get('max_execution_time')).toBe('1.5');
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
