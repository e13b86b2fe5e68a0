import { bindQuery, type BoundQuery, type Values } from './bind.js';
import type { Endpoint } from './endpoint.js';
import { BARRIER, part, Sql, type Node, type Part } from './sql.js';

/** Under which name a caller's SELECT reads what the endpoint would answer. */
const RESULT = 'result';

/** The names that a caller's SELECT may read: the parts of the saved query, and its result. */
export function partNames({ query }: Endpoint): readonly string[] {
  return [...query.parts.map(({ name }) => name), RESULT];
}

/**
 * A caller's SELECT over an endpoint: the saved query becomes its WITH part, of which only what is read is written.
 * Under `result` it finds the rows of the endpoint's own limit, or all of them where there is none but the row cap.
 *
 * @param select the SELECT as the sandbox accepted it, and what it reads of {@link partNames}.
 * @param rowLimit rows to ask for, at most.
 */
export function bindSandboxedQuery(
  { query, limit }: Endpoint,
  select: { readonly text: string; readonly reads: readonly string[] },
  values: Values,
  held: ReadonlySet<string>,
  now: Date,
  rowLimit: number,
): BoundQuery {
  const ownLimit = limit === undefined ? [] : [text(`\nLIMIT ${limit}`)];
  const result = part(RESULT, new Sql([{ kind: 'fragment', sql: query.body }, ...ownLimit]));
  const parts = [...query.parts, result]
    .filter(({ name }) => select.reads.includes(name))
    .map((read) => behindBarrier(read, query.parts));
  const body = new Sql([text(`SELECT * FROM (${select.text})`)]);
  return bindQuery({ parts, body, named: parts }, values, held, now, rowLimit);
}

/**
 * A part with a barrier around it: nothing of the caller's is evaluated on rows that the part's own filters (tenant,
 * retention) remove, since an exception there would reveal what those rows hold. It is around the part as a whole: a LIMIT
 * at the end of a UNION would be that of its last SELECT. The parts that it reads itself stand inside, without barriers of
 * their own, so that its filters still prune what these read.
 */
function behindBarrier({ name, query }: Part, parts: readonly Part[]): Part {
  const own: Node = { kind: 'query', query: { parts, body: query } };
  return part(
    name,
    new Sql([text('SELECT * FROM (\n  '), own, text('\n)\n'), { kind: 'fragment', sql: BARRIER }]),
  );
}

const text = (written: string): Node => ({ kind: 'text', text: written });
