import { clauseAt, isSetOperator, type Clause } from './clauses.js';
import { isSymbol, wordOf, type Node, type TokenNode } from './nodes.js';

/** What a node does in its clause. */
export type Role =
  /** A keyword that begins a clause, BY included. */
  | 'clause'
  /** UNION, INTERSECT or EXCEPT. */
  | 'set'
  /** JOIN and the words before it. */
  | 'join'
  | 'comma'
  /** AND or OR between two terms: not the AND of a BETWEEN, and none in a CASE. */
  | 'connective'
  | 'operator'
  /** A sign or word before an operand: NOT, DISTINCT. */
  | 'prefix'
  | 'operand'
  | 'part';

/** BETWEENs that wait for their AND, and the CASE in which they do. */
export interface Pending {
  readonly betweens: number;
  readonly outer: Pending | undefined;
}

/** What is known at a point of a frame: an expression, or a query with clauses. */
export interface State {
  /** What the frame is: the text itself, a subquery, a parenthesis of terms, or anything else. */
  readonly frame: 'outermost' | 'query' | 'terms' | 'other';
  readonly clause: Clause;
  /** The role of the node before this point, of parts in between not. */
  readonly last: Role | 'start';
  readonly previous: Node | undefined;
  readonly pending: Pending;
  /** How many UNIONs, INTERSECTs and EXCEPTs came before. */
  readonly arm: number;
  readonly hasSelect: boolean;
  /** Whether the clause has had a `?` or `->`. */
  readonly hasChoice: boolean;
  /** Whether the FROM has a SAMPLE, whose OFFSET is not the query's. */
  readonly hasSample: boolean;
}

const OPERATOR_WORDS = new Set('AS IN LIKE ILIKE GLOBAL NOT IS DIV MOD REGEXP WITH BETWEEN'.split(' '));
const FROM_OPERATOR_WORDS = new Set(['ON', 'USING', 'SAMPLE']);
const BEFORE_OPERATOR = new Set(['NOT', 'GLOBAL']);
const PREFIX_WORDS = new Set(['NOT', 'DISTINCT', 'CASE']);
const BEFORE_BY = new Set(['GROUP', 'ORDER']);
const CASE_WORDS = new Set(['WHEN', 'THEN', 'ELSE']);
const JOIN_WORDS = new Set(
  'ARRAY LEFT RIGHT INNER FULL CROSS GLOBAL ANY ALL ASOF SEMI ANTI OUTER PASTE NATURAL JOIN'.split(' '),
);
const QUERY_WORDS = new Set(['SELECT', 'WITH', 'FROM']);

/** Whether an expression is complete at a point, so that an operator or a clause may follow. */
export function isComplete({ last }: State): boolean {
  return last === 'operand';
}

/** Whether a frame has clauses. */
export function hasClauses({ frame }: State): boolean {
  return frame === 'outermost' || frame === 'query';
}

/** The state where a frame begins. */
export function startOf(frame: State['frame'], clause: Clause): State {
  const last = 'start';
  return {
    frame,
    clause,
    last,
    previous: undefined,
    pending: NONE,
    arm: 0,
    hasSelect: false,
    hasChoice: false,
    hasSample: false,
  };
}

const NONE: Pending = { betweens: 0, outer: undefined };

/** The state after a node. */
export function stateAfter(node: Node, role: Role, next: Node | undefined, state: State): State {
  if (role === 'part') return state;
  const word = wordOf(node);
  const moved = { ...state, previous: node, last: role };
  if (role === 'set' || role === 'clause') return { ...moved, ...inNewClause(role, word, next, state) };
  // SELECT DISTINCT and UNION ALL are still the beginning of what follows; after NOT or a sign it has begun.
  if (role === 'prefix' && (word === 'DISTINCT' || word === 'ALL')) return { ...moved, last: state.last };
  const hasSample = state.hasSample || (role === 'operator' && word === 'SAMPLE');
  const hasChoice = state.hasChoice || isChoice(node);
  return { ...moved, hasSample, hasChoice, pending: pendingAfter(word, role, state) };
}

function isChoice(node: Node): boolean {
  return isSymbol(node, '?') || isSymbol(node, '->');
}

function inNewClause(role: 'set' | 'clause', word: string, next: Node | undefined, state: State) {
  const cleared = { pending: NONE, hasChoice: false, hasSample: false };
  if (role === 'set') return { ...cleared, clause: 'set', arm: state.arm + 1, hasSelect: false } as const;
  const clause = word === 'BY' ? state.clause : newClause(word, next, state);
  return { ...cleared, clause, hasSelect: state.hasSelect || word === 'SELECT' };
}

