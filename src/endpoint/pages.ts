import { afterLast } from './after-last-row.js';
import type { PageColumn, PageOrder } from './page-order.js';
import { quoteName } from './quote-sql.js';
import { Sql, where, type Node, type Query, textNode } from './sql.js';

/** The pages of an endpoint. */
export interface Pages {
  readonly order: PageOrder;
  /** The query with the condition of a page and its order. */
  readonly query: Query;
  /** Whether the author's query has the condition and the order itself, and so perhaps a LIMIT. */
  readonly takesCursor: boolean;
}

export function pagesOf(query: Query, order: PageOrder): Pages {
  const isInside = takesCursor(query, order);
  const own: Query = { ...query, isPaged: true };
  return { order, takesCursor: isInside, query: isInside ? own : orderedQuery(query, order) };
}

/** Whether a query contains the condition of a page: then it has that of the gateway, and no other. */
function takesCursor(query: Query, order: PageOrder): boolean {
  return JSON.stringify(query).includes(JSON.stringify(afterLast(order).rows.condition));
}

/**
 * Puts the condition of a page around a query. ClickHouse moves it inside, where it skips parts, granules and groups. Rows are read
 * in the order of the primary key without read-ahead: it would read whole parts to find one page.
 */
function orderedQuery(query: Query, order: PageOrder): Query {
  const { tenant, isVerbatim } = query;
  const body: readonly Node[] = [
    textNode('SELECT * FROM (\n  '),
    { kind: 'query', query },
    textNode('\n)\n'),
    { kind: 'fragment', sql: where(afterLast(order).rows) },
    textNode(`\n${orderClause(order)}`),
    { kind: 'setting', name: 'read_in_order_use_buffering', value: 0 },
  ];
  return {
    parts: [],
    body: new Sql(body),
    isPaged: true,
    ...(isVerbatim && { isVerbatim }),
    ...(tenant && { tenant }),
  };
}

/** The ORDER BY of the pages. */
export function orderClause(order: PageOrder): string {
  return `ORDER BY ${order.map(itemOf).join(', ')}`;
}

function itemOf({ name, isDescending, areNullsFirst }: PageColumn): string {
  return `${quoteName(name)} ${isDescending ? 'DESC' : 'ASC'} NULLS ${areNullsFirst ? 'FIRST' : 'LAST'}`;
}
