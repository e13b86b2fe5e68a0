import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose';

import { TokenRejected } from './token-rejected.js';

export interface RemoteKeysOptions {
  /** Longest wait for the key set. */
  readonly timeoutMs?: number;
  /** After the set was read, how long a key that is not in it makes nobody read it again. */
  readonly cooldownMs?: number;
}

/** After a failure, how long the key set's server is left alone. */
const PAUSE_MS = 1000;

/**
 * The public keys at a JWKS URL: read when first needed, again when a token names a key that is not among them, and
 * after ten minutes. One read at a time, whoever waits for it.
 *
 * @throws TokenRefused, from the function: `unreachable` where the set can't be had, `invalid` where no key fits.
 */
export function remoteKeys(
  url: string,
  { timeoutMs = 2000, cooldownMs = 10_000 }: RemoteKeysOptions = {},
): JWTVerifyGetKey {
  const keys = createRemoteJWKSet(new URL(url), {
    timeoutDuration: timeoutMs,
    cooldownDuration: cooldownMs,
    [customFetch]: fetchWithPauses(),
  });
  return async (header, token) => {
    try {
      return await keys(header, token);
    } catch (cause) {
      if (isFaultOfToken(cause)) throw new TokenRejected('invalid', 'No key of the issuer fits this token.');
      throw new TokenRejected('unreachable', 'The keys of the token’s issuer can’t be read now.', { cause });
    }
  };
}

function isFaultOfToken(cause: unknown): boolean {
  return (
    cause instanceof errors.JWKSNoMatchingKey ||
    cause instanceof errors.JWKSMultipleMatchingKeys ||
    cause instanceof errors.JOSENotSupported
  );
}

/** A stream of bad tokens must not become a stream of requests to a server that is down already. */
function fetchWithPauses(): (url: string, options: RequestInit) => Promise<Response> {
  let pauseUntil = -Infinity;
  return async (url, options) => {
    if (performance.now() < pauseUntil) throw new Error('the key set could not be read a moment ago');
    try {
      const response = await fetch(url, options);
      if (response.status !== 200) pauseUntil = performance.now() + PAUSE_MS;
      return response;
    } catch (error) {
      pauseUntil = performance.now() + PAUSE_MS;
      throw error;
    }
  };
}
