import type { Clause } from './clauses.js';
import { wordOf, type PartNode } from './nodes.js';
import { hasClauses, isComplete, type Role } from './roles.js';
import { endsTerm, forEachStep, hasTerms, isPart, isPending, type Scan, type Step } from './scan.js';
import type { SelectProblem } from './select.js';

const RIGHT = {
  term: 'a term with its AND or OR, as in [[ AND a = @a ]] after a term or [[ a = @a AND ]] before one',
  item: 'items with their comma, as in [[, a]] after an item or [[a,]] before one',
  join: 'a whole JOIN, as in [[ LEFT JOIN t ON t.id = @id ]]',
  arm: 'a last UNION ALL or UNION DISTINCT with its query, as in [[ UNION ALL SELECT @a ]]',
} as const;

const CHOICE =
  'AND and OR bind closer than ? : and ->. Write parentheses: WHERE (a ? b : c) [[ AND d = @d ]].';
const ARRAYS = 'For an array of arrays write [ [1], [2] ].';

/** Reports each optional part that is not what a part may be. */
export function checkOptionalParts(scan: Scan): SelectProblem[] {
  const problems: SelectProblem[] = [];
  forEachStep(scan, (step) => {
    const problem = isPart(step) ? problemOf(step) : undefined;
    const { start, end } = step.node;
    if (problem !== undefined) problems.push({ start, end, problem });
  });
  return problems;
}

function problemOf(step: Step<PartNode>): string | undefined {
  if (!hasOwnParameter(step.node.nodes))
    return (
      'The optional part has no parameter of its own: it applies when its parameters have values. ' +
      `Name one in it, or remove [[ and ]]. ${ARRAYS}`
    );
  const { before, inner } = step;
  const first = inner?.steps.find(({ role }) => role !== 'part');
  if (inner === undefined || first === undefined || before.frame === 'other') return misplaced(step);
  const whole = problemOfClause(wordOf(first.node));
  if (whole !== undefined) return whole;
  if (first.role === 'set')
    return isArm(step, inner) ? undefined : expected('after a query', RIGHT.arm, step);
  return problemInClause(step, inner);
}

/** What to write instead of an optional clause. */
function problemOfClause(word: string): string | undefined {
  if (word === 'WHERE' || word === 'PREWHERE' || word === 'HAVING') {
    return `A whole ${word} cannot be optional: write ${word} true [[ AND … ]].`;
  }
  if (word === 'LIMIT' || word === 'OFFSET')
    return `${word} cannot be optional: give its parameter a default.`;
  return undefined;
}

function problemInClause(step: Step, inner: Scan): string | undefined {
  const { clause } = step.before;
  if (hasTerms(clause)) return problemOfTerm(step, inner);
  if (clause === 'FROM') return isJoin(step, inner) ? undefined : expected('after FROM', RIGHT.join, step);
  if (!hasItems(clause)) return misplaced(step);
  return isList(step, inner) ? undefined : expected(`in ${clause}`, RIGHT.item, step);
}

function hasItems(clause: Clause): boolean {
  return clause === 'SELECT' || clause === 'GROUP BY' || clause === 'ORDER BY';
}

/** A parameter of a part within counts for that part only. */
function hasOwnParameter(nodes: PartNode['nodes']): boolean {
  return nodes.some(
    (node) => node.kind === 'parameter' || (node.kind === 'group' && hasOwnParameter(node.nodes)),
  );
}

function expected(where: string, right: string, { before }: Step): string {
  const hint = isComplete(before) || !hasClauses(before) ? '' : ` ${ARRAYS}`;
  return `An optional part ${where} must be ${right}.${hint}`;
}

function misplaced({ before }: Step): string {
  const hint = isComplete(before) ? '' : ` ${ARRAYS}`;
  return (
    `No optional part can stand here. It can be, of WHERE, PREWHERE or HAVING, ${RIGHT.term}; ` +
    `of SELECT, GROUP BY or ORDER BY, ${RIGHT.item}; after FROM, ${RIGHT.join}; or ${RIGHT.arm}.${hint}`
  );
}

