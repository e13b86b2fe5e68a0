import { isSymbol, wordOf, type Node } from './nodes.js';
import { isName } from './names.js';
import { isComplete } from './roles.js';
import type { Scan, Step } from './scan.js';
import type { SelectProblem } from './select.js';

const RIGHT_START = 'the text of an endpoint is one query that begins with WITH or SELECT';

/** Reports a text that is not a SELECT: empty, or another statement. */
export function checkStart(nodes: readonly Node[], text: string): SelectProblem[] {
  const [first] = nodes;
  if (first === undefined) {
    return [{ start: 0, end: text.length, problem: `There is no query here: ${RIGHT_START}.` }];
  }
  if (first.kind === 'part' || isStart(first)) return [];
  const isGroup = first.kind === 'group';
  const end = isGroup ? first.start + 1 : first.end;
  const advice = isGroup && first.open === '(' ? ' Remove the parentheses around it.' : '';
  const problem = `The query begins with ${text.slice(first.start, end)}, but ${RIGHT_START}.${advice}`;
  return [{ start: first.start, end, problem }];
}

/** Whether a query begins with a node. */
export function isStart(first: Node | undefined): boolean {
  return wordOf(first) === 'SELECT' || wordOf(first) === 'WITH';
}

/** By the first words of clauses. */
const FORBIDDEN: ReadonlyMap<string, string> = new Map([
  ['FORMAT', 'FORMAT is not allowed: each request names its format. Remove it.'],
  ['SETTINGS', 'SETTINGS is not allowed: the gateway sends the settings of a query. Remove it.'],
  ['INTO', 'INTO OUTFILE is not allowed: the result is the response. Remove it.'],
  ['PARALLEL', 'PARALLEL WITH is not allowed: the text of an endpoint is one query. Remove it.'],
]);

/** Reports FORMAT, SETTINGS and other clauses that an endpoint cannot have, in subqueries too. */
export function checkClauses({ steps }: Scan): SelectProblem[] {
  return steps.flatMap(({ node, role, inner }, index) => {
    if (inner !== undefined) return checkClauses(inner);
    const isClause = role === 'clause' || isSetting(steps.slice(index, index + 3));
    const isOfTotals = isTotals(steps.slice(index, index + 2));
    const problem = isOfTotals ? TOTALS : isClause ? FORBIDDEN.get(wordOf(node)) : undefined;
    return problem === undefined ? [] : [{ start: node.start, end: node.end, problem }];
  });
}

const TOTALS =
  'WITH TOTALS is not allowed: a response has no place for totals. Write WITH ROLLUP, or a UNION ALL with the totals.';

/** Only those of the outermost query are a part of the result. After no operand, WITH begins a list of queries. */
function isTotals([first, second]: readonly Step[]): boolean {
  const isOutermost = first?.before.frame === 'outermost' && first.before.last === 'operand';
  return isOutermost && wordOf(first.node) === 'WITH' && wordOf(second?.node) === 'TOTALS';
}

/** The settings of a table function, `f(x, SETTINGS a = 1)`, are no clause. */
function isSetting([settings, name, equals]: readonly Step[]): boolean {
  return wordOf(settings?.node) === 'SETTINGS' && isName(name?.node) && isSymbol(equals?.node, '=');
}

const LIMITING = new Set(['LIMIT', 'OFFSET', 'FETCH', 'TOP', 'UNION', 'INTERSECT']);

/** Whether a LIMIT after the outermost query could be invalid or limit less than the whole result. */
export function needsWrapping(scan: Scan): boolean {
  // After the comma of `SELECT 1,` LIMIT would be a column.
  return !isComplete(scan.end) || hasLimit(scan);
}

function hasLimit({ steps }: Scan): boolean {
  return steps.some((step) => {
    if (step.node.kind === 'part') return step.inner !== undefined && hasLimit(step.inner);
    return step.role === 'set' || (LIMITING.has(wordOf(step.node)) && !isColumn(step));
  });
}

/** Whether a keyword is certainly a name: `a.limit`, `limit, …` or `… AS limit`. */
function isColumn({ node, role, before, after }: Step): boolean {
  if (role !== 'operand' || wordOf(node) === 'TOP') return false;
  return before.last !== 'operand' && after !== 'operand';
}
