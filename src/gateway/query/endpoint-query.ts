import { parametersAfter, type LastRow } from '../../endpoint/after-last-row.js';
import { bindSandboxedQuery } from '../../endpoint/bind-sandboxed.js';
import { bindQuery, boundTime, type BoundQuery } from '../../endpoint/bind.js';
import { rowCap, type Endpoint } from '../../endpoint/endpoint.js';
import { EVERY_ROW_READER, OWN_ROWS_READER, type Reader } from '../../endpoint/figures.js';
import { NOW, ROW_LIMIT } from '../../endpoint/reserved.js';
import type { Values } from '../../endpoint/values.js';
import type { Representation } from '../formats/representation.js';
import { EVERY_ROW, pinnedParameters, type RowScope } from './row-scope.js';
import type { SandboxedSelect } from './sandboxed-select.js';

/** A query of an endpoint: validated parameters, and the properties of the caller that determine the rows. */
export interface EndpointQuery {
  readonly endpoint: Endpoint;
  readonly values: Values;
  readonly scope: RowScope;
  /** The caller's own SELECT over the result, if it sent one and the endpoint allows it. */
  readonly sandbox?: SandboxedSelect | undefined;
  /** Time from which the same request means other values, because a time in it is relative. Milliseconds since 1970. */
  readonly changesAt?: number | undefined;
  /** Output format of the rows; JSON if absent. */
  readonly representation?: Representation | undefined;
  /** Rows of a page, where the caller wants fewer than the row cap. */
  readonly pageRows?: number | undefined;
  /** Place where the page begins. Absent on the first page. */
  readonly page?: Page | undefined;
}

/** A page after the first. */
export interface Page {
  readonly last: LastRow;
  /** The gateway's clock in the query of the first page, which all pages share; milliseconds since 1970. */
  readonly now: number;
}

/** Reader of the query's figures: only a caller without pinned parameters and own SQL sees every row. */
export function readerOf({ scope, sandbox }: Pick<EndpointQuery, 'scope' | 'sandbox'>): Reader {
  return scope === EVERY_ROW && !sandbox ? EVERY_ROW_READER : OWN_ROWS_READER;
}

/** Constant instead of the current time, which must not change the cache key. */
const NO_TIME = new Date(0);

/** Binds a query for its cache key, and for {@link boundAt}: without the current time, and with the row cap as its limit. */
export function bindCall(query: EndpointQuery): BoundQuery {
  const { endpoint, values, scope, sandbox, page } = query;
  const cap = capOf(query);
  const pinned = pinnedParameters(scope);
  if (sandbox) return bindSandboxedQuery(endpoint, sandbox, values, pinned, NO_TIME, cap);
  const { pages } = endpoint;
  if (!pages) return bindQuery(endpoint.query, values, pinned, NO_TIME, cap);
  if (!page) return bindQuery(pages.query, values, pinned, NO_TIME, cap);
  const all = new Map([...values, ...parametersAfter(pages.order, page.last)]);
  return bindQuery(pages.query, all, pinned, new Date(page.now), cap);
}

/** Maximum number of rows of the result. */
export function capOf({ endpoint, pageRows = Infinity }: EndpointQuery): number {
  return Math.min(rowCap(endpoint), pageRows);
}

/** Binds a query for an export of all rows. The order of the rows does not matter. */
export function bindExport({ endpoint, values, scope }: EndpointQuery): BoundQuery {
  return bindQuery(endpoint.query, values, pinnedParameters(scope), NO_TIME, rowCap(endpoint));
}

/** Bound query for a run at a time. The text depends neither on the time nor on the limit. */
export function boundAt(bound: BoundQuery, now: Date, rowLimit: number): BoundQuery {
  const time = NOW.name in bound.parameters && { [NOW.name]: boundTime(now) };
  const parameters = Object.assign({}, bound.parameters, time, { [ROW_LIMIT]: rowLimit });
  return { ...bound, parameters };
}
