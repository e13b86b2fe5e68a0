import { GatewaysUsage } from '../cache/gateways-usage.js';
import type { MemoryStore } from '../cache/memory-store.js';
import { PurgeGuard } from '../cache/purge-guard.js';
import { TieredStore } from '../cache/tiered-store.js';
import type { Config } from '../config/config.js';
import {
  keepUntilOf,
  permitMsOf,
  sharedFor,
  type CacheSurroundings,
  type OpenCache,
} from './shared-cache.js';
import { LeaderLease } from '../warming/leader-lease.js';
import { HeldUnits } from '../workers/held-units.js';
import { leaseInPrimary } from '../workers/lease-in-primary.js';
import { limitsInPrimary } from '../workers/limits-in-primary.js';
import type { PrimaryLink } from '../workers/primary-link.js';
import { received } from '../workers/received.js';
import { shareThroughPrimary } from '../workers/share-through-primary.js';
import { purgeInPrimary, storeInPrimary } from '../workers/store-in-primary.js';
import { usageInPrimary } from '../workers/usage-in-primary.js';

/** A leader that hangs is followed after this long; one that has ended, at once. */
const LEASE_MS = 3000;

/** The cache of one of several workers, which do through their primary what gateways do through Redis. */
export function openThroughPrimary(
  config: Config,
  memory: MemoryStore,
  link: PrimaryLink,
  { endpoints, ledger, clock }: CacheSurroundings,
): OpenCache {
  const near = new PurgeGuard(memory);
  const isFresh: MemoryStore['isFresh'] = (answer) => memory.isFresh(answer);
  const nearStore = { get: memory.get, set: near.set, purge: near.purge, isFresh };
  const far = storeInPrimary(link, config.cache.maxSharedBytes);
  const store = new PurgeGuard(new TieredStore(nearStore, far, keepUntilOf(endpoints)));
  link.answer({
    'answers.replaced': async ({ key, answer, keepUntil }) => {
      // One that this worker was never asked for would push out another that it was.
      if (memory.peek(key.hash)) await near.set(key, received(answer), keepUntil);
    },
    'answers.purged': async (scope) => {
      store.note(scope);
      await near.purge(scope);
    },
  });
  const board = usageInPrimary(link);
  const usage = new GatewaysUsage({ board, ledger, endpoints, maxSets: config.warming.maxSets, clock });
  const now = (): number => performance.now();
  const lease = new LeaderLease(leaseInPrimary(link), LEASE_MS, now);
  const quotas = new HeldUnits(link, now);
  return {
    memory,
    store,
    shareAcross: sharedFor(config, (maxWaitMs) =>
      shareThroughPrimary({ link, store, keepNear: near.set, maxWaitMs }),
    ),
    purge: async (scope) => {
      const dated = { ...scope, bornUntil: clock().getTime() };
      store.note(dated);
      await near.purge(dated);
      await purgeInPrimary(link, dated);
    },
    usage: {
      sets: (endpointId) => usage.sets(endpointId),
      forget: (key) => {
        usage.forget(key);
      },
    },
    limits: limitsInPrimary(link, quotas, permitMsOf(config)),
    isLeader: () => lease.isLeader,
    hasRedis: false,
    isRedisOpen: () => false,
    keepInTouch: async () => {
      await Promise.all([lease.attempt(), usage.publish()]);
    },
    close: async () => {
      await quotas.giveBackAll();
      await lease.release();
    },
  };
}
