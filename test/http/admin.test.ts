import { once } from 'node:events';
import request from 'supertest';

import { createAdminApp } from '../../src/gateway/http/admin/admin-app.js';
import { createHttpServer } from '../../src/gateway/http/transport/server.js';
import { createListener } from '../../src/gateway/server/create-listener.js';
import { AccessGateway } from '../support/access-gateway.js';
import { endpoints, withAdminGateway } from '../support/admin-gateway.js';
import { metricSamples } from '../support/metric-samples.js';
import { exchange, whileListening } from '../support/raw-exchange.js';
import { noKeys, testCredentials } from '../support/test-credentials.js';
import { GOOD_CALL, KEY, plainParts, problemOf } from '../support/test-gateway.js';

const COUNTS = 'usage.api-counts';
const STATS = 'functions.invocation-stats';
const counts = (project: string): Readonly<Record<string, string>> => ({ project, interval: 'daily' });

describe('GET /cache', () => {
  it('reports entries, bytes and hit ratio of every endpoint', async () => {
    await withAdminGateway(async ({ get, send: query }) => {
      for (let sent = 0; sent < 4; sent += 1) await query(COUNTS);
      const response = await get('/cache');
      expect(response.status).toBe(200);
      const described = response.body as { endpoints: { endpoint: string }[] };
      expect(described.endpoints.map(({ endpoint }) => endpoint)).toEqual(
        endpoints.all().map(({ name }) => name),
      );
      expect(described.endpoints.find(({ endpoint }) => endpoint === COUNTS)).toEqual({
        endpoint: COUNTS,
        caching: 900,
        entries: 1,
        bytes: '{"result":[]}'.length,
        requests: 4,
        hits: 3,
        misses: 1,
        partial: 0,
        stale: 0,
        bypassed: 0,
        hitRatio: { all: 0.75, local: 0.75, shared: 0 },
      });
      expect(described.endpoints.find(({ endpoint }) => endpoint === STATS)).toMatchObject({
        requests: 0,
        hitRatio: { all: null, local: null, shared: null },
      });
    });
  });
});

describe('GET /warming', () => {
  it('reports the last and next refresh, the cost and the use of each parameter set', async () => {
    await withAdminGateway(async ({ get, post, send: query, time: clock }) => {
      await query(COUNTS, counts('a'));
      clock.advance(10);
      await post('/warming/run');
      await query(COUNTS, counts('a'));
      await query(COUNTS, counts('a'));
      const response = await get('/warming');
      expect(response.status).toBe(200);
      expect(response.body).toMatchObject({
        sets: [
          {
            endpoint: COUNTS,
            parameters: counts('a'),
            lastRun: '2026-05-17T10:05:13.000Z',
            clickhouseMs: 1.5,
            rowsRead: 10,
            bytesRead: 100,
            failures: 0,
            requests: 3,
            hitsSince: 2,
            nextRun: expect.stringMatching(/^2026-05-17T10:(09|10):/) as string,
          },
        ],
      });
    });
  });
});

describe('POST /warming/run', () => {
  it('refreshes the parameter sets in use at once, and reports the outcome', async () => {
    await withAdminGateway(async ({ post, send: query, clickhouse, time: clock }) => {
      await query(COUNTS, counts('a'));
      await query(COUNTS, counts('b'));
      clock.advance(10);
      const response = await post('/warming/run');
      expect(response.status).toBe(200);
      expect((response.body as { sets: unknown[] }).sets).toHaveLength(2);
      expect(clickhouse.requests).toHaveLength(4);
      clickhouse.fail(new Error('unreachable'));
      const failed = await post('/warming/run');
      expect(failed.body).toMatchObject({ sets: [{ failures: 1 }, { failures: 1 }] });
    });
  });
});

describe('GET /keys', () => {
  it('reports what is used of the quotas of each key, and counts nothing itself', async () => {
    const limits = { requests: { quota: 5, window: 60 }, rowsRead: { quota: 15, window: 3600 } };
    const gateway = await AccessGateway.open({ keys: { limited: { limits }, free: {} } });
    try {
      const quotasOf = async (): Promise<readonly unknown[]> => {
        const { keys } = (await request(gateway.admin).get('/keys')).body as { keys: { quotas: unknown }[] };
        return keys.map(({ quotas }) => quotas);
      };
      const unused = { used: 0, resetsIn: null };
      const counted = {
        requests: { counted: 'requests', ...limits.requests },
        rows: { counted: 'rowsRead', ...limits.rowsRead },
      };
      expect(await quotasOf()).toEqual([
        [
          { ...counted.requests, ...unused },
          { ...counted.rows, ...unused },
        ],
        [],
      ]);
      for (const target of ['/api/endpoints', GOOD_CALL]) await gateway.send('limited', target);
      const used = [
        { ...counted.requests, used: 2, resetsIn: expect.any(Number) as number },
        { ...counted.rows, used: 10, resetsIn: expect.any(Number) as number },
      ];
      expect(await quotasOf()).toEqual([used, []]);
      expect(await quotasOf()).toEqual([used, []]);
    } finally {
      await gateway.close();
    }
  });
});

