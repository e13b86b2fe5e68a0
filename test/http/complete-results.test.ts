import { Links } from '../../src/gateway/auth/links.js';
import { withSettings } from '../../src/endpoint/endpoint.js';
import { FORMAT_NAMES } from '../../src/gateway/formats/formats.js';
import { resultOf } from '../support/fake-run-query.js';
import { PATHS, useCachedEndpoint } from '../support/cached-endpoint.js';
import { sampleEndpoint } from '../support/sample-endpoint.js';
import { LINK_SECRET } from '../support/test-credentials.js';
import { createTestGateway, KEY, problemOf } from '../support/test-gateway.js';

const { gateway, newRequest } = useCachedEndpoint();
const { runQuery } = gateway;
const CUT = resultOf([{ city: 'Rome', row: 1 }], true);

describe.each(PATHS)('complete=1, on the %s', (via) => {
  it.each(FORMAT_NAMES)('is RESULT_TRUNCATED (422) where rows were cut off, as %s', async (format) => {
    const url = `${newRequest()}&format=${format}`;
    runQuery.respondWith(() => Promise.resolve(CUT));
    for (const status of ['MISS', 'HIT']) {
      const cut = await gateway.send(via, `${url}&complete=1`);
      expect(cut.status).toBe(422);
      expect(cut.headers).not.toHaveProperty('x-truncated');
      expect(JSON.parse(cut.body.toString())).toMatchObject({ code: 'RESULT_TRUNCATED' });
      expect(gateway.statuses.at(-1)).toBe(status);
    }
  });

  it('shares the query and the cache entry of the request without it', async () => {
    const url = newRequest();
    const before = runQuery.requests.length;
    runQuery.respondWith(() => Promise.resolve(CUT));
    const whole = await gateway.send(via, url);
    expect([whole.status, whole.headers['x-truncated']]).toEqual([200, 'true']);
    expect((await gateway.send(via, `${url}&complete=1`)).status).toBe(422);
    expect((await gateway.send(via, `${url}&complete=0`)).headers['x-cache']).toBe('HIT');
    expect(runQuery.requests).toHaveLength(before + 1);
  });

  it('changes nothing about a complete result, which stays on its path', async () => {
    const url = `${newRequest()}&complete=true`;
    const first = await gateway.send(via, url);
    const second = await gateway.send(via, url);
    expect([first.status, second.status, second.headers['x-cache']]).toEqual([200, 200, 'HIT']);
    expect(second.body).toEqual(first.body);
  });

  it.each([
    { 'If-None-Match': '*' },
    { Range: 'bytes=0-1' },
    { Range: 'bytes=999999-' },
    { 'If-Match': '"x"' },
  ])('comes before the status that %j would have', async (headers) => {
    const url = `${newRequest()}&complete=1`;
    runQuery.respondWith(() => Promise.resolve(CUT));
    await gateway.send(via, url);
    expect((await gateway.send(via, url, headers)).status).toBe(422);
  });

  it('has the status without a body for HEAD', async () => {
    const url = `${newRequest()}&complete=1`;
    runQuery.respondWith(() => Promise.resolve(CUT));
    const { status, body } = await gateway.send(via, url, {}, 'HEAD');
    expect([status, body.length]).toEqual([422, 0]);
  });

  it('is SHARD_UNREACHABLE (503) with Retry-After where rows of a shard are missing', async () => {
    runQuery.respondWith(() => Promise.resolve({ ...CUT, truncated: false, partial: true }));
    const { status, headers, body } = await gateway.send(via, `${newRequest()}&complete=1`);
    expect([status, headers['retry-after']]).toEqual([503, '1']);
    expect(JSON.parse(body.toString())).toMatchObject({ code: 'SHARD_UNREACHABLE' });
  });

  it('is RESULT_TRUNCATED where rows were cut off of a partial result, because a retry would fail too', async () => {
    runQuery.respondWith(() => Promise.resolve({ ...CUT, partial: true }));
    expect((await gateway.send(via, `${newRequest()}&complete=1`)).status).toBe(422);
  });
});

