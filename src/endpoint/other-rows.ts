import { renderQuery, type Dialect } from './render.js';
import type { Query } from './sql.js';
import { tokenize } from './sql-file/select/tokens.js';

/** Clauses that decide with other rows whether a row is in the result, by the token after the word; any where undefined. */
const CLAUSES: ReadonlyMap<string, RegExp | undefined> = new Map([
  ['LIMIT', undefined],
  ['OFFSET', undefined],
  ['FETCH', /^(?:first|next)$/i],
]);

/** What comes before a value: a word after one of these is the name of a column, not the begin of a clause. */
const BEFORE_A_VALUE =
  /^(?:[^\w`"')\]]*|select|distinct|where|prewhere|having|qualify|and|or|not|on|using|by|case|when|then|else|in|like|ilike|between|is|as|set|with|interval|div|mod|return)$/i;

/** Whether a word after another one is a name, and no keyword. */
const isValue = (before: string): boolean => BEFORE_A_VALUE.test(before);

/** Functions whose value depends on the rows before. */
export const OF_BLOCKS =
  /^(?:rowNumberIn(?:All)?Blocks?|blockNumber|blockSize|runningDifference\w*|runningAccumulate|runningConcurrency|neighbor)$/i;

/** Whether a word of a query begins a clause or a call that decides with other rows whether a row is in the result. */
export function isOfOtherRows(before: string, token: string, after: string): boolean {
  const word = token.toUpperCase();
  if (word === 'OVER') return before === ')';
  if (word === 'TOP') return /^(?:select|distinct)$/i.test(before) && /^[\d(]/.test(after);
  if (word === 'FILL') return /^with$/i.test(before);
  if (word === 'DISTINCT') return /^on$/i.test(after);
  if (OF_BLOCKS.test(token)) return after === '(';
  return CLAUSES.has(word) && !isValue(before) && (CLAUSES.get(word)?.test(after) ?? true);
}

/** The tokens of every branch of a query, without spaces and comments. */
export function tokensOfAll(query: Query): readonly string[] {
  const written = renderQuery(query, EVERYTHING);
  return tokenize(written)
    .filter(({ kind }) => kind !== 'space' && kind !== 'comment')
    .map(({ start, end }) => written.slice(start, end));
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
