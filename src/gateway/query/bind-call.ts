import { bindSandboxedQuery } from '../../endpoint/bind-sandboxed.js';
import { bindQuery, boundTime, type BoundQuery } from '../../endpoint/bind.js';
import { rowCap } from '../../endpoint/endpoint.js';
import { NOW, ROW_LIMIT } from '../../endpoint/reserved.js';
import type { EndpointQuery } from './endpoint-query.js';
import { pinnedParameters } from './row-scope.js';

/** A constant instead of the current time, which must not change the cache key. */
const NO_TIME = new Date(0);

/** Binds a query for its cache key, and for {@link boundAt}: without the current time, and with the row cap as its limit. */
export function bindCall({
  endpoint,
  values,
  scope,
  sandbox,
}: Pick<EndpointQuery, 'endpoint' | 'values' | 'scope' | 'sandbox'>): BoundQuery {
  const cap = rowCap(endpoint);
  const pinned = pinnedParameters(scope);
  return sandbox
    ? bindSandboxedQuery(endpoint, sandbox, values, pinned, NO_TIME, cap)
    : bindQuery(endpoint.query, values, pinned, NO_TIME, cap);
}

/** The bound query as it runs at a time. The text depends neither on the time nor on the limit. */
export function boundAt(bound: BoundQuery, now: Date, rowLimit: number): BoundQuery {
  const time = NOW.name in bound.parameters && { [NOW.name]: boundTime(now) };
  return { ...bound, parameters: { ...bound.parameters, ...time, [ROW_LIMIT]: rowLimit } };
}
