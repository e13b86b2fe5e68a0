import { Failure } from '../errors.js';
import { type CacheKey, keyOf } from './cache-key.js';
import { confirmableUntil, staleUntil, usableUntil, type CallOutcome, type Call } from './call.js';
import { confirmedReads, NO_VERSIONS } from './data-versions.js';
import type { EndpointQuery } from './endpoint-query.js';
import { isFresh, type EndpointResult } from './endpoint-result.js';
import { fetchResult, wantedOf, type FetchParts, type SharingParts, type Wanted } from './fetch-result.js';

/** Dependencies of a call. */
export interface QueryParts extends FetchParts {
  /** Called with each outcome of an endpoint that caches. */
  readonly onOutcome: OnOutcome;
}

export type OnOutcome = (query: EndpointQuery, key: CacheKey, outcome: CallOutcome) => void;

/**
 * Executes a valid call. It returns a fresh cached result, or else a new one from ClickHouse. A stale result, whose age the endpoint
 * allows, replaces a new one that is partial or fails (by ClickHouse, a busy gateway or a time limit).
 *
 * @param key cache key of the result, if it is known already.
 * @throws Failure with the message for the caller.
 */
export async function executeCall(parts: QueryParts, call: Call, key = keyOf(call)): Promise<CallOutcome> {
  const outcome = await getResult(parts, wantedOf(parts, call, key), key);
  if (call.endpoint.settings.caching !== 'disabled') parts.onOutcome(queryOf(call), key, outcome);
  return outcome;
}

/** Query of a call, for the cache of queries in use. It has neither the text of the query nor the caller, who leaves. */
function queryOf(call: Call): EndpointQuery {
  const { endpoint, values, scope, sandbox, changesAt, representation, pageRows, page } = call;
  const query = { endpoint, values, scope, sandbox, changesAt, representation, pageRows, page };
  return query satisfies Record<keyof EndpointQuery, unknown>;
}

/** Gets the result that a caller waits for, in the steps of {@link executeCall}. @throws Failure */
export function getResult(parts: SharingParts, wanted: Wanted, key: CacheKey): Promise<CallOutcome> {
  return key.cachingMs === 0 ? getUncached(wanted) : getCached(parts, wanted, key);
}

async function getCached(parts: SharingParts, wanted: Wanted, key: CacheKey): Promise<CallOutcome> {
  const refresh = wanted.demand === 'fresh';
  const known = refresh ? undefined : await findBefore(parts, wanted, key);
  if (known && isFresh(known, parts.clock().getTime())) return hitOutcome(known);
  if (wanted.demand === 'only-cached') throw notCached();
  try {
    const { result, cached = known, ...shared } = await fetchResult(parts, wanted, key);
    if (result === cached) return hitOutcome(result);
    // A stale result with all rows is better than a new partial one.
    const stale = result.partial && (await findStale(parts, key, result.cost));
    return stale ?? fetchedOutcome(result, { refresh, replacesExpired: cached !== undefined, ...shared });
  } catch (error) {
    const stale = allowsStale(error) ? await findStale(parts, key, error.details.cost) : undefined;
    if (!stale) throw error;
    return stale;
  }
}

async function getUncached({ demand, query, signal, requester }: Wanted): Promise<CallOutcome> {
  if (demand === 'only-cached') throw notCached();
  const result = await query({ signal, requester });
  return { result, status: 'BYPASS', isStored: false, isCollapsed: false, callers: 1 };
}

/** Cached result, unless {@link fetchResult} looks for it. */
function findBefore(
  parts: SharingParts,
  { demand, reads }: Wanted,
  key: CacheKey,
): Promise<EndpointResult | undefined> | EndpointResult | undefined {
  const { find, store } = parts;
  if (reads.length > 0) return findConfirmed(parts, reads, key);
  return find && demand !== 'only-cached' ? find(key.hash) : store.get(key);
}

/** Finds an expired result that the endpoint allows instead of a new one. */
export async function findStale(
  { store, clock }: Pick<SharingParts, 'store' | 'clock'>,
  key: CacheKey,
  spent?: CallOutcome['spent'],
): Promise<CallOutcome | undefined> {
  if (key.cachingMs === 0) return undefined;
  const stale = await store.get(key);
  if (!stale || clock().getTime() >= staleUntil(stale, key)) return undefined;
  return { result: stale, status: 'STALE', isStored: true, isCollapsed: false, spent };
}

/** Reads the cached result, and confirms it where it has expired. */
async function findConfirmed(
  parts: SharingParts,
  reads: Wanted['reads'],
  key: CacheKey,
): Promise<EndpointResult | undefined> {
  const isExpired = (result: EndpointResult): boolean => !isFresh(result, parts.clock().getTime());
  // The local result comes first: otherwise each confirmation would read the same large result from the shared cache.
  const local = parts.find?.(key.hash);
  const ofLocal = local && isExpired(local) ? await confirm(parts, reads, key, local) : undefined;
  if (ofLocal) return ofLocal;
  const cached = await parts.store.get(key);
  if (!cached || cached === local || !isExpired(cached)) return cached;
  return (await confirm(parts, reads, key, cached)) ?? cached;
}

/** Makes a cached result fresh again if ClickHouse confirms that its data did not change. Otherwise undefined. */
export async function confirm(
  { store, dataVersions = NO_VERSIONS, clock }: Pick<SharingParts, 'store' | 'dataVersions' | 'clock'>,
  reads: Wanted['reads'],
  key: CacheKey,
  cached: EndpointResult,
): Promise<EndpointResult | undefined> {
  const until = confirmableUntil(cached, key);
  if (!cached.data || clock().getTime() >= until) return undefined;
  const { version } = cached.data;
  const found = await confirmedReads(dataVersions, reads, version);
  if (!found) return undefined;
  const { confirmedAt, expiresAt } = found;
  const confirmed = { ...cached, expiresAt: Math.min(expiresAt, until), data: { version, confirmedAt } };
  await store.set(key, confirmed, usableUntil(confirmed, key));
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

/** Outcome of {@link executeCall} for a fresh result of the local cache. Undefined where none is fresh. */
export function hitOf(cached: EndpointResult | undefined, now: number): CallOutcome | undefined {
  return cached && isFresh(cached, now) ? hitOutcome(cached) : undefined;
}

function hitOutcome(result: EndpointResult): CallOutcome {
  return { result, status: 'HIT', isStored: true, isCollapsed: false };
}

/** Whether a stale result may replace a failure: of ClickHouse, of a busy gateway, by a time limit or by an operator. */
export function allowsStale(error: unknown): error is Failure {
  return error instanceof Failure && error.status >= 502;
}

export function notCached(): Failure {
  return new Failure('NOT_CACHED', 'The request asks for a cached result only, and none is fresh.');
}
