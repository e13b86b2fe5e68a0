import type { IncomingMessage } from 'node:http';

import { hashApiKey } from '../../src/gateway/auth/api-key.js';
import { KeyRing } from '../../src/gateway/auth/key-ring.js';
import { KeyUse } from '../../src/gateway/auth/key-use.js';
import { Links } from '../../src/gateway/auth/links.js';
import type { Principal } from '../../src/gateway/auth/principal.js';
import type { AdminParts } from '../../src/gateway/http/admin/admin-parts.js';
import { RunningCalls } from '../../src/gateway/http/call/running-calls.js';
import type { Credentials } from '../../src/gateway/http/call/credentials.js';
import { sealFrom } from '../../src/endpoint/parameters/secret-value.js';
import { Limiter } from '../../src/gateway/limits/limiter.js';
import type { Clock } from '../../src/gateway/query/ports.js';
import type { RunScheduledExport } from '../../src/gateway/query/execute-export.js';
import type { DeferredCalls } from '../../src/gateway/scheduler/deferred-calls.js';
import type { CheckSql } from '../../src/gateway/query/sandboxed-select.js';

export const LINK_SECRET = 'a secret for links in tests, long enough';

/** Credentials by key; signed links are enabled, tokens are not. */
export function testCredentials(
  principals: Readonly<Record<string, Principal>>,
  clock: Clock = () => new Date(),
): Credentials & { readonly links: Links; readonly use: KeyUse; readonly ring: KeyRing } {
  const ring = new KeyRing(
    Object.entries(principals).map(([key, principal]) => ({ principal, hashes: [hashApiKey(key)] })),
    clock,
  );
  const links = new Links(LINK_SECRET);
  const use = new KeyUse(() => ring.principals());
  return {
    links,
    use,
    ring,
    find: (presented) => ring.find(presented),
    findKey: (key) => ring.find(key),
    verify: () => Promise.resolve(undefined),
    openLink: (endpoint, sent) =>
      links.open(endpoint, sent, (name) => ring.findByName(name), clock().getTime()),
    addressOf: ({ socket }: IncomingMessage) => socket.remoteAddress,
    noteUse: (principal, now) => {
      use.record(principal, now);
    },
    clock,
  };
}

/** A limiter of this process only. */
export function testLimiter(now: () => number = () => performance.now()): Limiter {
  return new Limiter(now);
}

/** What the admin API reports of keys and reloads, for tests that are about neither. */
export function noKeys(
  clock: Clock,
): Pick<AdminParts, 'keys' | 'keyUse' | 'links' | 'seal' | 'runningCalls' | 'clock' | 'reloader'> {
  const keys = { principals: () => [], findByName: () => undefined };
  const last = { at: clock(), ok: true, problems: [], added: [], changed: [], removed: [] };
  const reloader = { last, lastSuccess: last.at, reload: () => Promise.resolve(last) };
  return {
    keys,
    keyUse: new KeyUse(keys.principals),
    links: undefined,
    seal: sealFrom(undefined),
    runningCalls: new RunningCalls(clock),
    clock,
    reloader,
  };
}

/** For gateways whose endpoints have no exports. */
const noExports: RunScheduledExport = () => Promise.reject(new Error('no endpoint of this test has exports'));

/** For gateways without sandboxed endpoints. */
export const noSql: CheckSql = () => Promise.reject(new Error('no endpoint of this test takes SQL'));

/** For gateways whose calls are not deferred. */
const noDeferral: Pick<DeferredCalls, 'execute'> = {
  execute: () => Promise.reject(new Error('no call of this test is deferred')),
};

/** For gateways whose calls are neither exported nor deferred, and take no SQL. */
export const plainCalls = { runExport: noExports, checkSql: noSql, deferredCalls: noDeferral };
