import request from 'supertest';

import { column } from '../../src/endpoint/definition.js';
import { defineEndpoint } from '../../src/endpoint/endpoint.js';
import { sql, text, timestamp } from '../../src/endpoint/index.js';
import { Failure } from '../../src/gateway/errors.js';
import { AccessGateway, keyNamed } from '../support/access-gateway.js';
import { connectMcp, rowsOfTool, textOfTool } from '../support/mcp-client.js';
import { outcomeOf, type NetworkResponse } from '../support/network-request.js';
import { delayQueries, type PendingQueries } from '../support/pending-queries.js';
import { pollUntil } from '../support/poll-until.js';
import { SAMPLE, sampleEndpoint } from '../support/sample-endpoint.js';
import { openForEach } from '../support/opened.js';

const UNCACHED = sampleEndpoint({
  id: '11111111-2222-4333-8444-666666666666',
  name: 'uncached',
  caching: 'disabled',
});
const SECRETIVE = defineEndpoint({
  ...SAMPLE,
  id: '11111111-2222-4333-8444-777777777777',
  name: 'secretive',
  parameters: { ...SAMPLE.parameters, token: text({ description: 'A token.', secret: true }) },
});
const SINCE = defineEndpoint({
  ...SAMPLE,
  id: '11111111-2222-4333-8444-888888888888',
  name: 'since',
  parameters: { since: timestamp({ description: 'From when.', relativeStep: '5m', default: 'now-1h' }) },
  columns: { since: column("DateTime64(6, 'UTC')", 'The time.') },
  example: {},
  build: ({ since }) => sql`SELECT ${since} AS since`,
});
const PREFER = { Prefer: 'respond-async, wait=0' };
const PATH = '/api/endpoints/query/sample';
const ROWS = [{ city: 'Rome' }];

const gateway = openForEach(() =>
  AccessGateway.open({
    keys: {
      caller: { mayUseQueryString: true },
      other: {},
      brief: { expires: '2026-05-17T10:05:13Z' },
      two: { limits: { concurrent: 2 } },
      roman: { fixed: { city: 'Rome' } },
    },
    endpoints: [sampleEndpoint(), UNCACHED, SECRETIVE, SINCE],
    environment: { PUBLIC_URL: 'https://data.example.com/gateway' },
  }),
);
let pending: PendingQueries;
beforeEach(() => {
  pending = delayQueries(gateway.runQuery);
});

const send = (
  target = `${PATH}?city=Rome`,
  headers: Readonly<Record<string, string>> = {},
  key = 'caller',
): Promise<NetworkResponse> => gateway.send(key, target, { headers: { ...PREFER, ...headers } });
const queries = (): number => gateway.runQuery.requests.length;

it('returns 202 where no result comes in time, and the result to the same request', async () => {
  const first = await send(`${PATH}?city=Rome&api_key=${keyNamed('caller')}`, {}, '');
  expect(first.status).toBe(202);
  expect(first.headers).toMatchObject({
    'retry-after': '1',
    location: '/gateway/api/endpoints/query/sample?city=Rome',
    'preference-applied': 'respond-async, wait=0',
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
  });
  expect(JSON.parse(first.text)).toEqual({ status: 'running', elapsedSeconds: 0, timeLimitSeconds: 30 });
  gateway.clock.advance(40);
  const second = await send();
  expect([second.status, second.headers['retry-after']]).toEqual([202, '10']);
  expect(JSON.parse(second.text)).toMatchObject({ elapsedSeconds: 40 });
  pending.finish(ROWS);
  const last = await send();
  expect([last.status, JSON.parse(last.text)]).toEqual([200, { result: ROWS }]);
  expect(last.headers).toMatchObject({ 'x-cache': 'MISS', 'preference-applied': 'wait=0' });
  expect((await send()).headers['x-cache']).toBe('HIT');
  expect(queries()).toBe(1);
});

it('has no Location for a POST and for a call with a secret value, whose URL is another call', async () => {
  const posted = await gateway.send('caller', '/api/endpoints/query/secretive', {
    method: 'POST',
    headers: { ...PREFER, 'Content-Type': 'application/json' },
    body: JSON.stringify({ city: 'Rome', token: 'hush' }),
  });
  const secret = await send('/api/endpoints/query/secretive?city=Rome&token=hush');
  expect([posted, secret].map(({ status, headers }) => [status, headers.location])).toEqual([
    [202, undefined],
    [202, undefined],
  ]);
  // The two are the same call.
  expect(queries()).toBe(1);
});

it('joins the call of its own key only, and counts the queries of a key', async () => {
  await send();
  await send(undefined, {}, 'other');
  await send(undefined, {}, 'roman');
  expect(queries()).toBe(2);
  for (const city of ['a', 'b']) expect((await send(`${PATH}?city=${city}`, {}, 'two')).status).toBe(202);
  // The key's third query at the same time.
  expect(outcomeOf(await send(`${PATH}?city=c`, {}, 'two'))).toBe('429 LIMIT_EXCEEDED');
  expect((await send(`${PATH}?city=a`, {}, 'two')).status).toBe(202);
});

