import request, { type Test } from 'supertest';

import { REPRESENTATIONS } from '../../src/gateway/formats/representation.js';
import { createAdminApp } from '../../src/gateway/http/admin/admin-app.js';
import { endpoints, withAdminGateway } from '../support/admin-gateway.js';
import { noKeys } from '../support/test-credentials.js';
import { problemOf } from '../support/test-gateway.js';

const COUNTS = 'usage.api-counts';
const STATS = 'functions.invocation-stats';
const counts = (project: string): Readonly<Record<string, string>> => ({ project, interval: 'daily' });

describe('POST /cache/purge', () => {
  /** Lists which of three results are still cached after a purge. */
  async function remainingAfter(body: unknown): Promise<readonly string[]> {
    const remaining: string[] = [];
    await withAdminGateway(async ({ post, send: query, time: clock }) => {
      await query(COUNTS, counts('a'));
      await query(COUNTS, counts('b'));
      await query(STATS);
      clock.advance(1);
      expect((await post('/cache/purge', body)).status).toBe(200);
      clock.advance(1);
      if ((await query(COUNTS, counts('a'))) === 'HIT') remaining.push('a');
      if ((await query(COUNTS, counts('b'))) === 'HIT') remaining.push('b');
      if ((await query(STATS)) === 'HIT') remaining.push('stats');
    });
    return remaining;
  }

  it.each([
    ['everything without a body', undefined, []],
    ['everything for an empty object', {}, []],
    ['an endpoint', { endpoint: COUNTS }, ['stats']],
    ['an endpoint by its id', { endpoint: endpoints.find(COUNTS)?.id }, ['stats']],
    ['one parameter set of an endpoint', { endpoint: COUNTS, parameters: counts('a') }, ['b', 'stats']],
    [
      'nothing for a set that is not cached',
      { endpoint: COUNTS, parameters: counts('c') },
      ['a', 'b', 'stats'],
    ],
  ])('purges %s', async (_what, body, remaining) => {
    expect(await remainingAfter(body)).toEqual(remaining);
  });

  it('purges one parameter set in every representation', async () => {
    await withAdminGateway(async ({ post, send: query, time: clock }) => {
      const representations = [...REPRESENTATIONS.values()];
      for (const each of representations) {
        await query(COUNTS, counts('a'), each);
        await query(COUNTS, counts('b'), each);
      }
      clock.advance(1);
      const response = await post('/cache/purge', { endpoint: COUNTS, parameters: counts('a') });
      expect(response.status).toBe(200);
      clock.advance(1);
      for (const each of representations) {
        expect([await query(COUNTS, counts('a'), each), await query(COUNTS, counts('b'), each)]).toEqual([
          'MISS',
          'HIT',
        ]);
      }
    });
  });

  it('rejects a request from a page of another site, because browsers let such pages reach a loopback port', async () => {
    await withAdminGateway(async ({ send: query, ...execution }) => {
      await query(COUNTS, counts('a'));
      const app = createAdminApp({ ...execution, ...noKeys(() => new Date()), endpoints });
      const send = (Host: string, Origin: string): Test =>
        request(app).post('/cache/purge').set({ Host, Origin }).send('{}');
      const others = ['http://evil.example', 'http://127.0.0.1:3000', 'null', ''];
      const rejected = [
        ...others.map((origin) => send('127.0.0.1:9090', origin)),
        // Its name resolves to this machine.
        send('evil.example', 'http://evil.example'),
      ];
      for (const response of await Promise.all(rejected))
        expect(problemOf(response)).toMatchObject({ status: 403, code: 'FORBIDDEN' });
      expect(await query(COUNTS, counts('a'))).toBe('HIT');
      expect((await send('127.0.0.1:9090', 'http://127.0.0.1:9090')).status).toBe(200);
      expect(await query(COUNTS, counts('a'))).toBe('MISS');
    });
  });

  it('has no host but addresses, localhost and the names in ADMIN_HOSTS, for GET and POST; metrics have every one', async () => {
    await withAdminGateway(async (execution) => {
      const hosts = ['gateway.internal', 'Desk'];
      const of = { ...execution, ...noKeys(() => new Date()), endpoints };
      const outcomes = async (names: readonly string[], listed?: readonly string[]): Promise<Set<number>> => {
        const app = createAdminApp({ ...of, ...(listed && { hosts: listed }) });
        const responses = names.flatMap((host) => [
          request(app).get('/cache').set('Host', host),
          request(app).get('/').set('Host', host),
          request(app)
            .post('/cache/purge')
            .set({ Host: host, Origin: `http://${host}` })
            .send('{}'),
        ]);
        return new Set((await Promise.all(responses)).map(({ status }) => status));
      };
      const unlisted = [
        'evil.local',
        'wiki',
        'gateway:9090',
        'a.localhost',
        'a.internal',
        'localhost.',
        'evil.example',
      ];
      expect(await outcomes(unlisted)).toEqual(new Set([403]));
      expect(await outcomes([...unlisted, 'x.gateway.internal'], hosts)).toEqual(new Set([403]));
      // 404 is that of the page, which is not built here.
      const always = ['127.0.0.1:9090', '10.1.2.3', '[::1]:9090', 'LOCALHOST:9090'];
      expect(await outcomes(always)).toEqual(new Set([200, 404]));
      expect(await outcomes(['gateway.internal:9090', 'GATEWAY.internal', 'desk'], hosts)).toEqual(
        new Set([200, 404]),
      );
      for (const headers of [{ Host: 'gateway:9090' }, { Host: 'wiki', Origin: 'http://evil.example' }])
        expect((await request(createAdminApp(of)).get('/metrics').set(headers)).status).toBe(200);
    });
  });

  it('returns 503 PURGE_INCOMPLETE with Retry-After when other gateways are not notified', async () => {
    await withAdminGateway(async (execution) => {
      const app = createAdminApp({
        ...execution,
        ...noKeys(() => new Date()),
        cache: { ...execution.cache, purge: () => Promise.resolve(false) },
        endpoints,
      });
      const response = await request(app).post('/cache/purge').send('{}');
      expect(problemOf(response)).toMatchObject({
        status: 503,
        code: 'PURGE_INCOMPLETE',
        detail: expect.stringContaining('Purge again') as unknown,
      });
      expect(response.headers['retry-after']).toBe('5');
      expect(execution.logger.lines.map(({ message }) => message)).not.toContain('cache purged');
    });
  });

  it('reports what it purged, in the response and in the log', async () => {
    await withAdminGateway(async ({ post, logger }) => {
      const response = await post('/cache/purge', { endpoint: COUNTS });
      const scope = { endpointId: endpoints.find(COUNTS)?.id };
      expect(response.body).toEqual({ purged: scope });
      expect((await logger.line('cache purged')).fields).toEqual(scope);
    });
  });

  it.each([
    ['invalid JSON', 'application/json', '{"endpoint":', 'BAD_REQUEST'],
    ['a list', 'application/json', '[]', 'BAD_REQUEST'],
    ['a string', 'application/json', '"usage.api-counts"', 'BAD_REQUEST'],
    ['one over 64 KiB', 'application/json', JSON.stringify({ endpoint: 'x'.repeat(70_000) }), 'BAD_REQUEST'],
    ['an unknown member', 'application/json', '{"endpiont":"usage.api-counts"}', 'BAD_REQUEST'],
    ['an endpoint that is not a string', 'application/json', '{"endpoint":1}', 'BAD_REQUEST'],
    ['an empty endpoint', 'application/json', '{"endpoint":""}', 'BAD_REQUEST'],
    ['parameters without an endpoint', 'application/json', '{"parameters":{}}', 'BAD_REQUEST'],
    [
      'parameters that are not strings',
      'application/json',
      '{"endpoint":"logs.all","parameters":{"a":1}}',
      'BAD_REQUEST',
    ],
    [
      'wrong parameters',
      'application/json',
      '{"endpoint":"usage.api-counts","parameters":{}}',
      'INVALID_PARAMETERS',
    ],
    ['a form', 'application/x-www-form-urlencoded', 'endpoint=usage.api-counts', 'BAD_REQUEST'],
  ])('returns 400 for a body that is %s, and purges nothing', async (_what, type, body, code) => {
    await withAdminGateway(async ({ send: query, time: clock, ...execution }) => {
      await query(COUNTS);
      clock.advance(1);
      const app = createAdminApp({ ...execution, ...noKeys(() => new Date()), endpoints });
      const response = await request(app).post('/cache/purge').set('Content-Type', type).send(body);
      expect(problemOf(response)).toMatchObject({ status: 400, code });
      expect(await query(COUNTS)).toBe('HIT');
    });
  });

  it('reads the body as JSON whatever its Content-Type, which curl sets to a form', async () => {
    await withAdminGateway(async ({ send: query, time: clock, ...execution }) => {
      await query(COUNTS);
      clock.advance(1);
      const response = await request(createAdminApp({ ...execution, ...noKeys(() => new Date()), endpoints }))
        .post('/cache/purge')
        .set('Content-Type', 'application/x-www-form-urlencoded')
        .send(`{"endpoint":"${STATS}"}`);
      expect(response.body).toEqual({ purged: { endpointId: endpoints.find(STATS)?.id } });
      expect(await query(COUNTS)).toBe('HIT');
    });
  });

  it('returns 405 for another method, with Allow', async () => {
    await withAdminGateway(async ({ get }) => {
      const response = await get('/cache/purge');
      expect(problemOf(response).code).toBe('METHOD_NOT_ALLOWED');
      expect(response.headers['allow']).toBe('POST');
    });
  });

  it('returns 404 for an unknown endpoint', async () => {
    await withAdminGateway(async ({ post }) => {
      const response = await post('/cache/purge', { endpoint: 'nothing' });
      expect(problemOf(response)).toMatchObject({ status: 404, code: 'ENDPOINT_NOT_FOUND' });
    });
  });
});
