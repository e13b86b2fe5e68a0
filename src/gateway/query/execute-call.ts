import { Failure } from '../errors.js';
import { type CacheKey, keyOf } from './cache-key.js';
import { confirmableUntil, staleUntil, usableUntil, type CallOutcome, type Call } from './call.js';
import { NO_VERSIONS, type DataVersions } from './data-versions.js';
import type { EndpointQuery } from './endpoint-query.js';
import { isFresh, type EndpointResult } from './endpoint-result.js';
import type { FetchResult } from './fetch-result.js';
import type { Clock } from './ports.js';
import type { ResultStore } from './result-store.js';

/**
 * @param key cache key of the result, if it is known already.
 * @throws Failure with the message for the caller.
 */
export type ExecuteCall = (call: Call, key?: CacheKey) => Promise<CallOutcome>;

export interface CallExecutorDependencies {
  readonly store: ResultStore;
  /** Reads the local cache; absent where the store is no other one. */
  readonly findLocal?: (hash: string) => EndpointResult | undefined;
  /** Queries ClickHouse, or waits for an identical query that is already running. */
  readonly fetchResult: FetchResult;
  /** Absent: no result is cached until its data changes. */
  readonly dataVersions?: DataVersions | undefined;
  readonly clock: Clock;
  /** Called with each outcome of an endpoint that caches. */
  readonly onOutcome: OnOutcome;
}

export type OnOutcome = (query: EndpointQuery, key: CacheKey, outcome: CallOutcome) => void;

/**
 * Executes validated calls. The result is a fresh cached result, else a new one from ClickHouse. A stale one whose age
 * the endpoint allows replaces a new one that is partial or does not come (ClickHouse fails, the gateway is busy, a
 * time limit ends).
 */
export function createCallExecutor(dependencies: CallExecutorDependencies): ExecuteCall {
  return async (call, key = keyOf(call)) => {
    if (call.endpoint.settings.caching === 'disabled') return executeUncached(dependencies, call, key);
    const outcome = await executeCached(dependencies, call, key);
    // What remembers the query must not keep its whole text.
    const remembered: Call = { ...call, bound: undefined };
    dependencies.onOutcome(remembered, key, outcome);
    return outcome;
  };
}

async function executeUncached(
  { fetchResult }: CallExecutorDependencies,
  call: Call,
  key: CacheKey,
): Promise<CallOutcome> {
  if (call.demand === 'only-cached') throw notCached();
  const { result, callers = 1 } = await fetchResult(call, key);
  return { result, status: 'BYPASS', isStored: false, isCollapsed: false, callers };
}

async function executeCached(
  dependencies: CallExecutorDependencies,
  call: Call,
  key: CacheKey,
): Promise<CallOutcome> {
  const { store, fetchResult, clock } = dependencies;
  const find = call.endpoint.settings.untilChanged ? findConfirmed(dependencies, call) : store.get;
  const cached = call.demand === 'fresh' ? undefined : await find(key);
  if (cached && isFresh(cached, clock().getTime())) return hitOutcome(cached);
  if (call.demand === 'only-cached') throw notCached();
  const refresh = call.demand === 'fresh';
  const findStale = staleFinder({ store: { get: async () => cached ?? (await store.get(key)) }, clock });
  try {
    const { result, ...shared } = await fetchResult(call, key);
    // A stale result with all rows is better than a new partial one.
    const stale = result.partial && (await findStale(call, key));
    return stale ?? fetchedOutcome(result, { refresh, replacesExpired: cached !== undefined, ...shared });
  } catch (error) {
    const stale = allowsStale(error) ? await findStale(call, key) : undefined;
    if (!stale) throw error;
    return stale;
  }
}

/** Finds a result that is no longer fresh, and that the endpoint allows in place of a new one that does not come. */
export function staleFinder({
  store,
  clock,
}: {
  readonly store: Pick<ResultStore, 'get'>;
  readonly clock: Clock;
}): (call: Call, key: CacheKey) => Promise<CallOutcome | undefined> {
  return async ({ endpoint }, key) => {
    const stale = endpoint.settings.caching === 'disabled' ? undefined : await store.get(key);
    if (!stale || clock().getTime() >= staleUntil(stale, endpoint)) return undefined;
    return { result: stale, status: 'STALE', isStored: true, isCollapsed: false };
  };
}

/** Reads the cached result, which is confirmed where it has expired and can be. */
function findConfirmed(dependencies: CallExecutorDependencies, call: Call): ResultStore['get'] {
  const { store, findLocal, clock } = dependencies;
  const isExpired = (result: EndpointResult): boolean => !isFresh(result, clock().getTime());
  return async (key) => {
    // Before the shared cache, from which the same large result would come at each confirmation.
    const local = findLocal?.(key.hash);
    const ofLocal = local && isExpired(local) ? await confirm(dependencies, call, key, local) : undefined;
    if (ofLocal) return ofLocal;
    const cached = await store.get(key);
    if (!cached || cached === local || !isExpired(cached)) return cached;
    return (await confirm(dependencies, call, key, cached)) ?? cached;
  };
}

/** A cached result as fresh again, where ClickHouse confirms that its data did not change; otherwise undefined. */
export async function confirm(
  {
    store,
    dataVersions = NO_VERSIONS,
    clock,
  }: Pick<CallExecutorDependencies, 'store' | 'dataVersions' | 'clock'>,
  call: Omit<Call, 'demand'>,
  key: CacheKey,
  cached: EndpointResult,
): Promise<EndpointResult | undefined> {
  if (clock().getTime() >= confirmableUntil(cached, call.endpoint)) return undefined;
  const confirmed = await dataVersions.confirm(call, cached);
  if (confirmed) await store.set(key, confirmed, usableUntil(confirmed, call.endpoint));
  return confirmed;
}

function fetchedOutcome(
  result: EndpointResult,
  {
    refresh,
    ...how
  }: Pick<CallOutcome, 'isCollapsed' | 'callers' | 'replacesExpired'> & { readonly refresh: boolean },
): CallOutcome {
  const isPartial = (result.pieces?.kept ?? 0) > 0;
  const status = refresh ? 'BYPASS' : isPartial ? 'PARTIAL' : 'MISS';
  return { result, status, isStored: !result.partial, ...how };
}

/** The outcome of {@link ExecuteCall} where a result of the local cache is fresh, else undefined. */
export function hitOf(cached: EndpointResult | undefined, now: number): CallOutcome | undefined {
  return cached && isFresh(cached, now) ? hitOutcome(cached) : undefined;
}

function hitOutcome(result: EndpointResult): CallOutcome {
  return { result, status: 'HIT', isStored: true, isCollapsed: false };
}

/** Whether a stale result may replace a failure: of ClickHouse, of a busy gateway, by a time limit or by an operator. */
function allowsStale(error: unknown): boolean {
  return error instanceof Failure && error.status >= 502;
}

export function notCached(): Failure {
  return new Failure('NOT_CACHED', 'The request asks for a cached result only, and none is fresh.');
}
