import { afterLast } from './after.js';
import type { PageColumn, PageOrder } from './page-order.js';
import { problem, type Problem } from './problems.js';
import { quoteName } from './quote-sql.js';
import { renderQuery, type Dialect } from './render.js';
import { Sql, where, type Node, type Query } from './sql.js';
import { tokenize } from './sql-file/select/tokens.js';

/** The pages of an endpoint. */
export interface Pages {
  readonly order: PageOrder;
  /** The query with the condition of a page and its order. */
  readonly query: Query;
}

/** @param takesCursor whether the query has the condition of a page, and the order, itself */
export function pagesOf(query: Query, order: PageOrder, takesCursor: boolean): Pages {
  return { order, query: takesCursor ? { ...query, isPaged: true } : orderedQuery(query, order) };
}

/**
 * Puts the condition of a page around a query. ClickHouse moves it inside, where it skips parts, granules and groups. Rows are read
 * in the order of the primary key without read-ahead: it would read whole parts to find one page.
 */
function orderedQuery(query: Query, order: PageOrder): Query {
  const { tenant, isVerbatim } = query;
  const body: readonly Node[] = [
    text('SELECT * FROM (\n  '),
    { kind: 'query', query },
    text('\n)\n'),
    { kind: 'fragment', sql: where(afterLast(order).rows) },
    text(`\nORDER BY ${order.map(itemOf).join(', ')}`),
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

function itemOf({ name, isDescending, areNullsFirst }: PageColumn): string {
  return `${quoteName(name)} ${isDescending ? 'DESC' : 'ASC'} NULLS ${areNullsFirst ? 'FIRST' : 'LAST'}`;
}

/** What decides with other rows whether a row is in the result, by the token after it. */
const BY_OTHER_ROWS: ReadonlyMap<string, RegExp> = new Map([
  ['LIMIT', /^[\d{(@:$?-]/],
  ['OFFSET', /^[\d{(@:$?-]/],
  ['FETCH', /^(?:first|next)$/i],
  ['TOP', /^[\d(]/],
  ['OVER', /^[\w(`"]/],
]);

/** Why no condition can be put around a query: a LIMIT or a window of its own would be computed from other rows on each page. */
export function problemOfPaging(query: Query): Problem | undefined {
  const written = renderQuery(query, EVERYTHING);
  const tokens = tokenize(written)
    .filter(({ kind }) => kind !== 'space' && kind !== 'comment')
    .map(({ start, end }) => written.slice(start, end));
  const found = tokens.find((token, index) =>
    BY_OTHER_ROWS.get(token.toUpperCase())?.test(tokens[index + 1] ?? ''),
  );
  return found === undefined ? undefined : problem('PAGES_NOT_POSSIBLE', found.toUpperCase());
}

/** Writes every branch of a query, for a search. */
const EVERYTHING: Dialect = {
  reference: () => '0',
  filter: ({ condition }, render) => render(condition),
  choice: (branches, otherwise, render) =>
    [...branches.map(([, fragment]) => render(fragment)), render(otherwise)].join('\n'),
  cap: '',
  setting: () => undefined,
  printsUnusedParts: true,
};

const text = (written: string): Node => ({ kind: 'text', text: written });