function newClause(word: string, next: Node | undefined, state: State): Clause {
  const isFirst = state.clause === 'start' || state.clause === 'set';
  if (word === 'SELECT' || (isFirst && (word === 'WITH' || word === 'FROM'))) return word;
  return clauseAt(word, next, state.clause) ?? state.clause;
}

function pendingAfter(word: string, role: Role, state: State): Pending {
  const { pending } = state;
  if (word === 'CASE' && role === 'prefix') return { betweens: 0, outer: pending };
  if (word === 'END' && isComplete(state)) return pending.outer ?? pending;
  if (role !== 'operator' || (word !== 'BETWEEN' && word !== 'AND')) return pending;
  const betweens = pending.betweens + (word === 'BETWEEN' ? 1 : pending.betweens > 0 ? -1 : 0);
  return { ...pending, betweens };
}

/** The role of a node at a point. */
export function roleOf(node: Node, next: Node | undefined, state: State): Role {
  if (node.kind === 'part') return 'part';
  if (node.kind !== 'token') return 'operand';
  if (node.type === 'symbol') return symbolRole(node, state);
  if (node.type !== 'word' || isName(state)) return 'operand';
  return isComplete(state)
    ? roleAfterOperand(node.word, next, state)
    : roleBeforeOperand(node.word, next, state);
}

function symbolRole(node: TokenNode, state: State): Role {
  if (node.text === ',') return 'comma';
  if (isComplete(state)) return 'operator';
  if (node.text === '*') return 'operand';
  return node.text === '-' || node.text === '+' || node.text === '−' ? 'prefix' : 'operator';
}

/** After a dot or AS each word is a name, keywords too. */
function isName({ previous, last }: State): boolean {
  if (last !== 'operator') return false;
  return wordOf(previous) === 'AS' || isSymbol(previous, '.') || isSymbol(previous, '@@');
}

function roleBeforeOperand(word: string, next: Node | undefined, state: State): Role {
  const inClauses = hasClauses(state) ? clauseRoleBeforeOperand(word, next, state) : undefined;
  if (inClauses !== undefined) return inClauses;
  if (PREFIX_WORDS.has(word)) return 'prefix';
  if (state.pending.outer !== undefined && CASE_WORDS.has(word)) return 'operator';
  return BEFORE_OPERATOR.has(wordOf(state.previous)) && OPERATOR_WORDS.has(word) ? 'operator' : 'operand';
}

function clauseRoleBeforeOperand(word: string, next: Node | undefined, state: State): Role | undefined {
  const before = wordOf(state.previous);
  if (state.last === 'clause' && word === 'BY' && BEFORE_BY.has(before)) return 'clause';
  if (beginsQuery(word, next, state)) return 'clause';
  if (word === 'ALL' && (before === 'SELECT' || state.last === 'set')) return 'prefix';
  return state.last === 'join' && before !== 'JOIN' && JOIN_WORDS.has(word) ? 'join' : undefined;
}

function beginsQuery(word: string, next: Node | undefined, state: State): boolean {
  // ClickHouse allows a comma after the last item of SELECT.
  if (word === 'FROM' && state.clause === 'SELECT' && state.last === 'comma')
    return !isSymbol(next, ',') && !isSymbol(next, '.');
  return (state.clause === 'start' || state.clause === 'set') && QUERY_WORDS.has(word);
}

function roleAfterOperand(word: string, next: Node | undefined, state: State): Role {
  const isInCase = state.pending.outer !== undefined;
  if (word === 'AND' && state.pending.betweens > 0) return 'operator';
  if (word === 'AND' || word === 'OR') return isInCase ? 'operator' : 'connective';
  if (isInCase && CASE_WORDS.has(word)) return 'operator';
  const inClauses = hasClauses(state) ? clauseRole(word, next, state) : undefined;
  return inClauses ?? (OPERATOR_WORDS.has(word) ? 'operator' : 'operand');
}

function clauseRole(word: string, next: Node | undefined, state: State): Role | undefined {
  const isFrom = state.clause === 'FROM';
  if (isFrom && state.hasSample && word === 'OFFSET') return 'operator';
  if (isSetOperator(word, next)) return 'set';
  if (word === 'SELECT' && !state.hasSelect) return 'clause';
  if (clauseAt(word, next, state.clause) !== undefined) return 'clause';
  if (isFrom && JOIN_WORDS.has(word)) return 'join';
  return isFrom && FROM_OPERATOR_WORDS.has(word) ? 'operator' : undefined;
}
