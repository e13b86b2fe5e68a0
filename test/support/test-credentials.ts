import type { IncomingMessage } from 'node:http';

import type { AdminParts } from '../../src/http/admin/admin-app.js';
import type { Clock } from '../../src/query/ports.js';
import type { JudgeSql } from '../../src/query/sandboxed-select.js';
import type { Credentials } from '../../src/http/credentials.js';
import { hashApiKey } from '../../src/auth/api-key.js';
import type { KeyHolder } from '../../src/auth/principal.js';
import { KeyRing } from '../../src/auth/key-ring.js';
import { KeyUse } from '../../src/auth/key-use.js';
import { Links } from '../../src/auth/links.js';
import { FixedWindows } from '../../src/limits/fixed-windows.js';
import { Limiter } from '../../src/limits/limiter.js';
import { QueryPlaces } from '../../src/limits/concurrent-queries.js';

export const LINK_SECRET = 'a secret for links in tests, long enough';

/** Credentials of some keys, by key; links are open, tokens are not. */
export function testCredentials(
  holders: Readonly<Record<string, KeyHolder>>,
  clock: Clock = () => new Date(),
): Credentials & { readonly links: Links; readonly use: KeyUse; readonly ring: KeyRing } {
  const ring = new KeyRing(
    Object.entries(holders).map(([key, holder]) => ({ holder, hashes: [hashApiKey(key)] })),
    clock,
  );
  const links = new Links(LINK_SECRET);
  const use = new KeyUse(() => ring.holders());
  return {
    links,
    use,
    ring,
    find: (presented) => ring.find(presented),
    findKey: (key) => ring.find(key),
    verify: () => Promise.resolve(undefined),
    openLink: (endpoint, sent) => links.open(endpoint, sent, (name) => ring.named(name), clock().getTime()),
    addressOf: ({ socket }: IncomingMessage) => socket.remoteAddress,
    noteUse: (holder, now) => {
      use.note(holder, now);
    },
    clock,
  };
}

/** A limiter of this process alone. */
export function testLimiter(now: () => number = () => performance.now()): Limiter {
  return new Limiter({ windows: new FixedWindows(now), places: new QueryPlaces(), now });
}

/** What the operator's view knows of keys, where a test is not about them. */
export function noKeys(clock: Clock): Pick<AdminParts, 'keys' | 'keyUse' | 'links' | 'clock'> {
  const keys = { holders: () => [], named: () => undefined };
  return { keys, keyUse: new KeyUse(keys.holders), links: undefined, clock };
}

/** For gateways whose endpoints take no SQL. */
export const noSql: JudgeSql = () => Promise.reject(new Error('no endpoint of this test takes SQL'));
