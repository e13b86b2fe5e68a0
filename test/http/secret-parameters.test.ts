import request from 'supertest';

import { column } from '../../src/endpoint/definition.js';
import { defineEndpoint, type Endpoint } from '../../src/endpoint/endpoint.js';
import { sql, text } from '../../src/endpoint/index.js';
import type { Sql } from '../../src/endpoint/sql.js';
import { createAdminApp } from '../../src/gateway/http/admin/admin-app.js';
import { openAccessOnClickHouse } from '../support/access-on-clickhouse.js';
import type { NetworkResponse } from '../support/network-request.js';
import { LINK_SECRET, noKeys } from '../support/test-credentials.js';
import { openForAll } from '../support/opened.js';

const SECRET = 'tok-4711-that-nobody-may-see';

const endpointOf = (id: number, name: string, build: (token: never) => Sql, secret = true): Endpoint =>
  defineEndpoint({
    id: `5d0c4b7e-0f7a-4f0e-9a51-8e2b6f1c3e0${id}`,
    name,
    summary: 'What a token opens.',
    parameters: {
      token: text({ description: 'The token.', secret, required: true, pattern: '^tok-' }),
      note: text({ description: 'A note.' }),
    },
    columns: { size: column('Int64', 'A number.') },
    maxRows: 10,
    caching: 60,
    warming: 20,
    sandboxing: 'disabled',
    example: { token: 'tok-example' },
    build: ({ token }) => build(token as never),
  });

const ENDPOINTS = [
  endpointOf(1, 'token.size', (token) => sql`SELECT toInt64(length(${token})) AS size`),
  endpointOf(2, 'token.cast', (token) => sql`SELECT toInt64(${token}) AS size`),
  endpointOf(3, 'token.throw', (token) => sql`SELECT toInt64(throwIf(${token} != '', 'no')) AS size`),
  endpointOf(4, 'token.unused', () => sql`SELECT toInt64(1) AS size`),
  endpointOf(5, 'token.shown', () => sql`SELECT toInt64(1) AS size`, false),
];

const callOf = (name: string, token = SECRET, more = ''): string =>
  `/api/endpoints/query/${name}?token=${encodeURIComponent(token)}${more}`;

const open = openForAll(() =>
  openAccessOnClickHouse({
    keys: {
      reader: {},
      pinned: { fixed: { token: SECRET } },
      elsewhere: { endpoints: ['token.shown'], fixed: { token: SECRET, note: 'a note' } },
      other: { fixed: { token: 'tok-other' } },
    },
    environment: { LINK_SECRET },
    more: ENDPOINTS,
  }),
);

const send = (key: string, target: string): Promise<NetworkResponse> => open.gateway.send(key, target);

describe('the value of a secret parameter', () => {
  it('reaches ClickHouse', async () => {
    const response = await send('reader', callOf('token.size'));
    expect([response.status, response.text]).toEqual([200, `{"result":[{"size":${SECRET.length}}]}`]);
  });

  it('shares a cached result with the same value only', async () => {
    const cacheOf = async (token: string): Promise<unknown> =>
      (await send('reader', callOf('token.size', token, '&note=a'))).headers['x-cache'];
    expect(await cacheOf('tok-1')).toBe('MISS');
    expect(await cacheOf('tok-1')).toBe('HIT');
    expect(await cacheOf('tok-2')).toBe('MISS');
  });

  it('never makes its URL a known one, which the fast path would store', async () => {
    const before = open.gateway.servedOnFastPath;
    for (let times = 0; times < 3; times += 1) await send('reader', callOf('token.size', 'tok-fast'));
    expect(open.gateway.servedOnFastPath).toBe(before);
  });

  it('is in no response, log line or failure, not even where ClickHouse quotes it in an error', async () => {
    const responses = [
      await send('reader', callOf('token.cast')),
      await send('reader', callOf('token.throw')),
      await send('reader', callOf('token.size', `x${SECRET}`)),
      await send('reader', callOf('token.size', `${SECRET}\0`)),
      await send('reader', `${callOf('token.size')}&token=${SECRET}`),
      await send('pinned', '/api/endpoints/query/token.cast'),
      await send('pinned', callOf('token.size', 'tok-other')),
      await send('reader', '/api/endpoints/query/token.size'),
    ];
    expect(responses.map(({ status }) => status)).toEqual([502, 502, 400, 400, 400, 502, 403, 400]);
    const { logger, execution } = open.gateway;
    const lines = logger.lines.map((line) => ({ ...line, fields: { ...line.fields } }));
    expect(lines.some(({ fields }) => fields['code'] === 'CLICKHOUSE_FAILED')).toBe(true);
    const seen = JSON.stringify([
      responses.map(({ headers, text: body }) => [headers, body]),
      lines,
      execution.metrics.failures.all(),
      await execution.metrics.registry.metrics(),
    ]);
    expect(seen).not.toContain(SECRET.slice(4));
  });

  it('is in no log of a query of which the caller’s time is over', async () => {
    const response = await open.gateway.send('reader', callOf('token.cast', SECRET), {
      headers: { Prefer: 'wait=0' },
    });
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(JSON.stringify(open.gateway.logger.lines)).not.toContain(SECRET);
  });

  it('is an HMAC in GET /keys, also of a key whose own endpoints show it', async () => {
    const { access, execution, logger, endpoints } = open.gateway;
    const app = createAdminApp({ ...execution, ...noKeys(() => new Date()), ...access, endpoints, logger });
    const response = await request(app).get('/keys');
    expect(response.status).toBe(200);
    const { keys } = response.body as { keys: { name: string; pinned: Record<string, unknown> }[] };
    const [pinned, elsewhere, other] = ['pinned', 'elsewhere', 'other'].map(
      (key) => keys.find(({ name }) => name === key)?.pinned,
    );
    const hmac = { hmac: expect.stringMatching(/^[0-9a-f]{64}$/) as string };
    expect([pinned, elsewhere, other]).toEqual([
      { token: hmac },
      { token: hmac, note: 'a note' },
      { token: hmac },
    ]);
    expect(elsewhere?.['token']).toEqual(pinned?.['token']);
    expect(other?.['token']).not.toEqual(pinned?.['token']);
    expect(response.text).not.toContain(SECRET.slice(4));
  });

  it('is never warmed', async () => {
    await send('reader', callOf('token.size'));
    expect(open.gateway.execution.warmer.state()).toEqual([]);
  });
});
