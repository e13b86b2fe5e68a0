import type { Endpoint } from './endpoint.js';
import { renderQuery } from './render.js';
import { parseSelectText, type Comparison, type WithQuery } from './sql-file/select/select-text.js';
import { Sql, type Condition, type Part, type Query, type Reference } from './sql.js';

/** The name under which a caller's SELECT reads the rows of the endpoint. */
export const RESULT = 'result';

/** What a caller's own SQL may read of an endpoint. */
export interface ReadableParts {
  /** Names, `result` last. */
  readonly names: readonly string[];
  /** Why the caller may not read the other parts, by name; continues "NAME …" and contains nothing of their text. */
  readonly withheld: ReadonlyMap<string, string>;
  /** By part, the columns that keep other tenants' rows out of it. They must exist: the caller could define one that does not. */
  readonly columns: ReadonlyMap<string, readonly TableColumn[]>;
}

/** A column, and the table as a query names it. */
export interface TableColumn {
  readonly table: string;
  readonly column: string;
}

type Pins = ReadonlySet<string>;

const known = new WeakMap<Query, Map<string, ReadableParts>>();

/**
 * The parts that a caller may read: without pinned parameters all of them, else those of which ClickHouse itself keeps the rows of
 * other tenants out. What is not certain is withheld.
 *
 * @param pinned names of the parameters that the caller's key pins.
 */
export function readableParts({ query }: Pick<Endpoint, 'query'>, pinned: Pins): ReadableParts {
  const byPins = known.get(query) ?? new Map<string, ReadableParts>();
  known.set(query, byPins);
  const key = JSON.stringify([...pinned].sort());
  const found = byPins.get(key) ?? findReadable(query, pinned);
  byPins.set(key, found);
  return found;
}

function findReadable(query: Query, pinned: Pins): ReadableParts {
  const verdicts = (query.views ?? query.parts).map(
    (part) => [part.name, verdictOn(part, query, pinned)] as const,
  );
  const open = verdicts.flatMap(([name, verdict]) =>
    'reason' in verdict ? [] : [[name, verdict.columns] as const],
  );
  return {
    names: [...open.map(([name]) => name), RESULT],
    withheld: new Map(
      verdicts.flatMap(([name, verdict]) => ('reason' in verdict ? [[name, verdict.reason] as const] : [])),
    ),
    columns: new Map(open),
  };
}

type Verdict = { readonly reason: string } | { readonly columns: readonly TableColumn[] };

function verdictOn(part: Part, query: Query, pinned: Pins): Verdict {
  if (pinned.size === 0) return { columns: [] };
  const columns: TableColumn[] = [];
  for (const text of textsOf(part, query, pinned)) {
    const { withQueries, problems } = parseSelectText(text);
    const at = withQueries.findIndex(({ name }) => name === part.name);
    const names = withQueries.map(({ name }) => name);
    if (problems.length > 0 || new Set(names).size < names.length || at === -1) return { reason: UNCERTAIN };
    for (const pin of pinned) {
      if (readsTable(withQueries[at]) && isOfTenant(at, withQueries, { query, pin })) continue;
      const verdict = filteredBy(pin, withQueries, at);
      if ('reason' in verdict) return verdict;
      columns.push(...verdict.columns);
    }
  }
  return { columns };
}

const UNCERTAIN = 'reads in a way of which it is not certain that it excludes rows of others';

const readsTable = ({ tables = [] }: Partial<WithQuery> = {}): boolean => tables.length > 0;

/** Whether the gateway filters each table that a query reads, through other WITH queries too. */
function isOfTenant(
  at: number,
  withQueries: readonly WithQuery[],
  { query, pin }: { readonly query: Query; readonly pin: string },
): boolean {
  const { tables } = withQueries[at] ?? {};
  return (
    tables?.every((table) => {
      const other = withQueries.findIndex(({ name }) => name === table);
      if (other === -1) return isFiltered(query, table, pin);
      return other < at && isOfTenant(other, withQueries, { query, pin });
    }) === true
  );
}

const isFiltered = ({ tenant = [] }: Query, table: string, pin: string): boolean =>
  tenant.some((filter) => filter.table === table && filter.reference.name === pin);

/** A query's own filter. What another WITH query excludes is not known here. */
function filteredBy(pin: string, withQueries: readonly WithQuery[], at: number): Verdict {
  const { tables, comparisons } = withQueries[at] ?? {};
  if (tables === undefined) return { reason: UNCERTAIN };
  if (tables.some((table) => withQueries.some(({ name }) => name === table)))
    return { reason: 'reads another WITH query' };
  const [table] = tables;
  if (comparisons === undefined || table === undefined)
    return { reason: 'is not one SELECT of one table, without JOIN, UNION and subqueries' };
  const own = comparisons.filter(({ parameter }: Comparison) => parameter === pin);
  if (own.length === 0)
    return { reason: `has no term column = @${pin} in the outermost AND of its own WHERE` };
  return { columns: own.map(({ column }) => ({ table, column })) };
}

/**
 * A part with the parts that it reads, as a `.sql` file would have them: each fragment of a choice is in one of the texts, except
 * what a caller with these pins never runs.
 */
function textsOf(part: Part, query: Query, pinned: Pins): readonly string[] {
  const { isVerbatim = false } = query;
  const body = new Sql([
    { kind: 'text', text: 'SELECT * FROM ' },
    { kind: 'part', part },
  ]);
  const whole: Query = query.views
    ? { parts: [], body: part.query, isVerbatim }
    : { parts: query.parts, body };
  const texts: string[] = [];
  let branches = 1;
  for (let branch = 0; branch < branches; branch += 1) {
    texts.push(
      renderQuery(whole, {
        reference: printReference,
        filter: ({ required, condition }, render) =>
          isVerbatim
            ? `[[${render(condition)}]]`
            : `true [[ AND ${required.map((each) => `${printReference(each)} IS NOT NULL AND `).join('')}${render(condition)} ]]`,
        choice: (choices, otherwise, render) => {
          const possible = possibleFragments(choices, otherwise, pinned);
          branches = Math.max(branches, possible.length);
          return render(possible[branch % possible.length] ?? otherwise);
        },
        cap: '',
        setting: () => undefined,
        printsUnusedParts: false,
      }),
    );
  }
  return texts;
}

const printReference = ({ name, type }: Reference): string => `{${name}:${type}}`;

function possibleFragments(
  choices: readonly (readonly [Condition, Sql])[],
  otherwise: Sql,
  pinned: Pins,
): readonly Sql[] {
  const possible: Sql[] = [];
  for (const [{ equals, omitted = [], matches = [], pinned: mustPin = [] }, fragment] of choices) {
    if (!mustPin.every(({ name }) => pinned.has(name))) continue;
    possible.push(fragment);
    if (equals.length + omitted.length + matches.length === 0) return possible;
  }
  return [...possible, otherwise];
}
