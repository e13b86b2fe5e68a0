import { hash } from 'node:crypto';

import type { BoundQuery } from '../../endpoint/bind.js';
import { DEFAULT_STALE_IF_ERROR_SECONDS } from '../../endpoint/definition.js';
import type { ServedSettings } from '../../endpoint/endpoint.js';
import { JSON_REPRESENTATION } from '../formats/representation.js';
import { bindCall, capOf, type EndpointQuery } from './endpoint-query.js';
import { pinsIn } from './row-scope.js';

/** Stands for the endpoints of a statement, of which there can be several: a purge of any of them is one of all statements. */
export const STATEMENTS = '(statements)';

/** How long a result is used, in milliseconds. */
export interface Lifetime {
  /** For which it is fresh: since its query began, or since its data was confirmed. 0: it is not cached. */
  readonly cachingMs: number;
  /** Since its query began, for which its data can be confirmed; 0 where nothing confirms it. */
  readonly confirmableMs: number;
  /** After its expiry, for which it may take the place of a new result that does not come. */
  readonly staleMs: number;
}

/** Identifies an entry, independently of its lifetime. */
export interface EntryName {
  /** Or {@link STATEMENTS}. */
  readonly endpointId: string;
  /** SHA-256 (hex) over everything that determines the bytes of the result. */
  readonly hash: string;
}

/** The key of one cached result, with its lifetime on this gateway. That is not hashed, because gateways can have other settings. */
export interface CacheKey extends EntryName, Lifetime {}

/**
 * The cache key of a query: endpoint id, digest of the definition, row cap, bound SQL and parameters, row scope,
 * representation, and the settings of the ClickHouse user that are overridden. The bound query is hashed instead of the parameters as sent, so that parameters with the same
 * effect share an entry. The endpoint's name and undeclared parameters are not part of the key.
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

/** The lifetime of the results of an endpoint. */
export function lifetimeOf({
  caching,
  untilChanged,
  staleIfError = DEFAULT_STALE_IF_ERROR_SECONDS,
}: Pick<ServedSettings, 'caching' | 'untilChanged' | 'staleIfError'>): Lifetime {
  if (caching === 'disabled') return NOT_CACHED;
  const confirmableMs = (untilChanged?.atMost ?? 0) * 1000;
  return { cachingMs: caching * 1000, confirmableMs, staleMs: staleIfError * 1000 };
}

/** The lifetime of a result that is of several endpoints: at no time does it serve one of them longer than that allows. */
export function shortestOf(lifetimes: readonly Lifetime[]): Lifetime {
  const least = (of: (lifetime: Lifetime) => number): number => Math.min(...lifetimes.map(of));
  const cachingMs = least((lifetime) => lifetime.cachingMs);
  // A confirmation says nothing of what is cached for seconds.
  const confirmableMs = least((lifetime) => lifetime.confirmableMs || lifetime.cachingMs);
  return {
    cachingMs,
    confirmableMs: confirmableMs > cachingMs ? confirmableMs : 0,
    staleMs: least((lifetime) => lifetime.staleMs),
  };
}

/** The scope, with the HMAC of a secret value in place of the value: whoever sees the key could guess a short one. */
function scopeInKey({ endpoint: { parameters }, values, scope }: EndpointQuery): unknown {
  const pins = pinsIn(scope);
  if (!pins.some(([name]) => parameters.get(name)?.secret)) return scope;
  return pins.map(([name, value]) => [name, parameters.get(name)?.secret ? values.get(name) : value]);
}
