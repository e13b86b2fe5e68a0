import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose';

import { TokenRejected } from './token-rejected.js';

export interface RemoteKeysOptions {
  /** Timeout of a read of the key set. */
  readonly timeoutMs?: number;
  /** Milliseconds after a read during which an unknown key causes no further read. */
  readonly cooldownMs?: number;
}

/** Minimum time between a failed read of the key set and the next one. */
const PAUSE_MS = 1000;

/**
 * The public keys at a JWKS URL. They are read on first use, when a token names an unknown key, and after ten
 * minutes. Concurrent callers share one read.
 *
 * @throws TokenRejected, from the returned function: `unreachable` if the key set cannot be read, `invalid` if not
 * exactly one supported key matches.
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
      if (isTokenAtFault(cause))
        throw new TokenRejected(
          'invalid',
          'This token does not match exactly one supported key of its issuer.',
        );
      throw new TokenRejected('unreachable', 'The keys of the token’s issuer cannot be read at the moment.', {
        cause,
      });
    }
  };
}

function isTokenAtFault(cause: unknown): boolean {
  return (
    cause instanceof errors.JWKSNoMatchingKey ||
    cause instanceof errors.JWKSMultipleMatchingKeys ||
    cause instanceof errors.JOSENotSupported
  );
}

/** Pauses after a failed read: a stream of invalid tokens must not overload a server that is already down. */
function fetchWithPauses(): (url: string, options: RequestInit) => Promise<Response> {
  let pauseUntil = -Infinity;
  return async (url, options) => {
    if (performance.now() < pauseUntil) throw new Error('the last read of the key set failed');
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
