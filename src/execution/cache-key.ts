import { createHash } from 'node:crypto';

import type { Values } from '../endpoint/bind.js';
import type { Endpoint } from '../endpoint/endpoint.js';
import { rowCap } from '../endpoint/endpoint.js';

/** What one cached answer is kept under. */
export interface CacheKey {
  readonly endpointId: string;
  /** SHA-256 (hex) over all that decides the bytes. */
  readonly hash: string;
}

/** What of the caller decides the rows that it may see; callers with the same scope share answers. */
export type RowScope = string;

/**
 * The key of a question: endpoint, digest of its definition, row cap, typed parameters in the order of their
 * declaration, row scope and representation. The endpoint's name is not in it, nor is anything that it does not declare.
 */
export function cacheKeyOf(
  endpoint: Endpoint,
  values: Values,
  scope: RowScope,
  representation: string,
): CacheKey {
  const parameters = [...endpoint.parameters.keys()].map((name) => values.get(name) ?? null);
  const question = [endpoint.id, endpoint.digest, rowCap(endpoint), parameters, scope, representation];
  return {
    endpointId: endpoint.id,
    hash: createHash('sha256').update(JSON.stringify(question)).digest('hex'),
  };
}