function problemOfTerm(step: Step, inner: Scan): string | undefined {
  if (step.isInChoice || inner.end.hasChoice) return CHOICE;
  const where = `in ${step.before.clause}`;
  const plain = withoutParts(inner);
  if (
    isPending(step.before) ||
    isPending(inner.end) ||
    plain.some(({ role }) => isForeign(role, 'connective'))
  )
    return expected(where, RIGHT.term, step);
  const own = ownConnective(step, inner, plain);
  if (own === undefined) return expected(where, RIGHT.term, step);
  const isMixed =
    wordOf(own.node) === 'AND' &&
    plain.some(({ node, role }) => role === 'connective' && wordOf(node) === 'OR');
  return isMixed
    ? 'AND binds closer than OR here. Write parentheses: [[ AND (a = @a OR b = @b) ]].'
    : undefined;
}

/** The AND or OR at the beginning or end of a part that stands where it may. */
function ownConnective(step: Step, inner: Scan, plain: readonly Step[]): Step | undefined {
  const [first, last] = [plain.at(0), plain.at(-1)];
  if (leads(step, inner, first, 'connective')) return endsTerm(step.after) ? first : undefined;
  return trails(step, last, 'connective') ? last : undefined;
}

function isList(step: Step, inner: Scan): boolean {
  const plain = withoutParts(inner);
  if (isPending(step.before) || isPending(inner.end)) return false;
  if (plain.some(({ role }) => isForeign(role, 'comma'))) return false;
  const isEmptyItem = ({ role, before }: Step): boolean => role === 'comma' && !isComplete(before);
  if (plain.some(isEmptyItem)) return false;
  if (leads(step, inner, plain.at(0), 'comma')) return endsTerm(step.after) || step.after === 'comma';
  return trails(step, plain.at(-1), 'comma');
}

/** Whether a part begins with its connective or comma: it follows an operand, and another could follow it. */
function leads({ before }: Step, { end }: Scan, first: Step | undefined, role: Role): boolean {
  return first?.role === role && isComplete(before) && isComplete(end);
}

/** Whether a part ends with its connective or comma: it stands where an operand begins. */
function trails({ before, after }: Step, last: Step | undefined, role: Role): boolean {
  if (last?.role !== role || !isComplete(last.before)) return false;
  const begins = before.last === 'start' || before.last === 'clause' || before.last === role;
  return begins && (after === 'operand' || after === 'prefix');
}

function isForeign(role: Role, own: Role): boolean {
  if (role === 'connective' || role === 'comma') return own === 'connective' && role === 'comma';
  return role === 'clause' || role === 'set' || role === 'join';
}

function isJoin(step: Step, inner: Scan): boolean {
  const plain = withoutParts(inner);
  if (plain[0]?.role !== 'join' || !isComplete(step.before) || isPending(step.before)) return false;
  if (!isComplete(inner.end) || isPending(inner.end)) return false;
  if (plain.some(({ role }) => role === 'clause' || role === 'set')) return false;
  return (
    (endsTerm(step.after) || step.after === 'join') && step.after !== 'connective' && hasCondition(plain)
  );
}

const UNCONDITIONAL = new Set(['ARRAY', 'CROSS', 'PASTE', 'NATURAL']);

/** Whether the last join of a part has what ClickHouse needs, ON or USING unless its kind has none. */
function hasCondition(plain: readonly Step[]): boolean {
  const last = plain.findLastIndex(({ role, node }) => role === 'join' && wordOf(node) === 'JOIN');
  if (last === -1) return false;
  const kinds = plain.slice(0, last).filter(({ role }) => role === 'join');
  if (kinds.slice(-3).some(({ node }) => UNCONDITIONAL.has(wordOf(node)))) return true;
  return plain
    .slice(last)
    .some(({ role, node }) => role === 'operator' && ['ON', 'USING'].includes(wordOf(node)));
}

function isArm(step: Step, inner: Scan): boolean {
  const plain = withoutParts(inner);
  const [union, mode, query] = plain.map(({ node }) => node);
  if (wordOf(union) !== 'UNION' || !['ALL', 'DISTINCT'].includes(wordOf(mode)) || query === undefined)
    return false;
  if (!hasClauses(step.before) || !isComplete(step.before) || isPending(step.before)) return false;
  if (!isComplete(inner.end) || isPending(inner.end)) return false;
  return step.after === 'end' || step.after === 'set';
}

function withoutParts({ steps }: Scan): readonly Step[] {
  return steps.filter(({ role }) => role !== 'part');
}
