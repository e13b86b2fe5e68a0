import { createHash } from 'node:crypto';

import { bindSandboxedQuery } from '../endpoint/bind-sandboxed.js';
import { bindQuery, type Values } from '../endpoint/bind.js';
import type { Endpoint } from '../endpoint/endpoint.js';
import { rowCap } from '../endpoint/endpoint.js';
import { pinnedParameters, type RowScope } from './row-scope.js';
import type { SandboxedSelect } from './sandboxed-select.js';

/** What one cached answer is kept under. */
export interface CacheKey {
  readonly endpointId: string;
  /** SHA-256 (hex) over all that decides the bytes. */
  readonly hash: string;
  /** Milliseconds for which an entry is fresh here. Not part of the hash: another gateway may have another setting. */
  readonly cachingMs: number;
}

/** What names an entry, whatever its lifetime. */
export type EntryName = Omit<CacheKey, 'cachingMs'>;

/** Stands in for the clock, which is no part of a question. */
const NO_TIME = new Date(0);

/**
 * The key of a question: endpoint, digest of its definition, row cap, the query that it comes to, row scope and
 * representation. By the query, and not by the parameters as they were sent, values that mean the same (an interval that
 * is none, half of a pair) share an answer; the endpoint's name and whatever it does not declare are not in it.
 */
export function cacheKeyOf(
  endpoint: Endpoint,
  values: Values,
  scope: RowScope,
  representation: string,
  sandbox?: SandboxedSelect,
): CacheKey {
  const cap = rowCap(endpoint);
  const held = pinnedParameters(scope);
  const { text, parameters } = sandbox
    ? bindSandboxedQuery(endpoint, sandbox, values, held, NO_TIME, cap)
    : bindQuery(endpoint.query, values, held, NO_TIME, cap);
  const question = [endpoint.id, endpoint.digest, cap, text, parameters, scope, representation];
  const { caching } = endpoint.settings;
  return {
    endpointId: endpoint.id,
    cachingMs: caching === 'disabled' ? 0 : caching * 1000,
    hash: createHash('sha256').update(JSON.stringify(question)).digest('hex'),
  };
}
