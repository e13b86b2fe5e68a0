import { bindQuery, type BoundQuery } from './bind.js';
import { conversionTo, type DeclaredTypes } from './declared-types.js';
import { returnedColumns, type Endpoint } from './endpoint.js';
import type { Values } from './values.js';
import { RESULT } from './reserved.js';
import { BARRIER, part, Sql, type Node, type Part, type Query, textNode } from './sql.js';

/**
 * Binds a caller's SELECT over an endpoint. The parts of the saved query that the SELECT reads become its WITH clause.
 * `result` has the rows within the endpoint's own limit; the row cap does not apply to it.
 *
 * @param select the SELECT that the sandbox accepted, and the readable parts that it reads.
 * @param pinned names of the parameters that the caller's key pins.
 * @param rowLimit the LIMIT of the whole query.
 */
export function bindSandboxedQuery(
  endpoint: Endpoint,
  select: { readonly text: string; readonly reads: readonly string[] },
  values: Values,
  pinned: ReadonlySet<string>,
  now: Date,
  rowLimit: number,
): BoundQuery {
  const { query } = endpoint;
  const result = rowsOf(endpoint, RESULT);
  const parts = [...(query.views ?? query.parts), result]
    .filter(({ name }) => select.reads.includes(name))
    .map((read) =>
      behindBarrier(read, query, read === result ? returnedColumns(endpoint, values) : undefined),
    );
  const body = new Sql([textNode(`SELECT * FROM (${select.text})`)]);
  const { isVerbatim = false, tenant = [] } = query;
  return bindQuery({ parts, body, named: parts, isVerbatim, tenant }, values, pinned, now, rowLimit);
}

/** The rows of an endpoint within its own limit, as a part. */
export function rowsOf({ query, limit }: Endpoint, name: string): Part {
  const ownLimit = limit === undefined ? [] : [textNode(`\nLIMIT ${limit}`)];
  return part(name, new Sql([{ kind: 'fragment', sql: query.body }, ...ownLimit]));
}

/**
 * Puts a barrier around a part. A caller's expression must not run on rows that the part's own filters (tenant, retention)
 * remove, because an exception there would reveal the content of those rows. The barrier surrounds the whole part: a LIMIT
 * at the end of a UNION would belong to its last SELECT. Parts that this part reads have no barriers inside, so that filters can
 * still prune their rows. The text ends with SETTINGS, to which others can be added.
 *
 * @param columns all columns of the part
 */
export function behindBarrier(
  { name, query }: Part,
  { parts, isVerbatim = false }: Query,
  columns: DeclaredTypes | undefined,
): Part {
  const own: Node = { kind: 'query', query: { parts, body: query, isVerbatim } };
  const { before, after } = columns ? conversionTo(columns) : ALL_COLUMNS;
  const [start, end] = [textNode(`${before}SELECT * FROM (\n  `), textNode(`\n) ${KNOWS_NAMES}${after}\n`)];
  return part(
    name,
    new Sql([start, own, end, { kind: 'fragment', sql: BARRIER }, textNode(` ${KNOWS_NONE}`)]),
  );
}

const ALL_COLUMNS = { before: 'SELECT * FROM (\n', after: '\n)' };

/**
 * Settings at the end of a part: names in it must not refer to names of the statement around it. Otherwise an author's
 * `x IN allowed` would read the array of a caller's `WITH ['a', 'b'] AS allowed` instead of the table.
 */
const KNOWS_NONE = 'SETTINGS enable_global_with_statement = 0';
/** Within a part, names of its own WITH are known everywhere. */
const KNOWS_NAMES = 'SETTINGS enable_global_with_statement = 1';
