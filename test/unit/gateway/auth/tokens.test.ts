import { createHmac } from 'node:crypto';
import { inspect } from 'node:util';
import type { JWTPayload } from 'jose';

import { looksLikeToken, MAX_TOKEN_LENGTH, Tokens } from '../../../../src/gateway/auth/tokens.js';
import {
  base64,
  CLAIMS,
  EXPECTED,
  NOW_S,
  rejectionOf,
  RIGHTS,
  SECRET,
  signed,
  withSecret,
} from './signed-tokens.js';

describe('a token signed with a secret', () => {
  it('yields the principal that its claims describe', async () => {
    const limits = { requests: { quota: 10, window: 60 } };
    const token = await signed({ querygate: { ...RIGHTS, limits, mayBypassCache: false } });
    expect(await withSecret().verify(token)).toEqual({
      name: 'jwt:user-7',
      mayBypassCache: false,
      endpoints: ['logs.*'],
      pinned: new Map([['project', 'abc']]),
      limits,
      expiresAt: (NOW_S + 65) * 1000,
      via: 'token',
    });
  });

  it('is verified once and found until it expires', async () => {
    let now = NOW_S;
    const tokens = withSecret({ clock: () => new Date(now * 1000) });
    const token = await signed();
    expect(tokens.findVerified(token)).toBeUndefined();
    const principal = await tokens.verify(token);
    expect(tokens.findVerified(token)).toBe(principal);
    expect(await tokens.verify(token)).toBe(principal);
    expect(tokens.findVerified(`${token}x`)).toBeUndefined();
    now += 64;
    expect(tokens.findVerified(token)).toBe(principal);
    now += 1;
    expect(tokens.findVerified(token)).toBeUndefined();
    expect(await rejectionOf(tokens, token)).toMatchObject({ reason: 'expired' });
  });

  it('is verified again after five minutes, even if it expires later', async () => {
    let now = NOW_S;
    const tokens = withSecret({ clock: () => new Date(now * 1000) });
    const token = await signed({ exp: NOW_S + 86_400 });
    await tokens.verify(token);
    now += 299;
    expect(tokens.findVerified(token)).toBeDefined();
    now += 1;
    expect(tokens.findVerified(token)).toBeUndefined();
    expect((await tokens.verify(token)).name).toBe('jwt:user-7');
  });

  it('grants every endpoint and pins nothing when its claims say so', async () => {
    const principal = await withSecret().verify(await signed({ querygate: { endpoints: ['*'], fixed: {} } }));
    expect(principal).toMatchObject({ endpoints: ['*'] });
    expect(principal.pinned).toBeUndefined();
  });

  it('is accepted when the clocks differ by a few seconds', async () => {
    expect((await withSecret().verify(await signed({ exp: NOW_S - 4 }))).name).toBe('jwt:user-7');
    expect((await withSecret().verify(await signed({ nbf: NOW_S + 4 }))).name).toBe('jwt:user-7');
  });

  it.each<[string, JWTPayload, string]>([
    ['an expiry in the past', { exp: NOW_S - 6 }, 'expired'],
    ['a start in the future', { nbf: NOW_S + 60 }, 'claim nbf'],
    ['another audience', { aud: 'other' }, 'claim aud'],
    ['another issuer', { iss: 'https://other.example' }, 'claim iss'],
    ['no audience', { aud: undefined } as unknown as JWTPayload, 'claim aud'],
    ['no issuer', { iss: undefined } as unknown as JWTPayload, 'claim iss'],
    ['no expiry', { exp: undefined } as unknown as JWTPayload, 'claim exp'],
    ['no subject', { sub: undefined } as unknown as JWTPayload, 'claim sub'],
    ['a subject of two lines', { sub: 'a\nb' }, '"sub" must be 1 to 64 letters'],
    ['a long subject', { sub: 'x'.repeat(65) }, '"sub"'],
    ['no rights', { querygate: undefined }, '"querygate" is required'],
    ['rights that are a string', { querygate: '*' }, '"querygate" must be of type object'],
    ['no endpoints', { querygate: { fixed: {} } }, '"querygate.endpoints" is required'],
    ['an empty list of endpoints', { querygate: { endpoints: [], fixed: {} } }, '"querygate.endpoints"'],
    ['no pinned parameters', { querygate: { endpoints: ['*'] } }, '"querygate.fixed" is required'],
    ['an empty pinned value', { querygate: { endpoints: ['*'], fixed: { project: '' } } }, 'querygate.fixed'],
    [
      'a number as a pinned value',
      { querygate: { endpoints: ['*'], fixed: { project: 7 } } },
      'querygate.fixed',
    ],
    ['a misspelt right', { querygate: { ...RIGHTS, limit: {} } }, '"querygate.limit" is not allowed'],
    [
      'an invalid limit',
      { querygate: { ...RIGHTS, limits: { requests: 1 } } },
      '"querygate.limits.requests"',
    ],
    ['the right to bypass', { querygate: { ...RIGHTS, mayBypassCache: true } }, 'querygate.mayBypassCache'],
  ])('is rejected with %s', async (_what, changes, message) => {
    const tokens = withSecret();
    const rejection = await rejectionOf(tokens, await signed(changes));
    expect(rejection.reason).toBe(message === 'expired' ? 'expired' : 'invalid');
    expect(rejection.message).toContain(message);
  });

  it('is rejected with an infinite expiry', async () => {
    const body = `${base64({ alg: 'HS256' })}.${Buffer.from(JSON.stringify(CLAIMS).replace(String(NOW_S + 60), '1e999')).toString('base64url')}`;
    const token = `${body}.${createHmac('sha256', SECRET).update(body).digest('base64url')}`;
    expect((await rejectionOf(withSecret(), token)).reason).toBe('invalid');
  });

  it.each([
    ['the wrong secret', () => signed({}, `${SECRET}!`)],
    ['HS512', () => signed({}, SECRET.repeat(2), 'HS512')],
    ['no signature', () => `${base64({ alg: 'none' })}.${base64(CLAIMS)}.`],
    ['a truncated signature', async () => (await signed()).slice(0, -2)],
    [
      'a changed claim',
      async () => (await signed()).replace(/\..*\./, `.${base64({ ...CLAIMS, sub: 'x' })}.`),
    ],
    ['alg None', async () => `${base64({ alg: 'None' })}.${(await signed()).split('.').slice(1).join('.')}`],
    ['an invalid header', () => 'a.b.c'],
    ['a single part', () => 'abc'],
    ['an empty text', () => ''],
  ])('is rejected with %s, by an error that does not contain the token', async (_what, make) => {
    const token = await make();
    const rejection = await rejectionOf(withSecret(), token);
    expect(rejection.reason).toBe('invalid');
    if (token !== '') expect(inspect(rejection)).not.toContain(token);
  });

  it('is rejected above the maximum length before it is parsed', async () => {
    const token = await signed({ junk: 'x'.repeat(MAX_TOKEN_LENGTH) });
    expect((await rejectionOf(withSecret(), token)).message).toContain('longer than 4096');
    expect(withSecret().findVerified(token)).toBeUndefined();
  });

  it('requires a secret of 32 bytes and never prints it', () => {
    expect(() => withSecret({ secret: 'x'.repeat(31) })).toThrow('JWT_SECRET has 31 bytes');
    expect(() => new Tokens(EXPECTED)).toThrow('JWT_SECRET or JWT_JWKS_URL');
    const tokens = withSecret();
    expect(inspect(tokens, { depth: 9, showHidden: true }) + JSON.stringify(tokens)).not.toContain(SECRET);
  });
});

describe('looksLikeToken', () => {
  it('distinguishes tokens from keys', async () => {
    expect(looksLikeToken(await signed())).toBe(true);
    for (const text of ['qg_abc', 'a.b', 'a.b.c.d', '', 'a b.c.d', '..'])
      expect(looksLikeToken(text)).toBe(false);
  });
});
