import { createHash, createSecretKey, type KeyObject } from 'node:crypto';
import { decodeProtectedHeader, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { LRUCache } from 'lru-cache';

import { isActive, type Principal } from './principal.js';
import { secretBytes } from './secret.js';
import { principalOfClaims } from './token-claims.js';
import { remoteKeys, type RemoteKeysOptions } from './token-keys.js';
import { TokenRejected } from './token-rejected.js';

export interface TokenConfig {
  /** For HS256: at least 32 bytes. */
  readonly secret?: string | undefined;
  /** For RS256 and ES256: where the issuer's public keys are. */
  readonly jwksUrl?: string | undefined;
  readonly issuer: string;
  readonly audience: string;
  readonly clock?: () => Date;
  readonly remote?: RemoteKeysOptions;
}

/** Longest token that is looked at, in characters. */
export const MAX_TOKEN_LENGTH = 4096;

/** Seconds by which the issuer's clock may be off. */
const CLOCK_TOLERANCE_S = 5;

/** How long a verified token is taken as such: a public key that its issuer withdraws is out of force after that. */
const REMEMBERED_MS = 300_000;

const MAX_REMEMBERED = 10_000;

/** A key with the only algorithms that it verifies: what a token's header says never widens them. */
interface Source {
  readonly algorithms: ('HS256' | 'RS256' | 'ES256')[];
  readonly key: KeyObject | JWTVerifyGetKey;
}

/** Whether a text has the form of a token: three parts, each of base64url. */
export function looksLikeToken(text: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]*$/.test(text);
}

/** Holders of JWTs that applications make for their own users. */
export class Tokens {
  readonly #sources: readonly Source[];
  readonly #config: TokenConfig;
  readonly #clock: () => Date;
  readonly #verified = new LRUCache<string, { readonly holder: Principal; readonly until: number }>({
    max: MAX_REMEMBERED,
  });

  /** @throws Error where the secret is too short, or there is neither a secret nor a URL. */
  constructor(config: TokenConfig) {
    this.#config = config;
    this.#clock = config.clock ?? (() => new Date());
    this.#sources = sourcesOf(config);
    if (this.#sources.length === 0) throw new Error('Tokens need JWT_SECRET or JWT_JWKS_URL to be verified.');
  }

  /** The holder of a token that was verified a short while ago and is in force. */
  known(token: string): Principal | undefined {
    if (this.#verified.size === 0 || token.length > MAX_TOKEN_LENGTH) return undefined;
    const digest = digestOf(token);
    const found = this.#verified.get(digest);
    if (!found) return undefined;
    const now = this.#clock().getTime();
    if (now < found.until && isActive(found.holder, now)) return found.holder;
    this.#verified.delete(digest);
    return undefined;
  }

  /**
   * The holder of a token.
   *
   * @throws TokenRefused
   */
  async verify(token: string): Promise<Principal> {
    if (token.length > MAX_TOKEN_LENGTH) {
      throw new TokenRejected('invalid', `This token is longer than ${MAX_TOKEN_LENGTH} characters.`);
    }
    const known = this.known(token);
    if (known) return known;
    const principal = principalOf(await this.payloadOf(token));
    this.#verified.set(digestOf(token), {
      holder: principal,
      until: this.#clock().getTime() + REMEMBERED_MS,
    });
    return principal;
  }

  private async payloadOf(token: string): Promise<JWTPayload> {
    const { key, algorithms } = this.sourceFor(token);
    const options = {
      algorithms,
      issuer: this.#config.issuer,
      audience: this.#config.audience,
      requiredClaims: ['exp', 'sub'],
      clockTolerance: CLOCK_TOLERANCE_S,
      currentDate: this.#clock(),
    };
    try {
      // The two forms of jwtVerify differ in the type of the key alone.
      const verified =
        typeof key === 'function'
          ? await jwtVerify(token, key, options)
          : await jwtVerify(token, key, options);
      return verified.payload;
    } catch (error) {
      throw refusalOf(error);
    }
  }

  private sourceFor(token: string): Source {
    const alg = algorithmOf(token);
    const source = this.#sources.find(({ algorithms }) => algorithms.some((each) => each === alg));
    if (source) return source;
    const accepted = this.#sources.flatMap(({ algorithms }) => algorithms);
    throw new TokenRejected('invalid', `This is no token signed with ${accepted.join(' or ')}.`);
  }
}

function sourcesOf({ secret, jwksUrl, remote }: TokenConfig): readonly Source[] {
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
    throw new TokenRejected(
      'invalid',
      `The claims of this token are not as they should be: ${(error as Error).message}.`,
    );
  }
}

/** What jose finds after the signature was good, such as another audience, the caller may know. */
function refusalOf(error: unknown): TokenRejected {
  if (error instanceof TokenRejected) return error;
  if (error instanceof errors.JWTExpired) return new TokenRejected('expired', 'This token has expired.');
  if (error instanceof errors.JWTClaimValidationFailed) {
    return new TokenRejected('invalid', `This token’s claim ${error.claim} is missing or not accepted here.`);
  }
  return new TokenRejected('invalid', 'This token is not valid.');
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}
