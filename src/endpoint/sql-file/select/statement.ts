import type { Frame, Word } from './frame.js';
import { isName } from './names.js';
import { isSymbol, wordOf, type Node } from './nodes.js';
import type { SelectProblem } from './select.js';
import { problem } from '../../problems.js';

/** Reports a text that is not a SELECT: empty, or another statement. */
export function checkStart([first]: readonly Node[], text: string): readonly SelectProblem[] {
  if (first === undefined) return [{ start: 0, end: text.length, ...problem('QUERY_MISSING') }];
  if (wordOf(first) === 'SELECT' || wordOf(first) === 'WITH') return [];
  const length = { group: 1, part: 2, token: undefined, parameter: undefined }[first.kind];
  const end = length === undefined ? first.end : first.start + length;
  const advice = text[first.start] === '(' ? ' Remove the parentheses around it.' : '';
  const { start } = first;
  return [{ start, end, ...problem('QUERY_NOT_SELECT', text.slice(start, end), advice) }];
}

/** Forbidden clauses by their first words. */
const FORBIDDEN: ReadonlyMap<string, readonly [what: string, advice: string]> = new Map([
  ['FORMAT', ['FORMAT', ': each request names its format. Remove it.']],
  ['SETTINGS', ['SETTINGS', ': the gateway sends the settings of a query. Remove it.']],
  ['INTO', ['INTO OUTFILE', ': the result is the response. Remove it.']],
  ['PARALLEL', ['PARALLEL WITH', ': the text of an endpoint is one query. Remove it.']],
  [
    'WITH',
    [
      'WITH TOTALS',
      ': a response has no place for totals. Write WITH ROLLUP, or a UNION ALL with the totals.',
    ],
  ],
]);

/** Reports FORMAT, SETTINGS and other clauses that an endpoint cannot have, in subqueries too. */
export function checkClauses(outermost: Frame): readonly SelectProblem[] {
  const check = ({ words }: Frame, isOutermost: boolean): readonly SelectProblem[] => {
    const isQuery = words.some(({ node, role }) => role === 'clause' && wordOf(node) === 'SELECT');
    return words.flatMap(({ node, role, inner }, at) => {
      if (inner) return check(inner, false);
      // Only the totals of the outermost query are a part of the result.
      const isOfTotals = isOutermost && role === 'operator' && wordOf(words[at + 1]?.node) === 'TOTALS';
      const word =
        isOfTotals || (isQuery && role === 'clause' && wordOf(node) !== 'WITH') || isSetting(words, at)
          ? wordOf(node)
          : '';
      const forbidden = FORBIDDEN.get(word);
      const { start, end } = node;
      return forbidden ? [{ start, end, ...problem('SYNTAX_NOT_ALLOWED', ...forbidden) }] : [];
    });
  };
  return check(outermost, true);
}

/** Whether SETTINGS belongs to a table function, as in `f(x, SETTINGS a = 1)`, and so begins no clause. */
const isSetting = (words: readonly Word[], at: number): boolean =>
  wordOf(words[at]?.node) === 'SETTINGS' && isName(words[at + 1]?.node) && isSymbol(words[at + 2]?.node, '=');

const LIMITING = new Set(['LIMIT', 'OFFSET', 'FETCH', 'TOP', 'UNION', 'INTERSECT', 'EXCEPT']);

/** Whether a LIMIT after the outermost query could be invalid or limit less than the whole result. */
export function needsWrapping(frame: Frame): boolean {
  const { words } = frame;
  return endsIncomplete(frame) || words.some((word, at) => isLimiting(word, words[at - 1], words[at + 1]));
}

/** Keywords that are certainly names, as in `a.limit`, `limit, …` or `… AS limit`, limit nothing. */
function isLimiting({ node, role }: Word, before: Word | undefined, after: Word | undefined): boolean {
  const word = wordOf(node);
  if (!LIMITING.has(word) || (word === 'EXCEPT' && role !== 'clause')) return false;
  return role === 'clause' || word === 'TOP' || before?.role === 'operand' || after?.role === 'operand';
}

/** Whether the query can end where LIMIT would be a column: after the comma of `SELECT 1,`. */
function endsIncomplete({ words, parts }: Frame): boolean {
  let last = words.length - 1;
  for (const { node, start } of parts.toReversed()) {
    if (words[last]?.part !== node) continue;
    if (words[last]?.role !== 'operand') return true;
    last = start - 1;
  }
  return words[last]?.role !== 'operand';
}
