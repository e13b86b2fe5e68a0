import { SignJWT } from 'jose';

import { defineEndpoint, withSettings } from '../../src/endpoint/endpoint.js';
import { text } from '../../src/endpoint/index.js';
import { AccessGateway, keyNamed, withAccess } from '../support/access-gateway.js';
import { outcomeOf, type NetworkResponse } from '../support/network-request.js';
import { exchange } from '../support/raw-exchange.js';
import { SAMPLE } from '../support/sample-endpoint.js';
import { LINK_SECRET } from '../support/test-credentials.js';
import { openForAll } from '../support/opened.js';

const JWT_SECRET = 'a secret for tokens in tests, long enough';
const STATS = '/api/endpoints/query/functions.invocation-stats';
const VALUE = 'value-that-nobody-else-may-see';
const WRONG = 'qg_wrong-but-maybe-nearly-right';

const gateway = openForAll(() =>
  AccessGateway.open({
    keys: {
      header: { fixed: { project: 'hidden-tenant' }, limits: { requests: { quota: 4, window: 60 } } },
      url: { mayUseQueryString: true },
      brief: { expires: '2026-05-17' },
    },
    environment: { LINK_SECRET, JWT_SECRET, JWT_ISSUER: 'https://app.example' },
  }),
);

const responses: NetworkResponse[] = [];
const send = async (...sent: Parameters<AccessGateway['send']>): Promise<void> => {
  responses.push(await gateway.send(...sent));
};

it('no log line or response contains a key, token, signature, pinned value or parameter', async () => {
  const exp = Math.floor(gateway.clock.milliseconds / 1000) + 60;
  const claims = { iss: 'https://app.example', aud: 'querygate', sub: 'user', exp };
  const token = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(JWT_SECRET));
  const [key, endpoint] = [
    gateway.access.keys.findByName('url'),
    gateway.endpoints.find('functions.invocation-stats'),
  ];
  if (!key || !endpoint) throw new Error('there is no such key');
  const nowMs = gateway.clock.milliseconds;
  const parameters = new Map([['project', VALUE]]);
  const link =
    gateway.access.links?.sign({ endpoint, parameters, key, nowMs, expiresAtMs: nowMs + 60_000 }) ?? '';
  const signature = new URLSearchParams(link.split('?')[1]).get('link_signature') ?? '';

  await send('header', STATS);
  await send('header', STATS);
  await send('header', `${STATS}?project=${VALUE}`);
  await send('header', `/api/endpoints/query/get-grouped-stats-redirects?country=${VALUE}`);
  // This request reaches the limit.
  await send('header', STATS);
  await send('header', STATS);
  for (const name of ['url', 'brief', 'nobody'])
    await send('', `${STATS}?project=${VALUE}&api_key=${keyNamed(name)}`);
  await send('', `${STATS}/${VALUE}?api_key=${keyNamed('url')}`);
  await send('', link);
  await send('', `${link}x`);
  await send('', STATS, { headers: { 'X-API-KEY': WRONG } });
  await send('', STATS, { headers: { Authorization: `Bearer ${token}` } });
  await send('', STATS, { headers: { 'X-API-KEY': token, Authorization: `Bearer ${WRONG}` } });
  for (const failure of [new Error(`an error with ${VALUE}`), new TypeError('error')]) {
    gateway.runQuery.fail(failure);
    await send('url', `${STATS}?project=${VALUE}-${failure.name}`);
  }
  const port = Number(new URL(gateway.url()).port);
  const head = `GET ${STATS}?project=${VALUE}\u0000 HTTP/1.1\r\nX-API-KEY: ${keyNamed('url')}\r\n\r\n`;
  const [broken] = await exchange(port, head);

  expect(responses.map(({ status }) => status)).toEqual([
    200, 200, 403, 403, 429, 429, 200, 401, 401, 404, 200, 401, 401, 401, 401, 500, 500,
  ]);
  const exposed = JSON.stringify([responses.map(({ headers, text }) => [headers, text]), broken]);
  const logged = JSON.stringify(gateway.logger.lines.filter(({ fields }) => fields['code'] !== 'INTERNAL'));
  expect(gateway.logger.lines.length).toBeGreaterThanOrEqual(responses.length);
  const secrets = [
    keyNamed('header'),
    keyNamed('url'),
    keyNamed('brief'),
    WRONG,
    token,
    signature,
    LINK_SECRET,
    JWT_SECRET,
  ];
  for (const secret of [...secrets, keyNamed('nobody'), 'hidden-tenant']) {
    expect([secret, exposed.includes(secret), logged.includes(secret)]).toEqual([secret, false, false]);
  }
  expect(exposed).not.toContain(`a fault with`);
  // The log contains paths, but no query strings.
  expect(logged.replaceAll(`/${VALUE}`, '')).not.toContain(VALUE);
});

describe('an endpoint that a key may not call', () => {
  const removed = { since: '2026-01-01', sunset: '2026-02-01', successor: 'successor' };
  const id = (last: number): string => `11111111-2222-4333-8444-00000000000${last}`;
  const parameters = { ...SAMPLE.parameters, tenant: text({ description: 'Whose rows.' }) };
  const of = { ...SAMPLE, limits: { requests: { quota: 1, window: 60 } } };
  const endpoints = [
    withSettings(defineEndpoint({ ...of, id: id(1), name: 'gone', deprecated: removed }), {
      goneAfterSunset: true,
    }),
    defineEndpoint({ ...of, id: id(2), name: 'successor' }),
    defineEndpoint({ ...of, id: id(3), name: 'own', parameters, example: { tenant: 'a' } }),
  ];
  const keys = { all: {}, named: { endpoints: ['own'] }, pinned: { fixed: { tenant: 'a' } } };

  it.each(['named', 'pinned'])(
    'is 403 before anything else of it shows, by its names or its pins: %s',
    async (key) => {
      await withAccess({ keys, endpoints }, async (gateway) => {
        const outcome = async (name: string, target: string): Promise<string> =>
          outcomeOf(await gateway.send(name, `/api/endpoints/query/${target}`));
        for (const target of ['gone?format=none', 'successor?format=none'])
          for (const more of [{}, { method: 'POST', body: 'no JSON' }]) {
            const { headers, ...response } = await gateway.send(key, `/api/endpoints/query/${target}`, more);
            expect(outcomeOf({ headers, ...response })).toBe('403 FORBIDDEN');
            expect(Object.keys(headers).join()).not.toMatch(/link|deprecation|sunset|ratelimit/);
            expect(response.text).not.toContain('successor');
          }
        // Its limit is neither used nor shown.
        expect([await outcome('all', 'successor'), await outcome('all', 'successor')]).toEqual([
          '200',
          '429 LIMIT_EXCEEDED',
        ]);
        expect(await outcome(key, 'successor')).toBe('403 FORBIDDEN');
      });
    },
  );
});
