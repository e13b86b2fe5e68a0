import type { IncomingMessage } from 'node:http';
import proxyAddress from 'proxy-addr';

import { Cursors } from '../auth/cursors.js';
import { KeyUse } from '../auth/key-use.js';
import { Links } from '../auth/links.js';
import { openKeys, type Keys } from '../auth/open-keys.js';
import { looksLikeToken, Tokens } from '../auth/tokens.js';
import { sealFrom, type Seal } from '../../endpoint/parameters/secret-value.js';
import type { ApiParts } from '../http/api-parts.js';
import type { Credentials } from '../http/call/credentials.js';
import type { SharedParts } from './shared-parts.js';

/** Minimum characters of a key: a shorter one can be guessed. */
const SAFE_KEY_LENGTH = 16;

/** The parts that authenticate callers, and when each key was last used. */
export interface Access extends Pick<ApiParts, 'credentials' | 'cursors'> {
  readonly keys: Keys;
  readonly keyUse: KeyUse;
  readonly links: ApiParts['links'];
  /** Replaces the values of secret parameters by an HMAC. */
  readonly seal: Seal;
}

/**
 * Opens keys, tokens and signed links as configured.
 *
 * @throws Error that an operator can act on.
 */
export async function openAccess(parts: SharedParts): Promise<Access> {
  const { config, endpoints, logger, clock } = parts;
  const tokens = config.tokens && new Tokens({ ...config.tokens, clock });
  const { secret, maxLifetimeMs } = config.links;
  const links = secret === undefined ? undefined : new Links(secret, { maxLifetimeMs });
  const addressOf = addressReader(config.trustProxy);
  if (config.apiKey !== undefined && config.apiKey.length < SAFE_KEY_LENGTH) {
    logger.warn('API_KEY is too short: it can be guessed. Generate one with: openssl rand -base64 24', {
      leastCharacters: SAFE_KEY_LENGTH,
    });
  }
  const keys = await openConfiguredKeys(parts);
  const keyUse = new KeyUse(keys.principals);
  const credentials: Credentials = {
    find: (presented) => keys.find(presented) ?? tokens?.findVerified(presented),
    findKey: keys.find,
    verify: async (presented) => (tokens && looksLikeToken(presented) ? tokens.verify(presented) : undefined),
    openLink: (endpoint, sent) => links?.open(endpoint, sent, keys.findByName, clock().getTime()),
    addressOf,
    noteUse: (principal, now) => {
      keyUse.record(principal, now);
    },
    clock,
  };
  const isSecret = (name: string): boolean =>
    endpoints.all().some(({ parameters }) => parameters.get(name)?.secret);
  return { credentials, keys, keyUse, links, seal: sealFrom(secret), cursors: new Cursors(secret, isSecret) };
}

function openConfiguredKeys({ config, endpoints, logger, clock }: SharedParts): Promise<Keys> {
  return openKeys(
    config,
    {
      onReloaded: (keys) => {
        logger.info('keys file reloaded', { keys });
      },
      onRejected: (reason) => {
        logger.error('the changed keys file is invalid; the previous keys stay active', { reason });
      },
    },
    { endpoints: () => endpoints.all(), clock },
  );
}

/** @throws Error if TRUST_PROXY contains something other than addresses and ranges. */
function addressReader(trusted: readonly string[]): (request: IncomingMessage) => string | undefined {
  try {
    const trust = proxyAddress.compile([...trusted]);
    return (request) => proxyAddress(request, trust);
  } catch (cause) {
    throw new Error(`TRUST_PROXY must list IP addresses or ranges: ${(cause as Error).message}`, { cause });
  }
}
