import { hash } from 'node:crypto';

import type { Endpoint } from '../../endpoint/endpoint.js';
import { NOW } from '../../endpoint/reserved.js';
import { lifetimeOf, shortestOf, STATEMENTS, type CacheKey, type Lifetime } from '../query/cache-key.js';
import type { StatementRequest } from '../query/ports.js';
import { EVERY_ROW, type RowScope } from '../query/row-scope.js';
import type { TableRead } from './statement.js';

/** Of a result without rows of endpoints: its text has the rows of catalogues, but not ClickHouse's version. */
const OF_CATALOGUES: Lifetime = { cachingMs: 60_000, confirmableMs: 0, staleMs: 0 };

/** What decides the bytes of a statement's result. */
export interface StatementIdentity {
  readonly request: Pick<StatementRequest, 'query' | 'values' | 'output' | 'rowCap' | 'timeoutMs'>;
  readonly reads: readonly TableRead[];
  /** The endpoints among the tables. */
  readonly read: readonly Endpoint[];
  readonly scope: RowScope;
}

/** The cache key of a statement, whose result is as fresh as the first of its endpoints allows; undefined where it may not be cached. */
export function keyOfStatement({ request, reads, read, scope }: StatementIdentity): CacheKey | undefined {
  const lifetime =
    read.length === 0 ? OF_CATALOGUES : shortestOf(read.map(({ settings }) => lifetimeOf(settings)));
  // The text has the filters of pins, of which a key must not let a short secret be guessed.
  if (lifetime.cachingMs === 0 || read.some(hasSecret)) return undefined;
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
  return { endpointId: STATEMENTS, hash: hash('sha256', JSON.stringify(identity), 'hex'), ...lifetime };
}

/** Whether a value of a parameter can be a secret. */
export const hasSecret = ({ parameters }: Endpoint): boolean =>
  [...parameters.values()].some(({ secret }) => secret === true);
