import { SignJWT } from 'jose';
import request from 'supertest';

import { AccessGateway, keyNamed, type KeyRights } from '../support/access-gateway.js';
import { outcomeOf, type NetworkResponse } from '../support/network-request.js';
import { LINK_SECRET } from '../support/test-credentials.js';
import { openForAll } from '../support/opened.js';

const JWT_SECRET = 'a secret for tokens in tests, long enough';
const JWT_ISSUER = 'https://app.example';
const STATS = 'functions.invocation-stats';
const ASKED = { endpoint: STATS, parameters: { project: 'aurora', interval: '1hr' }, expiresIn: 60 };
const DAYS_90 = 90 * 86_400;

const KEYS: KeyRights = {
  signer: { mayLink: true },
  tenant: { mayLink: true, fixed: { project: 'aurora' }, endpoints: [STATS, 'get-grouped-stats-redirects'] },
  limited: { mayLink: true, limits: { requests: { quota: 1, window: 60 } } },
  reader: {},
  leaving: { mayLink: true, expires: '2026-05-17T10:05:30Z' },
};

const gateway = openForAll(async () => {
  const environment = { LINK_SECRET, JWT_SECRET, JWT_ISSUER, PUBLIC_URL: 'https://gateway.example' };
  return AccessGateway.open({ keys: KEYS, environment });
});

