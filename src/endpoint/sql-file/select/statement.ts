import type { Frame, Word } from './frame.js';
import { isName } from './names.js';
import { isSymbol, wordOf, type Node } from './nodes.js';
import type { SelectProblem } from './select.js';

const RIGHT_START = 'the text of an endpoint is one query that begins with WITH or SELECT';

/** Reports a text that is not a SELECT: empty, or another statement. */
export function checkStart([first]: readonly Node[], text: string): readonly SelectProblem[] {
  if (first === undefined)
    return [{ start: 0, end: text.length, problem: `There is no query here: ${RIGHT_START}.` }];
  if (wordOf(first) === 'SELECT' || wordOf(first) === 'WITH') return [];
  const length = { group: 1, part: 2, token: undefined, parameter: undefined }[first.kind];
  const end = length === undefined ? first.end : first.start + length;
  const advice = text[first.start] === '(' ? ' Remove the parentheses around it.' : '';
  const problem = `The query begins with ${text.slice(first.start, end)}, but ${RIGHT_START}.${advice}`;
  return [{ start: first.start, end, problem }];
}

/** By the first words of clauses. */
const FORBIDDEN: ReadonlyMap<string, string> = new Map([
  ['FORMAT', 'FORMAT is not allowed: each request names its format. Remove it.'],
  ['SETTINGS', 'SETTINGS is not allowed: the gateway sends the settings of a query. Remove it.'],
  ['INTO', 'INTO OUTFILE is not allowed: the result is the response. Remove it.'],
  ['PARALLEL', 'PARALLEL WITH is not allowed: the text of an endpoint is one query. Remove it.'],
  [
    'WITH',
    'WITH TOTALS is not allowed: a response has no place for totals. Write WITH ROLLUP, or a UNION ALL with the totals.',
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
      const problem = FORBIDDEN.get(word);
      return problem === undefined ? [] : [{ start: node.start, end: node.end, problem }];
    });
  };
  return check(outermost, true);
}

/** The settings of a table function, `f(x, SETTINGS a = 1)`, are no clause. */
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
