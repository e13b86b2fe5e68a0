import { positionIn } from '../../endpoint/sql-file/sql-file-problems.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import { readableParts } from '../../endpoint/readable-parts.js';
import { type SqlFile } from '../../gateway/analysis/sql-file.js';

/** A warning for each part that callers' own SQL can read without pinned parameters, but not with one. */
export function withheldParts(endpoint: Endpoint, file: SqlFile | undefined): readonly string[] {
  if (endpoint.settings.sandboxing === 'disabled') return [];
  const pins = likelyPins(endpoint);
  return partsOf(endpoint, file).flatMap((name) => {
    const reasons = pins.flatMap((pin) => {
      const { names, withheld } = readableParts(endpoint, new Set([pin]));
      return names.includes(name) ? [] : [[pin, withheld.get(name) ?? 'uses no parameter'] as const];
    });
    const [first] = reasons;
    if (first === undefined) return [];
    const keys = `keys that pin ${reasons.map(([pin]) => pin).join(' or ')}`;
    const problem = `${keys} cannot read ${name} in their own SQL, because it ${first[1]}. ${adviceFor(name, first[0], file)}`;
    return [file ? atPlace(name, problem, file) : problem];
  });
}

/** A file's own names: a query that uses no parameter is none of the endpoint's parts. */
function partsOf({ query }: Endpoint, file: SqlFile | undefined): readonly string[] {
  return (file?.select.withQueries ?? query.parts).map(({ name }) => name);
}

/** The parameters that the query compares with a column by `=`: by one of these an author separates tenants. All, where there is none. */
function likelyPins({ parameters, savedQuery, query: { tenant = [] } }: Endpoint): readonly string[] {
  const names = [...parameters.keys()];
  const isCompared = (name: string): boolean => {
    const written = String.raw`(?:@${name}\b|\{\s*${name}\s*:[^}]*\})`;
    return new RegExp(String.raw`(?<![<>!])=\s*${written}|${written}\s*=`).test(savedQuery);
  };
  const likely = names.filter(
    (name) => isCompared(name) || tenant.some(({ reference }) => reference.name === name),
  );
  return likely.length > 0 ? likely : names;
}

function adviceFor(name: string, pin: string, file: SqlFile | undefined): string {
  const queries = file?.select.withQueries ?? [];
  const tables = queries.find((query) => query.name === name)?.tables ?? [];
  const others = tables.filter((table) => !queries.some((query) => query.name === table));
  const filters = [...new Set(others.length > 0 ? others : ['TABLE'])].map((table) => `${table}: ${pin}`);
  return (
    `Write ${pin} = @${pin} as a term of its WHERE, or name the filter of each of its tables, in the header: ` +
    `tenant: { ${filters.join(', ')} }`
  );
}

function atPlace(name: string, problem: string, file: SqlFile): string {
  const { item } = file.select.withQueries.find((query) => query.name === name) ?? {};
  if (item === undefined) return problem;
  const { line, column } = positionIn(file.source, file.selectStart + item.start);
  return `${file.shownPath}:${line}:${column}: ${problem}`;
}
