import { once } from 'node:events';
import { get as httpGet, IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

import { Figures } from '../../src/endpoint/figures.js';
import { Failure } from '../../src/gateway/errors.js';
import type { DevelopmentSource } from '../../src/gateway/http/describe/development-routes.js';
import { AccessLog, type AccessLogParts } from '../../src/gateway/http/transport/access-log.js';
import { createHttpServer } from '../../src/gateway/http/transport/server.js';
import { Metrics } from '../../src/gateway/observability/metrics.js';
import { nativeSignal } from '../../src/gateway/query/signal.js';
import { pollUntil } from '../support/poll-until.js';
import { whileListening } from '../support/raw-exchange.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { createTestGateway, GOOD_CALL, KEY } from '../support/test-gateway.js';

const SECRET = 'Zq7secretValue';

const logTo = (logger: RecordingLogger, parts: Partial<AccessLogParts> = {}): AccessLog =>
  new AccessLog({ logger, metrics: new Metrics(), clock: () => new Date(0), ...parts });

describe('the access log', () => {
  it('writes one line per request, with the fields that an operator needs', async () => {
    const { get, logger, runQuery } = await createTestGateway();
    runQuery.returnRows([{ a: 1 }, { a: 2 }]);
    await get(GOOD_CALL).set('X-Request-Id', 'request-1');
    const { level, fields } = await logger.line('request');
    expect(level).toBe('info');
    expect(fields).toMatchObject({
      requestId: 'request-1',
      method: 'GET',
      path: '/api/endpoints/query/usage.api-counts',
      key: 'tester',
      endpoint: 'usage.api-counts',
      status: 200,
      rows: 2,
      clickhouseMs: 1.5,
      waitingMs: 0,
    });
    // The gateway's own share is the total without ClickHouse.
    expect(fields['gatewayMs']).toBeCloseTo(Number(fields['totalMs']) - 1.5, 1);
    expect(logger.lines).toHaveLength(1);
  });

  it.each([
    ['a path that does not exist', '/api/nothing', 404, 'NOT_FOUND'],
    ['an endpoint that does not exist', '/api/endpoints/query/nothing', 404, 'ENDPOINT_NOT_FOUND'],
    ['invalid parameters', '/api/endpoints/query/logs.all', 400, 'INVALID_PARAMETERS'],
  ])('logs the complete path and the error code for %s', async (_what, url, status, code) => {
    const { get, logger } = await createTestGateway();
    await get(`${url}?x=${SECRET}`);
    expect((await logger.line('request')).fields).toMatchObject({ path: url, status, code });
  });

  it.each([
    ['the client disconnected', undefined, { status: 499 }, 'info'],
    ['the gateway failed', new Error('zlib'), { status: 500, code: 'INTERNAL' }, 'error'],
    [
      'the call failed',
      new Failure('QUERY_TIMEOUT', 'Late.'),
      { status: 504, code: 'QUERY_TIMEOUT' },
      'error',
    ],
  ])('logs a response that was broken off because %s as such', async (_why, failure, fields, level) => {
    const logger = new RecordingLogger();
    const context = { requestId: 'request-1', startedAt: performance.now(), failure };
    const request = new IncomingMessage(new Socket());
    logTo(logger).note(request, new ServerResponse(request), '/', context);
    expect(await logger.line('request')).toMatchObject({ level, fields });
  });

  it('charges a query that failed to one of its callers, and the time of each in it to ClickHouse', () => {
    const logger = new RecordingLogger();
    const completed: unknown[] = [];
    const log = logTo(logger, { onCompleted: ({ context }) => completed.push(context.outcome?.charged) });
    const cost = new Figures({ rowsRead: 7, bytesRead: 8, clickhouseMs: 90_000 });
    const failure = new Failure('QUERY_TIMEOUT', 'Late.', { cost });
    const outcome = { cache: 'MISS', awaited: cost } as const;
    for (const end of [{ failure }, { failure }, { outcome }]) {
      const request = new IncomingMessage(new Socket());
      const context = { requestId: 'request-1', startedAt: performance.now() - 90_000, ...end };
      log.note(request, new ServerResponse(request), '/', context);
    }
    log.reportAll();
    const times = logger.lines.map(({ fields }) => [
      Number(fields['gatewayMs']) < 30_000,
      fields['clickhouseMs'],
    ]);
    expect(times).toEqual([
      [true, 90_000],
      [true, undefined],
      [true, undefined],
    ]);
    expect(completed).toEqual([{ cost, callers: 1 }, undefined, undefined]);
  });

  it('reports each request once and in order, also while many finish', async () => {
    const reported: string[] = [];
    const log = logTo(new RecordingLogger(), {
      onCompleted: ({ context }) => reported.push(context.requestId),
    });
    const sent: string[] = [];
    const finish = (requestId: string): void => {
      sent.push(requestId);
      const request = new IncomingMessage(new Socket());
      log.note(request, new ServerResponse(request), '/', { requestId, startedAt: performance.now() });
    };
    for (let burst = 0; burst < 3; burst += 1) {
      for (let index = 0; index < 100; index += 1) finish(`${burst}-${index}`);
      await pollUntil('the burst is reported', () => (reported.length === sent.length ? true : undefined));
    }
    finish('last');
    log.reportAll();
    expect(reported).toEqual(sent);
    finish('after it');
    await pollUntil('it is reported', () => (reported.length === sent.length ? true : undefined));
    expect(reported).toEqual(sent);
  });

  it('has reported every request in the metrics when they are scraped', async () => {
    const metrics = new Metrics();
    const log = logTo(new RecordingLogger(), { metrics });
    metrics.reportRequests = log.reportAll;
    const request = new IncomingMessage(new Socket());
    const context = { requestId: 'request-1', startedAt: performance.now(), endpoint: 'orders' };
    log.note(request, new ServerResponse(request), '/', context);
    expect(await metrics.registry.metrics()).toMatch(/^querygate_requests_total\{endpoint="orders".*\} 1$/m);
  });

  it('logs no key if the request has none', async () => {
    const { agent, logger } = await createTestGateway();
    await agent().get(GOOD_CALL);
    const { fields } = await logger.line('request');
    expect(fields).toMatchObject({ status: 401, code: 'API_KEY_MISSING' });
    expect(fields['key']).toBeUndefined();
  });

  it('contains neither keys nor parameter values, whatever the outcome', async () => {
    const { agent, get, logger, runQuery } = await createTestGateway();
    const url = `/api/endpoints/query/usage.api-counts?interval=daily&project=${SECRET}`;
    const cause = new Error(`SELECT '${SECRET}'`);
    for (const code of ['CLICKHOUSE_FAILED', 'QUERY_TIMEOUT'] as const) {
      runQuery.fail(new Failure(code, 'Failed.', { cause, diagnosis: 'UNKNOWN_TABLE' }));
      await get(url);
    }
    runQuery.returnRows([{ a: SECRET }]);
    await get(url);
    await get(url);
    await get(`${url}&interval=${SECRET}`);
    await get(`/api/endpoints/query/logs.all?iso_timestamp_start=${SECRET}`);
    await agent().get(url).set('X-API-KEY', SECRET);
    await agent().get(url).set('Authorization', `Bearer ${SECRET}`);
    const written = JSON.stringify(logger.lines.filter(({ level }) => level !== 'debug'));
    expect(written.match(/"request"/g)).toHaveLength(8);
    expect(written).not.toContain(SECRET);
    expect(written).not.toContain(KEY);
  });

  it('logs the cause of a failure at level debug only, and the diagnosis at every level', async () => {
    const { get, logger, runQuery } = await createTestGateway();
    const cause = new Error('Table edge_logs does not exist');
    runQuery.fail(
      new Failure('CLICKHOUSE_FAILED', 'Failed.', { cause, diagnosis: 'ClickHouse: UNKNOWN_TABLE' }),
    );
    await get(GOOD_CALL);
    const { level, fields } = await logger.line('request');
    expect(level).toBe('error');
    expect(fields).toMatchObject({ code: 'CLICKHOUSE_FAILED', diagnosis: 'ClickHouse: UNKNOWN_TABLE' });
    expect(JSON.stringify(fields)).not.toContain('edge_logs');
    const debug = logger.lines.filter((line) => line.level === 'debug');
    expect(JSON.stringify(debug)).toContain('Table edge_logs does not exist');
  });

  it.each([
    ['WAIT_OVER', 'info'],
    ['NOT_CACHED', 'info'],
    ['QUERY_TIMEOUT', 'error'],
  ] as const)('of a 504 %s has the level %s', async (code, level) => {
    const { get, logger, runQuery } = await createTestGateway();
    runQuery.fail(new Failure(code, 'Failed.'));
    await get(GOOD_CALL);
    expect(await logger.line('request')).toMatchObject({ level, fields: { status: 504, code } });
  });

  it.each([
    ['at level info in a development server', true, 'info'],
    ['at level debug elsewhere', false, 'debug'],
  ])(
    'gives the whole text of a cause to the admin API, and logs it %s',
    async (_where, showsCauses, expected) => {
      const text = 'Cannot parse string';
      const logger = new RecordingLogger();
      const metrics = new Metrics();
      const cause = new Error(text);
      const failure = new Failure('CLICKHOUSE_FAILED', 'Failed.', { cause });
      const context = { requestId: 'request-1', startedAt: performance.now(), failure };
      const request = new IncomingMessage(new Socket());
      logTo(logger, { showsCauses, metrics }).note(request, new ServerResponse(request), '/', context);
      const { level, fields } = await logger.line('cause of the failure');
      expect([level, fields['error'], metrics.failures.all()[0]?.cause]).toEqual([expected, text, text]);
    },
  );

  it('logs the text and stack of an unexpected error', async () => {
    const { get, logger, runQuery } = await createTestGateway();
    runQuery.fail(new TypeError('x is not a function'));
    await get(GOOD_CALL);
    const { level, fields } = await logger.line('request');
    expect(level).toBe('error');
    expect(fields).toMatchObject({ status: 500, code: 'INTERNAL', error: 'x is not a function' });
    expect(fields['stack']).toContain('TypeError');
  });

  it('truncates a very long path', async () => {
    const { get, logger } = await createTestGateway();
    await get(`/${'x'.repeat(60_000)}`);
    expect(String((await logger.line('request')).fields['path']).length).toBeLessThan(1000);
  });
});

describe('a client that disconnects', () => {
  it('cancels its query and is logged with status 499', async () => {
    const { listener, logger, runQuery } = await createTestGateway();
    const cancelled = new Promise<void>((resolve) => {
      runQuery.respondWith(({ signal }) => {
        const aborted = once(nativeSignal(signal), 'abort').then(() => {
          resolve();
          throw new Failure('CALLER_GONE', 'The client disconnected.');
        });
        request.destroy();
        return aborted;
      });
    });
    let request: ReturnType<typeof httpGet>;
    await whileListening(createHttpServer(listener, logger), async (port) => {
      request = httpGet({ port, path: GOOD_CALL, headers: { 'X-API-KEY': KEY } }).on(
        'error',
        () => undefined,
      );
      await cancelled;
      expect((await logger.line('request')).fields).toMatchObject({ status: 499 });
    });
  });

  it('is no failure where it followed a development server', async () => {
    let follows: (() => void) | undefined;
    const followed = new Promise<void>((resolve) => (follows = resolve));
    const development: DevelopmentSource = {
      ...{ revision: () => '1', problems: () => [], notices: () => [] },
      ...{ versionOf: () => '1', findingsOf: () => undefined, check: () => undefined },
      fileOf: () => Promise.resolve(undefined),
      untilChanged: async (_from, signal) => {
        follows?.();
        await once(signal, 'abort');
      },
    };
    const { listener, logger } = await createTestGateway({ development });
    await whileListening(createHttpServer(listener, logger), async (port) => {
      const request = httpGet({ port, path: '/api/dev?after=1', headers: { 'X-API-KEY': KEY } });
      request.on('error', () => undefined);
      await followed;
      request.destroy();
      const { level, fields } = await logger.line('request');
      expect([level, fields['status'], fields['code']]).toEqual(['debug', 200, undefined]);
    });
  });
});
