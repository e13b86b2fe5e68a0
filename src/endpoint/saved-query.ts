import { quoteText as printText } from './quote-sql.js';
import { renderQuery, type Dialect } from './render.js';
import { AFTER, NOW } from './reserved.js';
import type { Condition, Query, Reference } from './sql.js';

/**
 * Prints the saved query for people: the tree that a request runs, with `@name` for each parameter, every optional filter
 * written out, and `now64(6)` for the clock.
 *
 * @param limit the endpoint's own limit, where it has one.
 */
export function printSavedQuery(query: Query, limit: number | undefined): string {
  const text = renderQuery(query, DIALECT);
  return limit === undefined ? text : `${text}\nLIMIT ${limit}`;
}

const printReference = (reference: Reference): string =>
  reference.name === NOW.name ? "now64(6, 'UTC')" : `@${reference.name}`;

const printCondition = ({ equals, omitted = [], matches = [] }: Condition): string =>
  [
    ...equals.map(([reference, value]) => `${printReference(reference)} = ${printText(value)}`),
    ...omitted.map((reference) => `${printReference(reference)} IS NULL`),
    ...matches.map(([reference, { source }]) => `match(${printReference(reference)}, ${printText(source)})`),
  ].join(' AND ');

/** People read the query of the first page. */
const isOfPage = ({ name }: Reference): boolean => name === AFTER;

const nested = (text: string): string => text.replaceAll('\n', '\n  ');

const DIALECT: Dialect = {
  reference: printReference,
  filter: (filter, render) => {
    if (filter.required.some(isOfPage)) return undefined;
    const omitted = filter.required.map((reference) => `${printReference(reference)} IS NULL`);
    return `(${[...omitted, render(filter.condition)].join(' OR ')})`;
  },
  choice: (branches, otherwise, render) => {
    const [, ofFirstPage] = branches.find(([{ omitted = [] }]) => omitted.some(isOfPage)) ?? [];
    if (ofFirstPage) return render(ofFirstPage);
    const open = branches.filter(([{ pinned = [] }]) => pinned.length === 0);
    if (open.length === 0) return render(otherwise);
    return [
      'CASE',
      ...open.map(
        ([condition, fragment]) => `  WHEN ${printCondition(condition)} THEN ${nested(render(fragment))}`,
      ),
      `  ELSE ${nested(render(otherwise))}`,
      'END',
    ].join('\n');
  },
  cap: '',
  setting: () => undefined,
  printsUnusedParts: true,
};
