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

/** Lifetime of a result that reads no endpoint: rows of catalogues, which its text contains, and facts such as the server's version. */
const OF_CATALOGUES: Lifetime = { cachingMs: 60_000, confirmableMs: 0, staleMs: 0 };

/** Everything that decides the bytes of a statement's result. */
export interface StatementIdentity {
  readonly request: Pick<StatementRequest, 'query' | 'values' | 'output' | 'rowCap' | 'timeoutMs'>;
  readonly reads: readonly TableRead[];
  /** Endpoints among the tables. */
  readonly read: readonly Endpoint[];
  readonly scope: RowScope;
  /** Whether the rows depend on more than the data of the tables. */
  readonly varies: boolean;
}

/** Cache key of a statement. Its lifetime is the shortest of its endpoints' lifetimes. */
export function keyOfStatement(identity: StatementIdentity): CacheKey {
  const { read, varies } = identity;
  // The query text contains the filters of pinned parameters. A hash of a short secret could be guessed, so such results have no key.
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

/** Whether the value of any parameter can be a secret. */
export const hasSecret = ({ parameters }: Endpoint): boolean =>
  [...parameters.values()].some(({ secret }) => secret === true);
