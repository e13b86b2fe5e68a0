import { isGone } from '../../endpoint/deprecation.js';
import { describeError } from '../observability/logger.js';
import type { CacheKey } from '../query/cache-key.js';
import { isFresh, knownAt, type EndpointResult } from '../query/endpoint-result.js';
import { confirm } from '../query/execute-call.js';
import { fetchResult, wantedOf, type FetchParts, type Wanted } from '../query/fetch-result.js';
import type { Requester } from '../query/ports.js';
import { createSetDeclarer } from '../warming/declared-sets.js';
import { QueryBudget } from '../warming/query-budget.js';
import type { UsageLedger } from '../warming/usage-ledger.js';
import { Warmer } from '../warming/warmer.js';
import type { OpenCache } from './open-cache.js';
import type { ExecutionParts } from './shared-parts.js';
import { steadyClock } from './steady-clock.js';

/** Requester of warming: after every caller in the queue, and without limits. */
const REQUESTER: Requester = { lane: 'warming', priority: 'warming' };
const AS_WARMING = { requester: REQUESTER, demand: 'fresh' } as const;

/** How often the warmer looks for due sets. */
const TICK_MS = 1000;

/** The dependencies of warming that other parts do not share. */
export interface WarmingParts {
  readonly cache: OpenCache;
  readonly ledger: UsageLedger;
  readonly isBusy: () => boolean;
}

/** The running warmer. */
export interface Warming {
  readonly warmer: Warmer;
  readonly stop: () => Promise<void>;
}

/** Starts the warmer, with the parameter sets that endpoints declare. */
export function startWarming(
  { config, endpoints, logger, clock, onBackground, metrics }: ExecutionParts,
  parts: FetchParts,
  { cache, ledger, isBusy }: WarmingParts,
): Warming {
  const stopping = new AbortController();
  const declareSets = createSetDeclarer({ endpoints, ledger, clock, times: config.times });
  declareSets();
  const warmer = new Warmer({
    endpoints: () => endpoints.all().filter((endpoint) => !isGone(endpoint, clock().getTime())),
    setsInUse: (endpointId) => ledger.sets(endpointId, clock().getTime()),
    forget: (key) => {
      ledger.forget(key);
    },
    refresh: async (query, key, newerThan) => {
      const requestId = `warming-${key.hash.slice(0, 16)}`;
      const call = { ...query, ...AS_WARMING, requestId, signal: stopping.signal };
      const wanted = wantedOf(parts, call, key);
      const confirmed = wanted.reads.length > 0 && (await findConfirmed(parts, wanted.reads, key, newerThan));
      if (confirmed) return { result: confirmed, isQueried: false };
      const { result, callers } = await fetchResult(parts, wanted, key, newerThan);
      const { cost, queryId } = result;
      const { name } = query.endpoint;
      if (callers) onBackground?.({ purpose: 'warming', endpoint: name, cost, callers, queryId });
      return { result, isQueried: callers !== undefined };
    },
    isBusy,
    budget: new QueryBudget(config.warming.budget, steadyClock),
    maxSets: config.warming.maxSets,
    concurrency: config.warming.concurrency,
    clock,
    onStarted: ({ name }, lateMs) => {
      metrics.time('warming_lateness_seconds', name, lateMs);
    },
    onRefreshed: ({ name }, outcome, ms) => {
      metrics.refreshed(name, outcome, ms);
    },
  });
  const tick = async (): Promise<void> => {
    try {
      declareSets();
      await cache.publishAgain();
      await warmer.tick();
    } catch (error) {
      logger.error('a tick of the warmer failed', describeError(error));
    }
  };
  const timer = setInterval(() => void tick(), TICK_MS);
  return {
    warmer,
    stop: () => {
      clearInterval(timer);
      stopping.abort();
      return warmer.stop();
    },
  };
}

/** The cached result, where another gateway stored a newer one or where the data has not changed; else undefined. */
async function findConfirmed(
  parts: FetchParts,
  reads: Wanted['reads'],
  key: CacheKey,
  newerThan: number,
): Promise<EndpointResult | undefined> {
  const cached = await parts.store.get(key, newerThan);
  if (cached && knownAt(cached) > newerThan && isFresh(cached, parts.clock().getTime())) return cached;
  return cached && confirm(parts, reads, key, cached);
}