it('is no longer of a key that has expired', async () => {
  expect((await send(undefined, {}, 'brief')).status).toBe(202);
  pending.finish(ROWS);
  gateway.clock.advance(10);
  expect(outcomeOf(await send(undefined, {}, 'brief'))).toBe('401 API_KEY_INVALID');
});

it('keeps the result of an endpoint that does not cache for the same key and the preference alone', async () => {
  const path = '/api/endpoints/query/uncached?city=Rome';
  expect((await send(path)).status).toBe(202);
  pending.finish(ROWS);
  const result = await pollUntil('the result', async () => {
    const response = await send(path);
    return response.status === 200 ? response : undefined;
  });
  expect(result.headers).toMatchObject({ 'x-cache': 'BYPASS', 'cache-control': 'no-store' });
  expect((await send(path)).status).toBe(200);
  expect(queries()).toBe(1);
  expect((await send(path, {}, 'other')).status).toBe(202);
  expect(outcomeOf(await send(path, { Prefer: 'wait=0' }))).toBe('504 WAIT_OVER');
  expect(queries()).toBe(3);
});

it('reports a failure to those who repeat the request', async () => {
  await send();
  pending.fail(new Failure('QUERY_TIMEOUT', 'The query took too long.'));
  expect([outcomeOf(await send()), outcomeOf(await send())]).toEqual(Array(2).fill('504 QUERY_TIMEOUT'));
  expect(queries()).toBe(1);
});

it('stays the same call when its relative times mean others', async () => {
  const path = '/api/endpoints/query/since';
  expect((await send(path)).status).toBe(202);
  gateway.clock.advance(300);
  expect((await send(path)).status).toBe(202);
  expect(queries()).toBe(1);
});

it('returns a stale result rather than 202', async () => {
  pending.finish([]);
  gateway.runQuery.returnRows(ROWS);
  await send();
  gateway.clock.advance(61);
  pending = delayQueries(gateway.runQuery);
  expect((await send()).headers['x-cache']).toBe('STALE');
});

it('a call that is running is listed after its response, and an operator can cancel it', async () => {
  await send(undefined, { 'X-Request-Id': 'report' });
  await send();
  const listed = await request(gateway.admin).get('/calls').expect(200);
  expect(listed.body).toMatchObject({ calls: [{ id: 'report', endpoint: 'sample', key: 'caller' }] });
  await request(gateway.admin).post('/calls/report/cancel').expect(200);
  expect(outcomeOf(await send())).toBe('503 CALL_CANCELLED');
  expect((await request(gateway.admin).get('/calls')).body).toEqual({ calls: [] });
});

it('has its time limit where the key may not ask for a cached result only', async () => {
  expect((await send(undefined, { 'Cache-Control': 'only-if-cached' })).status).toBe(202);
});

it('is in OpenAPI, without a body that generated clients would expect from every call', async () => {
  const { text } = await gateway.send('caller', '/openapi.json');
  const { paths } = JSON.parse(text) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: object }>>>>;
  };
  for (const method of ['get', 'post']) {
    const { 202: running } = paths[PATH]?.[method]?.responses as Readonly<Record<string, object>>;
    expect(Object.keys(running ?? {})).toEqual(['description', 'headers']);
  }
});

it('the preference has no meaning for a request of a cached result only', async () => {
  const bypassing = await AccessGateway.open({
    keys: { caller: { mayBypassCache: true } },
    endpoints: [sampleEndpoint()],
  });
  try {
    const headers = { ...PREFER, 'Cache-Control': 'only-if-cached' };
    expect(outcomeOf(await bypassing.send('caller', `${PATH}?city=Rome`, { headers }))).toBe(
      '504 NOT_CACHED',
    );
    pending = delayQueries(bypassing.runQuery);
    const fresh = { ...PREFER, 'Cache-Control': 'no-cache' };
    const sendFresh = (): Promise<NetworkResponse> =>
      bypassing.send('caller', `${PATH}?city=Rome`, { headers: fresh });
    expect((await sendFresh()).status).toBe(202);
    pending.finish(ROWS);
    expect((await sendFresh()).headers['x-cache']).toBe('BYPASS');
  } finally {
    await bypassing.close();
  }
});

it('tells an agent to call the tool again', async () => {
  const client = await connectMcp({
    url: `${gateway.url()}/mcp`,
    headers: { 'X-API-KEY': keyNamed('caller'), ...PREFER },
  });
  try {
    const call = { name: 'sample', arguments: { city: 'Rome' } };
    const running = await client.callTool(call);
    expect([running.isError, textOfTool(running)]).toEqual([
      true,
      expect.stringMatching(
        /^The query is still running, for 0 s of at most 30 s\. It goes on: call this tool /,
      ),
    ]);
    pending.finish(ROWS);
    expect(rowsOfTool(await client.callTool(call)).rows).toEqual(ROWS);
    expect(queries()).toBe(1);
  } finally {
    await client.close();
  }
});
