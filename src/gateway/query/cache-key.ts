import { hash } from 'node:crypto';

import type { BoundQuery } from '../../endpoint/bind.js';
import { JSON_REPRESENTATION } from '../formats/representation.js';
import { bindCall, capOf, type EndpointQuery } from './endpoint-query.js';
import { pinsIn } from './row-scope.js';

/** Stands for the endpoints of a statement, of which there can be several: a purge of any of them is one of all statements. */
export const STATEMENTS = '(statements)';

/** The key of one cached result. */
export interface CacheKey {
  /** Or {@link STATEMENTS}. */
  readonly endpointId: string;
  /** SHA-256 (hex) over everything that determines the bytes of the result. */
  readonly hash: string;
  /** Milliseconds for which an entry is fresh on this gateway. Not hashed, because gateways can have other settings. */
  readonly cachingMs: number;
}

/** Identifies an entry, independently of its lifetime. */
export type EntryName = Omit<CacheKey, 'cachingMs'>;

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
  const { caching } = endpoint.settings;
  return {
    endpointId: endpoint.id,
    cachingMs: caching === 'disabled' ? 0 : caching * 1000,
    hash: hash('sha256', JSON.stringify(identity), 'hex'),
  };
}

/** The scope, with the HMAC of a secret value in place of the value: whoever sees the key could guess a short one. */
function scopeInKey({ endpoint: { parameters }, values, scope }: EndpointQuery): unknown {
  const pins = pinsIn(scope);
  if (!pins.some(([name]) => parameters.get(name)?.secret)) return scope;
  return pins.map(([name, value]) => [name, parameters.get(name)?.secret ? values.get(name) : value]);
}