describe('RESULT_TRUNCATED', () => {
  const PINNED = 'qg_pinned-only-for-tests';
  const open = async (): ReturnType<typeof createTestGateway> => {
    const principals = {
      [PINNED]: { name: 'pinned', mayBypassCache: false, pinned: new Map([['project', 'a']]) },
    };
    const opened = await createTestGateway({ principals });
    opened.runQuery.respondWith(() => Promise.resolve(CUT));
    return opened;
  };
  const call = '/api/endpoints/query/usage.api-counts?complete=1';

  it('names the row cap, and the parameters that narrow the request', async () => {
    const { get } = await open();
    const { detail } = problemOf(await get(`${call}&project=a&interval=daily`));
    expect(detail).toBe(
      'The result of usage.api-counts has more rows than its row cap, 1000. Narrow the request with project, interval; ' +
        'without complete=1 the response has the first 1000 rows.',
    );
  });

  it('names optional parameters first, and the limit of an endpoint that has one', async () => {
    const { get } = await open();
    const { detail } = problemOf(await get('/api/endpoints/query/logs.all?complete=1&project=a'));
    expect(detail).toContain('more rows than its own limit, 100. Narrow the request with project_tier, ');
    expect(detail).toContain(', project; ');
  });

  it('names no parameter that the key pins', async () => {
    const { agent } = await open();
    const { detail } = problemOf(await agent().get(`${call}&interval=daily`).set('X-API-KEY', PINNED));
    expect(detail).toContain('Narrow the request with interval;');
  });

  it('names export=1 where the key and the endpoint allow it', async () => {
    const [mayNot, may] = ['qg_may-not-export', 'qg_may-export'];
    const exporter = { name: 'exporter', mayBypassCache: false, mayExport: true };
    const principals = {
      [mayNot]: { name: 'reader', mayBypassCache: false },
      [may]: exporter,
    };
    const endpoints = [withSettings(sampleEndpoint(), { exports: { maxRows: 100, maxSeconds: 10 } })];
    const opened = await createTestGateway({ endpoints, principals });
    opened.runQuery.respondWith(() => Promise.resolve(CUT));
    const ofKey = async (key: string, format = 'csv'): Promise<readonly [string | undefined, boolean]> => {
      const send = (path: string): ReturnType<ReturnType<typeof opened.agent>['get']> =>
        opened.agent().get(`/api/endpoints/${path}`).set('X-API-KEY', key);
      const { exports } = (await send('sample')).body as { readonly exports?: object };
      return [
        problemOf(await send(`query/sample?complete=1&format=${format}`)).detail,
        exports !== undefined,
      ];
    };
    const allRows = '; with export=1 in its place it has all rows.';
    expect(await ofKey(may)).toEqual([expect.stringContaining(allRows), true]);
    expect(await ofKey(mayNot)).toEqual([expect.not.stringContaining('export'), false]);
    // The signature of a link covers export.
    const [endpoint = sampleEndpoint()] = endpoints;
    const parameters = new Map(Object.entries(endpoint.example));
    const nowMs = new Date('2026-05-17T10:05:03Z').getTime();
    const link = new Links(LINK_SECRET).sign({
      ...{ endpoint, parameters, key: exporter, nowMs },
      expiresAtMs: nowMs + 60_000,
    });
    expect(problemOf(await opened.agent().get(`${link}&complete=1`)).detail).not.toContain('export');
    // This format has no exports.
    expect(await ofKey(may, 'prometheus')).toEqual([expect.not.stringContaining('export'), true]);
  });

  it('names X-Next-Cursor where the response would have it', async () => {
    const { get, runQuery } = await open();
    const url = '/api/endpoints/query/logs.all?complete=1&project=a&project_tier=PRO';
    const detailOf = async (path: string): Promise<string> => problemOf(await get(path)).detail;
    expect(await detailOf(`${url}&format=parquet`)).not.toContain('X-Next-Cursor');
    runQuery.respondWith(() => Promise.resolve({ ...CUT, lastRow: ['61'] }));
    expect(await detailOf(url)).toContain('100 rows, and X-Next-Cursor names the next page.');
  });

  it('is the response to a POST as well', async () => {
    const { agent } = await open();
    const response = await agent().post(call).set('X-API-KEY', KEY).send({ project: 'a', interval: 'daily' });
    expect(problemOf(response)).toMatchObject({ status: 422, code: 'RESULT_TRUNCATED' });
  });
});
