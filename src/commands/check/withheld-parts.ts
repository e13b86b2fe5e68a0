import { positionIn } from '../../endpoint/sql-file/sql-file-problems.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import type { SqlFile } from '../../endpoint/sql-file/parse-sql-file.js';
import { knownFacts, type QueryFacts } from '../../gateway/facts/query-facts.js';
import { readableParts, tablesOfPart } from '../../gateway/facts/readable-parts.js';

/** A warning for each part that callers' own SQL can read without pinned parameters, but not with one. */
export function withheldParts(endpoint: Endpoint): readonly string[] {
  const facts = knownFacts(endpoint);
  if (endpoint.settings.sandboxing === 'disabled' || !facts) return [];
  const pins = likelyPins(endpoint, facts);
  const { views, parts } = endpoint.query;
  const names = (views ?? parts).map(({ name }) => name);
  const ofAll = readableParts(endpoint, new Set(), facts).withheld;
  return names.flatMap((name) => {
    const reasons = pins.flatMap((pin) => {
      const reason = ofAll.get(name) ?? readableParts(endpoint, new Set([pin]), facts).withheld.get(name);
      return reason === undefined ? [] : [[pin, reason] as const];
    });
    const [first] = reasons;
    if (first === undefined) return [];
    const keys = `keys that pin ${reasons.map(([pin]) => pin).join(' or ')}`;
    const advice = adviceFor(endpoint, names, first[0], facts);
    const problem = `${keys} cannot read ${name} in their own SQL, because it ${first[1]}. ${advice}`;
    return [endpoint.file ? atPlace(name, problem, endpoint.file) : problem];
  });
}

/** The parameters that the query compares with a column by `=`, as tenants are separated; all parameters where there are none. */
function likelyPins(
  { parameters, query: { tenant = [] } }: Endpoint,
  { facts: { comparisons } }: QueryFacts,
): readonly string[] {
  const names = [...parameters.keys()];
  const compared = new Set([
    ...comparisons.map(({ parameter }) => parameter),
    ...tenant.map(({ reference }) => reference.name),
  ]);
  const likely = names.filter((name) => compared.has(name));
  return likely.length > 0 ? likely : names;
}

/** The line of the header with the filters that it has, and those of the tables of all parts. */
function adviceFor(endpoint: Endpoint, parts: readonly string[], pin: string, facts: QueryFacts): string {
  const { tenant = [] } = endpoint.query;
  const filters = new Map<string, Map<string, string>>();
  const add = (table: string, column: string, parameter: string): void => {
    filters.set(table, (filters.get(table) ?? new Map<string, string>()).set(parameter, column));
  };
  for (const part of parts) {
    const { comparisons = [] } = facts.facts.named.get(part) ?? {};
    const compared = [...comparisons, ...facts.facts.comparisons].find(({ parameter }) => parameter === pin);
    const column = compared?.column ?? pin;
    for (const table of tablesOfPart(part, endpoint, facts) ?? []) add(table, column, pin);
  }
  for (const { table, column, reference } of tenant) add(table, column, reference.name);
  if (filters.size === 0)
    return 'Read tables by their names, and name the filter of each in the header: tenant';
  const written = [...filters].map(([table, columns]) => `${table}: ${filterText([...columns])}`);
  return `Write in the header: tenant: { ${written.join(', ')} }`;
}

function filterText(columns: readonly (readonly [parameter: string, column: string])[]): string {
  const [[parameter, column] = ['', '']] = columns;
  if (columns.length === 1 && parameter === column) return column;
  return `{ ${columns.map(([name, of]) => `${of}: ${name}`).join(', ')} }`;
}

function atPlace(name: string, problem: string, file: SqlFile): string {
  const { item } = file.select.withQueries.find((query) => query.name === name) ?? {};
  if (item === undefined) return problem;
  const { line, column } = positionIn(file.source, file.selectStart + item.start);
  return `${file.shownPath}:${line}:${column}: ${problem}`;
}