const post = (key: string, body: unknown, headers = {}): Promise<NetworkResponse> =>
  gateway.send(key, '/api/links', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const bodyOf = ({ status, text }: NetworkResponse): unknown => {
  expect([status, text]).toEqual([200, text]);
  return JSON.parse(text);
};
const linkIn = (response: NetworkResponse): { readonly link: string; readonly expires: string } =>
  bodyOf(response) as { link: string; expires: string };
const detailOf = (response: NetworkResponse): string =>
  `${outcomeOf(response)}: ${(JSON.parse(response.text) as { detail?: string }).detail}`;
const bearerOf = async (): Promise<Readonly<Record<string, string>>> => {
  const querygate = { endpoints: ['*'], fixed: {}, mayExport: true };
  const token = await new SignJWT({ querygate })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(JWT_ISSUER)
    .setAudience('querygate')
    .setSubject('user-17')
    .setExpirationTime(Math.floor(gateway.clock.milliseconds / 1000) + 60)
    .sign(Buffer.from(JWT_SECRET));
  return { Authorization: `Bearer ${token}` };
};

describe('POST /api/links', () => {
  it('signs a link of the caller’s key, the one that the admin API signs', async () => {
    const response = await post('signer', ASKED);
    const { link, expires } = linkIn(response);
    expect(response.headers['cache-control']).toBe('no-store');
    expect(expires).toBe('2026-05-17T10:06:03.000Z');
    expect(
      (
        await request(gateway.admin)
          .post('/links')
          .send({ ...ASKED, key: 'signer' })
      ).body,
    ).toEqual({
      link,
      expires,
    });
    const opened = await gateway.send('', link.replace('https://gateway.example', ''));
    expect(outcomeOf(opened)).toBe('200');
  });

  it('says that a link ends with its key, where that ends earlier', async () => {
    const { link, expires } = linkIn(await post('leaving', ASKED));
    expect([expires, new URL(link).searchParams.get('link_expires')]).toEqual([
      '2026-05-17T10:05:30.000Z',
      String(Date.parse('2026-05-17T10:06:03Z') / 1000),
    ]);
  });

  it('signs what a key pins', async () => {
    const asked = { ...ASKED, parameters: { interval: '1hr' } };
    const { link } = linkIn(await post('tenant', asked));
    expect(new URL(link).searchParams.get('project')).toBe('aurora');
  });

  it.each([
    ['an unknown endpoint', 'signer', { endpoint: 'functions.invocation-stat' }, '404 ENDPOINT_NOT_FOUND'],
    ['an endpoint that the key may not call', 'tenant', { endpoint: 'logs.all' }, '403 FORBIDDEN'],
    [
      'an endpoint without its pinned parameter',
      'tenant',
      { endpoint: 'get-grouped-stats-redirects' },
      '403 FORBIDDEN',
    ],
    ['another pinned value', 'tenant', { parameters: { project: 'boreal' } }, '400 BAD_REQUEST'],
    ['an invalid value', 'signer', { endpoint: 'usage.api-counts' }, '400 INVALID_PARAMETERS'],
    ['a value that is no text', 'signer', { parameters: { project: 5 } }, '400 BAD_REQUEST'],
    ['a lifetime that is too long', 'signer', { expiresIn: DAYS_90 + 1 }, '400 BAD_REQUEST'],
    ['no lifetime', 'signer', { expiresIn: undefined }, '400 BAD_REQUEST'],
    ['a key', 'signer', { key: 'reader' }, '400 BAD_REQUEST'],
  ])('signs no link for %s', async (_what, key, changes, expected) => {
    expect(outcomeOf(await post(key, { ...ASKED, ...changes }))).toBe(expected);
  });

  it.each([[['a']], [null], [5]])(
    'returns 400 for the body %j, and 415 for one that is no JSON',
    async (body) => {
      expect(outcomeOf(await post('signer', body))).toBe('400 BAD_REQUEST');
      expect((await post('signer', ASKED, { 'Content-Type': 'text/plain' })).status).toBe(415);
    },
  );

  it('returns 403 that says what to do for a key without the right, and for a token', async () => {
    const withoutRight = detailOf(await post('reader', ASKED));
    expect(withoutRight).toBe('403 FORBIDDEN: This key may not sign links. Use a key with mayLink.');
    const ofToken = detailOf(await post('', ASKED, await bearerOf()));
    expect(ofToken).toMatch(/^403 FORBIDDEN: Only a key may sign links/);
  });

  it('needs a key, which a signed link is not, and counts against its limits', async () => {
    expect(outcomeOf(await post('', ASKED))).toBe('401 API_KEY_MISSING');
    const { link } = linkIn(await post('limited', ASKED));
    const target = `/api/links?${link.split('?')[1] ?? ''}`;
    expect(outcomeOf(await gateway.send('', target))).toBe('401 API_KEY_INVALID');
    expect(outcomeOf(await post('limited', ASKED))).toBe('429 LIMIT_EXCEEDED');
  });
});

describe('GET /api/links', () => {
  const ofKey = async (key: string, headers = {}): Promise<unknown> => {
    const response = await gateway.send(key, '/api/links', { headers });
    expect(response.headers['cache-control']).toBe('no-store');
    return bodyOf(response);
  };

  it('says whether the key may sign links, and for how long', async () => {
    expect(await ofKey('signer')).toEqual({ mayLink: true, maxExpiresIn: DAYS_90 });
    expect(await ofKey('reader')).toEqual({ mayLink: false, maxExpiresIn: DAYS_90 });
    expect(await ofKey('', await bearerOf())).toEqual({ mayLink: false, maxExpiresIn: DAYS_90 });
  });

  it('rejects other methods with those that are allowed', async () => {
    const response = await gateway.send('signer', '/api/links', { method: 'DELETE' });
    expect([outcomeOf(response), response.headers.allow]).toEqual([
      '405 METHOD_NOT_ALLOWED',
      'GET, HEAD, POST',
    ]);
  });

  it('says without LINK_SECRET that nobody may, and POST that links are disabled', async () => {
    const API_KEY = keyNamed('owner');
    const without = await AccessGateway.open({ environment: { API_KEY } });
    try {
      const state = bodyOf(await without.send('owner', '/api/links'));
      expect(state).toEqual({ mayLink: false, maxExpiresIn: 0 });
      const headers = { 'Content-Type': 'application/json' };
      const posted = await without.send('owner', '/api/links', { method: 'POST', headers, body: '{}' });
      expect(detailOf(posted)).toMatch(/^400 BAD_REQUEST: Signed links are disabled/);
    } finally {
      await without.close();
    }
  });
});
