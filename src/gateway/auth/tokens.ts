import { createHash, createSecretKey, type KeyObject } from 'node:crypto';
import { decodeProtectedHeader, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { LRUCache } from 'lru-cache';

import { isActive, type Principal } from './principal.js';
import { secretBytes } from './secret.js';
import { principalOfClaims } from './token-claims.js';
import { remoteKeys, type RemoteKeysOptions } from './token-keys.js';
import { TokenRejected } from './token-rejected.js';

export interface TokenConfig {
  /** Secret for HS256, at least 32 bytes. */
  readonly secret?: string | undefined;
  /** URL of the issuer's public keys, for RS256 and ES256. */
  readonly jwksUrl?: string | undefined;
  readonly issuer: string;
  readonly audience: string;
  readonly clock?: () => Date;
  readonly remote?: RemoteKeysOptions;
}

/** Longest accepted token, in characters. */
export const MAX_TOKEN_LENGTH = 4096;

/** Tolerated difference between the issuer's clock and this one, in seconds. */
const CLOCK_TOLERANCE_S = 5;

/** How long a verified token is cached: a public key that its issuer withdraws is accepted until then. */
const VERIFICATION_TTL_MS = 300_000;

const MAX_VERIFIED = 10_000;

/** A key with the algorithms that it may verify: a token's header cannot widen them. */
interface VerificationKey {
  readonly algorithms: ('HS256' | 'RS256' | 'ES256')[];
  readonly key: KeyObject | JWTVerifyGetKey;
}

/** Whether a text has the form of a JWT: three parts in base64url. */
export function looksLikeToken(text: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]*$/.test(text);
}

/** Verifies JWTs that applications sign for their own users. */
export class Tokens {
  readonly #verificationKeys: readonly VerificationKey[];
  readonly #config: TokenConfig;
  readonly #clock: () => Date;
  readonly #verified = new LRUCache<string, { readonly principal: Principal; readonly recheckAt: number }>({
    max: MAX_VERIFIED,
  });

  /** @throws Error when the secret is too short, or neither a secret nor a URL is configured. */
  constructor(config: TokenConfig) {
    this.#config = config;
    this.#clock = config.clock ?? (() => new Date());
    this.#verificationKeys = verificationKeysOf(config);
    if (this.#verificationKeys.length === 0)
      throw new Error('Set JWT_SECRET or JWT_JWKS_URL: without either, no token can be verified.');
  }

  /** The principal of an active token whose verification is cached. */
  findVerified(token: string): Principal | undefined {
    if (this.#verified.size === 0 || token.length > MAX_TOKEN_LENGTH) return undefined;
    const digest = digestOf(token);
    const found = this.#verified.get(digest);
    if (!found) return undefined;
    const now = this.#clock().getTime();
    if (now < found.recheckAt && isActive(found.principal, now)) return found.principal;
    this.#verified.delete(digest);
    return undefined;
  }

  /**
   * Verifies a token and returns its principal.
   *
   * @throws TokenRejected
   */
  async verify(token: string): Promise<Principal> {
    if (token.length > MAX_TOKEN_LENGTH) {
      throw new TokenRejected('invalid', `This token is longer than ${MAX_TOKEN_LENGTH} characters.`);
    }
    const cached = this.findVerified(token);
    if (cached) return cached;
    const principal = principalOf(await this.payloadOf(token));
    this.#verified.set(digestOf(token), {
      principal,
      recheckAt: this.#clock().getTime() + VERIFICATION_TTL_MS,
    });
    return principal;
  }

  private async payloadOf(token: string): Promise<JWTPayload> {
    const { key, algorithms } = this.verificationKeyFor(token);
    const options = {
      algorithms,
      issuer: this.#config.issuer,
      audience: this.#config.audience,
      requiredClaims: ['exp', 'sub'],
      clockTolerance: CLOCK_TOLERANCE_S,
      currentDate: this.#clock(),
    };
    try {
      // The overloads of jwtVerify differ in the type of the key only.
      const verified =
        typeof key === 'function'
          ? await jwtVerify(token, key, options)
          : await jwtVerify(token, key, options);
      return verified.payload;
    } catch (error) {
      throw rejectionOf(error);
    }
  }

  private verificationKeyFor(token: string): VerificationKey {
    const alg = algorithmOf(token);
    const match = this.#verificationKeys.find(({ algorithms }) => algorithms.some((each) => each === alg));
    if (match) return match;
    const accepted = this.#verificationKeys.flatMap(({ algorithms }) => algorithms);
    throw new TokenRejected('invalid', `This token is not signed with ${accepted.join(' or ')}.`);
  }
}

function verificationKeysOf({ secret, jwksUrl, remote }: TokenConfig): readonly VerificationKey[] {
  return [
    ...(secret === undefined
      ? []
      : [{ algorithms: ['HS256' as const], key: createSecretKey(secretBytes('JWT_SECRET', secret)) }]),
    ...(jwksUrl === undefined
      ? []
      : [{ algorithms: ['RS256' as const, 'ES256' as const], key: remoteKeys(jwksUrl, remote) }]),
  ];
}

function algorithmOf(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).alg;
  } catch {
    return undefined;
  }
}

function principalOf(payload: JWTPayload): Principal {
  try {
    return principalOfClaims(payload, CLOCK_TOLERANCE_S * 1000);
  } catch (error) {
    throw new TokenRejected('invalid', `The claims of this token are invalid: ${(error as Error).message}.`);
  }
}

/** Maps jose's error. Once the signature is verified, the caller may see which claim was rejected. */
function rejectionOf(error: unknown): TokenRejected {
  if (error instanceof TokenRejected) return error;
  if (error instanceof errors.JWTExpired) return new TokenRejected('expired', 'This token has expired.');
  if (error instanceof errors.JWTClaimValidationFailed) {
    return new TokenRejected(
      'invalid',
      `This token’s claim ${error.claim} is missing or not accepted by this gateway.`,
    );
  }
  return new TokenRejected('invalid', 'This token is not valid.');
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}
