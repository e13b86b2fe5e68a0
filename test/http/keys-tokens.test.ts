import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWTPayload } from 'jose';

import { AccessGateway } from '../support/access-gateway.js';
import { outcomeOf, type NetworkRequest } from '../support/network-request.js';

const SECRET = 'a secret for tokens in tests, long enough';
const ISSUER = 'https://app.example';
const STATS = '/api/endpoints/query/functions.invocation-stats';
const CLAIMS = { endpoints: ['functions.*'], fixed: { project: 'aurora' } };
const ENVIRONMENT = { JWT_SECRET: SECRET, JWT_ISSUER: ISSUER, API_KEY: 'qg_own-key-only-for-tests' };

let gateway: AccessGateway;
let rsa: { readonly privateKey: CryptoKey; readonly publicKey: CryptoKey };
let closeIssuer: () => void;

beforeAll(async () => {
  rsa = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(rsa.publicKey)), kid: 'first', alg: 'RS256', use: 'sig' };
  const issuer = createServer((_request, response) => {
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ keys: [jwk] }));
  });
  await once(issuer.listen(0, '127.0.0.1'), 'listening');
  closeIssuer = () => {
    issuer.closeAllConnections();
    issuer.close();
  };
  const JWT_JWKS_URL = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}/jwks`;
  gateway = await AccessGateway.open({ environment: { ...ENVIRONMENT, JWT_JWKS_URL } });
});
afterAll(async () => {
  await gateway.close();
  closeIssuer();
});

const seconds = (after = 0): number => Math.floor(gateway.clock.milliseconds / 1000) + after;
type Changes = { readonly [Claim in keyof JWTPayload]?: JWTPayload[Claim] | undefined };
const payload = (changes: Changes = {}): JWTPayload =>
  ({
    iss: ISSUER,
    aud: 'querygate',
    sub: 'user-17',
    exp: seconds(60),
    querygate: CLAIMS,
    ...changes,
  }) as JWTPayload;
const sign = (changes: Changes = {}, secret = SECRET): Promise<string> =>
  new SignJWT(payload(changes)).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(secret));
const query = async (token: string, target = STATS, more: NetworkRequest = {}): Promise<string> =>
  outcomeOf(await gateway.send('', target, { ...more, headers: { Authorization: `Bearer ${token}` } }));

describe('a token', () => {
  it('authorizes what its claims list, in either header, and nothing else', async () => {
    const token = await sign();
    expect(await query(token)).toBe('200');
    expect(outcomeOf(await gateway.send('', STATS, { headers: { 'X-API-KEY': token } }))).toBe('200');
    expect(await query(token, STATS, { method: 'HEAD' })).toBe('200');
    expect(await query(token, `${STATS}?project=boreal`)).toBe('403 FORBIDDEN');
    expect(await query(token, '/api/endpoints/query/logs.all')).toBe('403 FORBIDDEN');
    expect(await query(token, '/api/endpoints/query/get-grouped-stats-redirects')).toBe('403 FORBIDDEN');
    expect(await query(token, '/api/endpoints/query/nothing')).toBe('404 ENDPOINT_NOT_FOUND');
  });

  it('shares cached results with principals of its scope, on the fast path as well, and with no others', async () => {
    const [one, other, elsewhere] = await Promise.all([
      sign({ sub: 'one' }),
      sign({ sub: 'other' }),
      sign({ sub: 'elsewhere', querygate: { ...CLAIMS, fixed: { project: 'boreal' } } }),
    ]);
    const target = `${STATS}?interval=15min`;
    const statusOf = async (token: string): Promise<unknown> =>
      (await gateway.send('', target, { headers: { 'X-API-KEY': token } })).headers['x-cache'];
    expect([await statusOf(one), await statusOf(other), await statusOf(elsewhere)]).toEqual([
      'MISS',
      'HIT',
      'MISS',
    ]);
    const before = gateway.servedOnFastPath;
    expect([await statusOf(one), await statusOf(elsewhere)]).toEqual(['HIT', 'HIT']);
    expect(gateway.servedOnFastPath - before).toBe(2);
  });

  it('signed with RS256 is valid with the issuer’s published key', async () => {
    const header = { alg: 'RS256', kid: 'first' };
    const token = await new SignJWT(payload()).setProtectedHeader(header).sign(rsa.privateKey);
    expect(await query(token)).toBe('200');
    const another = await generateKeyPair('RS256');
    const forged = await new SignJWT(payload()).setProtectedHeader(header).sign(another.privateKey);
    expect(await query(forged)).toBe('401 API_KEY_INVALID');
  });

  it('is rejected in the query string', async () => {
    const target = `${STATS}?api_key=${await sign()}`;
    expect(outcomeOf(await gateway.send('', target))).toBe('401 API_KEY_INVALID');
  });

  it('has limits of its own, per subject', async () => {
    const limits = { requests: { quota: 1, window: 60 } };
    const limited = { querygate: { ...CLAIMS, limits } };
    expect(await query(await sign({ sub: 'a', ...limited }))).toBe('200');
    expect(await query(await sign({ sub: 'a', exp: seconds(90), ...limited }))).toBe('429 LIMIT_EXCEEDED');
    expect(await query(await sign({ sub: 'b', ...limited }))).toBe('200');
  });

  it('works alongside keys', async () => {
    const response = await gateway.send('', `${STATS}?project=a`, {
      headers: { 'X-API-KEY': ENVIRONMENT.API_KEY },
    });
    expect(outcomeOf(response)).toBe('200');
  });

  it('is valid until its expiry plus the clock tolerance, for cached results as well', async () => {
    const token = await sign({ exp: seconds(20) });
    for (let times = 0; times < 3; times += 1) expect(await query(token)).toBe('200');
    gateway.clock.advance(24);
    expect(await query(token)).toBe('200');
    gateway.clock.advance(2);
    expect(await query(token)).toBe('401 API_KEY_INVALID');
  });
});
