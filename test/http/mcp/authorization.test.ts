import { SignJWT } from 'jose';

import { AccessGateway, keyNamed } from '../../support/access-gateway.js';
import { ORDERS, rowsOf, SAMPLE } from '../../support/mcp-shop.js';
import { outcomeOf, type NetworkRequest, type NetworkResponse } from '../../support/network-request.js';
import { LINK_SECRET } from '../../support/test-credentials.js';
import { openForEach } from '../../support/opened.js';

const JWT_SECRET = 'a secret for tokens in tests, long enough';
const JWT_ISSUER = 'https://login.example';
const PAGE = 'https://agent.example';
const INVALID = '401 API_KEY_INVALID';

const gateway = openForEach(() =>
  AccessGateway.open({
    endpoints: [ORDERS, SAMPLE],
    keys: {
      all: {},
      inUrls: { mayUseQueryString: true },
    },
    environment: { JWT_SECRET, JWT_ISSUER, LINK_SECRET, CORS_ORIGINS: PAGE },
  }),
);
beforeEach(() => {
  gateway.runQuery.returnRows(rowsOf(3));
});

type Headers = Readonly<Record<string, string>>;

/** Sends `tools/list`. */
const send = (headers: Headers = {}, query = '', more: NetworkRequest = {}): Promise<NetworkResponse> =>
  gateway.send('', `/mcp${query}`, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2025-11-25',
      ...headers,
    },
    ...more,
  });
const withKey = (name: string): Headers => ({ 'X-API-KEY': keyNamed(name) });
const bearer = (keyOrToken: string): Headers => ({ Authorization: `Bearer ${keyOrToken}` });
const toolsIn = ({ text }: NetworkResponse): readonly string[] =>
  (JSON.parse(text) as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name);

const tokenOf = (changes: object = {}, secret = JWT_SECRET): Promise<string> =>
  new SignJWT({
    iss: JWT_ISSUER,
    aud: 'querygate',
    sub: 'agent-17',
    exp: Math.floor(gateway.clock.milliseconds / 1000) + 60,
    querygate: { endpoints: ['shop.*'], fixed: {} },
    ...changes,
  })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(Buffer.from(secret));

describe('POST /mcp', () => {
  it('accepts a key in either header, and lists the tools that it may call', async () => {
    expect(toolsIn(await send(withKey('all')))).toEqual(['sample', 'shop_daily-orders']);
    expect(toolsIn(await send(bearer(keyNamed('all'))))).toHaveLength(2);
  });

  it('accepts a token in either header, and lists the tools of its claims', async () => {
    const token = await tokenOf();
    expect(toolsIn(await send(bearer(token)))).toEqual(['shop_daily-orders']);
    expect(toolsIn(await send({ 'X-API-KEY': token }))).toEqual(['shop_daily-orders']);
    const without = await tokenOf({ querygate: { endpoints: ['gateway.*'], fixed: {} } });
    expect(toolsIn(await send(bearer(without)))).toEqual([]);
  });

  it('returns 401 without a valid key, before it reads the message', async () => {
    expect(outcomeOf(await send())).toBe('401 API_KEY_MISSING');
    expect(outcomeOf(await send({}, '', { body: '{' }))).toBe('401 API_KEY_MISSING');
    expect(outcomeOf(await send(withKey('nobody')))).toBe(INVALID);
    expect(outcomeOf(await send(bearer(await tokenOf({ exp: 1 }))))).toBe(INVALID);
  });

  it('accepts a key in the query string where the key allows that, and no token', async () => {
    expect((await send({}, `?api_key=${keyNamed('inUrls')}`)).status).toBe(200);
    expect(outcomeOf(await send({}, `?api_key=${keyNamed('all')}`))).toBe(INVALID);
    expect(outcomeOf(await send({}, `?api_key=${await tokenOf()}`))).toBe(INVALID);
  });

  it('rejects a signed link, which is for one endpoint', async () => {
    const { links, keys } = gateway.access;
    const key = keys.findByName('all');
    if (!links || !key) throw new Error('signed links are not configured');
    const nowMs = gateway.clock.milliseconds;
    const parameters = new Map([['city', 'Rome']]);
    const link = links.sign({ endpoint: SAMPLE, parameters, key, nowMs, expiresAtMs: nowMs + 60_000 });
    expect((await gateway.send('', link)).status).toBe(200);
    expect(outcomeOf(await send({}, link.slice(link.indexOf('?'))))).toBe(INVALID);
  });

  it.each(['GET', 'HEAD', 'DELETE', 'PUT', 'PATCH'])('returns 405 to %s', async (method) => {
    const response = await gateway.send('all', '/mcp', { method });
    expect(response.status).toBe(405);
    expect(response.headers.allow).toBe('POST');
  });
});

describe('the Origin of a request', () => {
  it('may be a listed one, and need not be there', async () => {
    const response = await send({ ...withKey('all'), Origin: PAGE });
    expect(response.status).toBe(200);
    expect(response.headers['access-control-allow-origin']).toBe(PAGE);
    expect((await send(withKey('all'))).headers).not.toHaveProperty('access-control-allow-origin');
  });

  it.each(['https://evil.example', `${PAGE}.evil.example`, 'http://agent.example', 'null', ''])(
    'is rejected with 403 where it is %j, with and without a key',
    async (Origin) => {
      for (const key of [withKey('all'), {}]) {
        const response = await send({ ...key, Origin });
        expect(outcomeOf(response)).toBe('403 FORBIDDEN');
        expect(response.headers).not.toHaveProperty('access-control-allow-origin');
      }
    },
  );
});

describe('the preflight of a page’s client', () => {
  const HEADERS = 'authorization,content-type,mcp-method,mcp-name,mcp-protocol-version,x-api-key';
  const preflight = (Origin: string, target = '/mcp'): Promise<NetworkResponse> =>
    gateway.send('', target, {
      method: 'OPTIONS',
      headers: {
        Origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': HEADERS,
      },
    });

  it('allows the headers of the protocol and of keys to a listed origin', async () => {
    const { status, headers } = await preflight(PAGE);
    expect(status).toBe(204);
    expect(headers['access-control-allow-origin']).toBe(PAGE);
    expect(headers['access-control-allow-methods']?.split(',')).toContain('POST');
    expect(headers['access-control-allow-headers']).toBe(HEADERS);
  });

  it.each(['https://evil.example', 'null'])('allows nothing to %s', async (origin) => {
    expect((await preflight(origin)).headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('lets a listed origin read why a key is rejected', async () => {
    const { headers } = await send({ Origin: PAGE });
    expect(headers['access-control-allow-origin']).toBe(PAGE);
    expect(headers['access-control-expose-headers']?.split(',')).toEqual(
      expect.arrayContaining(['WWW-Authenticate', 'Mcp-Session-Id']),
    );
  });
});
