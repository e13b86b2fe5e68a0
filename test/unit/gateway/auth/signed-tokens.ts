import { SignJWT, type CryptoKey, type JWTPayload } from 'jose';

import { TokenRejected } from '../../../../src/gateway/auth/token-rejected.js';
import { Tokens, type TokenConfig } from '../../../../src/gateway/auth/tokens.js';

export const SECRET = 'a secret of thirty-two bytes, or more';
export const NOW_S = 1_780_000_000;
export const clock =
  (seconds = NOW_S) =>
  (): Date =>
    new Date(seconds * 1000);
export const EXPECTED = { issuer: 'https://app.example', audience: 'querygate' };
export const RIGHTS = { endpoints: ['logs.*'], fixed: { project: 'abc' } };
export const CLAIMS: JWTPayload = {
  iss: EXPECTED.issuer,
  aud: EXPECTED.audience,
  sub: 'user-7',
  exp: NOW_S + 60,
  querygate: RIGHTS,
};

type SigningKey = CryptoKey | Uint8Array;

export const sign = (claims: JWTPayload, alg: string, key: SigningKey, kid?: string): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg, ...(kid !== undefined && { kid }) }).sign(key);
export const signed = (changes: JWTPayload = {}, secret = SECRET, alg = 'HS256'): Promise<string> =>
  sign({ ...CLAIMS, ...changes }, alg, Buffer.from(secret));
export const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

export const withSecret = (changes: Partial<TokenConfig> = {}): Tokens =>
  new Tokens({ secret: SECRET, ...EXPECTED, clock: clock(), ...changes });

/** Verifies a token that must be rejected and returns the error. */
export async function rejectionOf(tokens: Tokens, token: string): Promise<TokenRejected> {
  try {
    await tokens.verify(token);
  } catch (error) {
    if (error instanceof TokenRejected) return error;
    throw error;
  }
  throw new Error('the token was accepted');
}