describe('GET /metrics', () => {
  it('returns Prometheus text whose labels have known values only, whatever callers send', async () => {
    await withAdminGateway(async ({ get, send: query, clickhouse, ...gateway }) => {
      const credentials = testCredentials({ [KEY]: { name: 'tester', mayBypassCache: false } });
      const parts = plainParts({ ...gateway, endpoints, credentials, runQuery: clickhouse });
      const app = createListener({ ...parts, ...gateway });
      await query(COUNTS);
      const called = ['invented', 'invented%22%7D', '%FF', COUNTS, 'logs.all?project=invented'];
      for (const path of called.map((name) => `/api/endpoints/query/${name}`)) {
        await request(app).get(path).set('X-API-KEY', KEY).set('X-Request-Id', 'invented');
        await request(app).post(path).set('X-API-KEY', 'invented');
      }
      await request(app).get('/api/endpoints/invented').set('X-API-KEY', KEY);
      await request(app).get('/invented');
      const { status, headers, text } = await get('/metrics');
      expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
      const samples = metricSamples(text);
      const valuesOf = (label: string): Set<string | undefined> =>
        new Set(samples.filter(({ labels }) => label in labels).map(({ labels }) => labels[label]));
      const names = new Set(['', ...endpoints.all().map(({ name }) => name)]);
      expect([...valuesOf('endpoint')].filter((name) => !names.has(name ?? '?'))).toEqual([]);
      expect([...valuesOf('status')].toSorted()).toEqual(['200', '400', '401', '404']);
      expect([...valuesOf('cache')].toSorted()).toEqual(['', 'BYPASS']);
      expect(text).not.toContain('invented');
    });
  });
});

describe('the admin API', () => {
  it.each(['/cache', '/warming', '/keys', '/errors', '/metrics', '/nothing'])(
    'returns %s with headers that forbid caching and content sniffing',
    async (path) => {
      await withAdminGateway(async ({ get }) => {
        expect((await get(path)).headers).toMatchObject({
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
          'content-security-policy': "default-src 'none';frame-ancestors 'none'",
        });
      });
    },
  );

  it.each([
    ['GET', '/'],
    ['GET', '/nothing'],
    ['POST', '/nothing'],
    ['DELETE', '/nothing'],
  ])('returns 404 for %s %s, and lists the valid paths', async (method, path) => {
    await withAdminGateway(async (gateway) => {
      const server = createAdminApp({ ...gateway, ...noKeys(gateway.time.read), endpoints }).listen(
        0,
        '127.0.0.1',
      );
      await once(server, 'listening');
      const verb = method === 'GET' ? 'get' : method === 'POST' ? 'post' : 'delete';
      const response = await request(server)[verb](path);
      server.close();
      const problem = problemOf(response);
      expect(problem).toMatchObject({ status: 404, code: 'NOT_FOUND' });
      expect(problem.detail).toContain('/cache/purge');
    });
  });

  it('returns 400 for two Host headers, and for one that is no host', async () => {
    await withAdminGateway(async ({ logger, ...gateway }) => {
      const app = createAdminApp({ ...gateway, ...noKeys(gateway.time.read), logger, endpoints });
      await whileListening(createHttpServer(app, logger), async (port) => {
        const head = 'GET /cache HTTP/1.1\r\nConnection: close\r\n';
        for (const hosts of ['Host: a\r\nHost: a\r\n', 'Host: user@localhost\r\n']) {
          const [response] = await exchange(port, `${head}${hosts}\r\n`);
          expect(JSON.parse(response?.body ?? '')).toMatchObject({ status: 400, code: 'BAD_REQUEST' });
        }
      });
    });
  });

  it('logs the cause of an unexpected error, and does not return it', async () => {
    await withAdminGateway(async ({ logger, ...gateway }) => {
      const local = {
        memoryUse: () => {
          throw new TypeError('x is not a function');
        },
      };
      const cache = { ...gateway.cache, local };
      const response = await request(
        createAdminApp({ ...gateway, ...noKeys(() => new Date()), cache, logger, endpoints }),
      ).get('/cache');
      const problem = problemOf(response);
      expect(problem).toMatchObject({ status: 500, code: 'INTERNAL' });
      const { fields } = await logger.line('admin API failed');
      expect(fields).toMatchObject({ error: 'x is not a function', requestId: problem.requestId });
      expect(response.text).not.toContain('not a function');
    });
  });
});
