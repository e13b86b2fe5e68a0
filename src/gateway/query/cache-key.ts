import { hash } from 'node:crypto';

import type { BoundQuery } from '../../endpoint/bind.js';
import { DEFAULT_STALE_IF_ERROR_SECONDS } from '../../endpoint/definition.js';
import type { ServedSettings } from '../../endpoint/endpoint.js';
import { JSON_REPRESENTATION } from '../formats/representation.js';
import { bindCall, capOf, type EndpointQuery } from './endpoint-query.js';
import { pinsIn } from './row-scope.js';

/** Endpoint ID of all statements, because a statement can read several endpoints. A purge of any endpoint purges all statements. */
export const STATEMENTS = '(statements)';

/** Lifetime of a result, in milliseconds. */
export interface Lifetime {
  /** Time for which the result is fresh, since its query began or its data was confirmed. 0: it is not cached. */
  readonly cachingMs: number;
  /** Time in which its data can be confirmed, since its query began. 0 where nothing confirms it. */
  readonly confirmableMs: number;
  /** Time after its expiry for which it may replace a new result that fails. */
  readonly staleMs: number;
}

/** Identifies an entry, independently of its lifetime. */
export interface EntryName {
  /** ID of an endpoint, or {@link STATEMENTS}. */
  readonly endpointId: string;
  /** SHA-256 (hex) over everything that determines the bytes of the result. */
  readonly hash: string;
}

/** Key of one cached result, with its lifetime on this gateway. The lifetime is not hashed, because gateways can have other settings. */
export interface CacheKey extends EntryName, Lifetime {}

/**
 * Computes the cache key of a query. The hash covers the endpoint id, the digest of the definition, the row cap, the row scope, the
 * representation, and the overridden settings of the ClickHouse user. It covers the bound SQL and parameters instead of those as sent, so
 * that parameters with the same effect share an entry. The endpoint's name and undeclared parameters do not count.
 *
 * @param bound the query as {@link bindCall} binds it.
 */
export function keyOf(query: EndpointQuery, bound: BoundQuery = bindCall(query)): CacheKey {
  const { endpoint, representation = JSON_REPRESENTATION } = query;
  const identity: unknown[] = [
    endpoint.id,
    endpoint.digest,
    capOf(query),
    bound.text,
    bound.parameters,
    scopeInKey(query),
    representation.name,
  ];
  if (endpoint.resultsUnder !== undefined) identity.push(endpoint.resultsUnder);
  return {
    endpointId: endpoint.id,
    hash: hash('sha256', JSON.stringify(identity), 'hex'),
    ...lifetimeOf(endpoint.settings),
  };
}

export const NOT_CACHED: Lifetime = { cachingMs: 0, confirmableMs: 0, staleMs: 0 };

/** Lifetime of an endpoint's results. */
export function lifetimeOf({
  caching,
  untilChanged,
  staleIfError = DEFAULT_STALE_IF_ERROR_SECONDS,
}: Pick<ServedSettings, 'caching' | 'untilChanged' | 'staleIfError'>): Lifetime {
  if (caching === 'disabled') return NOT_CACHED;
  const confirmableMs = (untilChanged?.atMost ?? 0) * 1000;
  return { cachingMs: caching * 1000, confirmableMs, staleMs: staleIfError * 1000 };
}

/** Lifetime of a result that reads several endpoints. It never exceeds what one of them allows. */
export function shortestOf(lifetimes: readonly Lifetime[]): Lifetime {
  const least = (of: (lifetime: Lifetime) => number): number => Math.min(...lifetimes.map(of));
  const cachingMs = least((lifetime) => lifetime.cachingMs);
  // Where one endpoint caches for seconds only, a confirmation of the others cannot extend that time.
  const confirmableMs = least((lifetime) => lifetime.confirmableMs || lifetime.cachingMs);
  return {
    cachingMs,
    confirmableMs: confirmableMs > cachingMs ? confirmableMs : 0,
    staleMs: least((lifetime) => lifetime.staleMs),
  };
}

/** Scope for the key, with the HMAC of a secret instead of its value, because a short secret could be guessed from the key. */
function scopeInKey({ endpoint: { parameters }, values, scope }: EndpointQuery): unknown {
  const pins = pinsIn(scope);
  if (!pins.some(([name]) => parameters.get(name)?.secret)) return scope;
  return pins.map(([name, value]) => [name, parameters.get(name)?.secret ? values.get(name) : value]);
}
