import { hash } from 'node:crypto';

import type { Endpoint } from '../../endpoint/endpoint.js';
import { NOW } from '../../endpoint/reserved.js';
import {
  lifetimeOf,
  NOT_CACHED,
  shortestOf,
  STATEMENTS,
  type CacheKey,
  type Lifetime,
} from '../query/cache-key.js';
import type { StatementRequest } from '../query/ports.js';
import { EVERY_ROW, type RowScope } from '../query/row-scope.js';
import type { TableRead } from './statement.js';

/** Of a result without rows of endpoints: its text has the rows of catalogues. What it returns of the server, such as its version, is as old as this. */
const OF_CATALOGUES: Lifetime = { cachingMs: 60_000, confirmableMs: 0, staleMs: 0 };

/** What decides the bytes of a statement's result. */
export interface StatementIdentity {
  readonly request: Pick<StatementRequest, 'query' | 'values' | 'output' | 'rowCap' | 'timeoutMs'>;
  readonly reads: readonly TableRead[];
  /** The endpoints among the tables. */
  readonly read: readonly Endpoint[];
  readonly scope: RowScope;
  /** Whether its rows depend on more than the tables. */
  readonly varies: boolean;
}

/** The cache key of a statement, whose result is served as long as each of its endpoints allows it. */
export function keyOfStatement(identity: StatementIdentity): CacheKey {
  const { read, varies } = identity;
  // The text has the filters of pins, of which a key must not let a short secret be guessed.
  const lifetimes =
    varies || read.some(hasSecret) ? [NOT_CACHED] : read.map(({ settings }) => lifetimeOf(settings));
  const lifetime = lifetimes.length === 0 ? OF_CATALOGUES : shortestOf(lifetimes);
  return { endpointId: STATEMENTS, hash: lifetime.cachingMs === 0 ? '' : hashOf(identity), ...lifetime };
}

function hashOf({ request, reads, read, scope }: StatementIdentity): string {
  const { query, values, output, rowCap, timeoutMs } = request;
  const times = new Set(reads.map(({ internal }) => `${internal}_${NOW.name}`));
  const identity = [
    'statement',
    read.length === 0 ? EVERY_ROW : scope,
    read.map(({ id, digest, resultsUnder }) => [id, digest, resultsUnder]),
    query.text,
    Object.entries(query.parameters).filter(([name]) => !times.has(name)),
    [values, query.settings],
    { ...output, settings: Object.entries(output.settings).sort(([a], [b]) => (a < b ? -1 : 1)) },
    [rowCap, timeoutMs],
  ];
  return hash('sha256', JSON.stringify(identity), 'hex');
}

/** Whether a value of a parameter can be a secret. */
export const hasSecret = ({ parameters }: Endpoint): boolean =>
  [...parameters.values()].some(({ secret }) => secret === true);
