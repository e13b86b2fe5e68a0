import { isSymbol, wordOf, type Node, type PartNode } from './nodes.js';

/** The role of a node in its frame, which depends on the nodes before and after it. */
export type Role =
  /** A keyword that begins a clause, a JOIN or the next arm of a UNION, or a further word of it, such as BY. */
  | 'clause'
  | 'comma'
  /** AND or OR, but for the AND of a BETWEEN. */
  | 'connective'
  /** What an operand follows: a symbol, or a word such as NOT, IN, WHEN or ON. */
  | 'operator'
  | 'operand';

/** A node with its role. */
export interface Word {
  readonly node: Exclude<Node, PartNode>;
  readonly role: Role;
  /** The innermost optional part around the node. */
  readonly part: PartNode | undefined;
  /** How many CASEs are open. */
  readonly cases: number;
  /** The BETWEEN to which an AND belongs. */
  readonly between: Word | undefined;
  /** What a bracket encloses. */
  readonly inner: Frame | undefined;
}

/** An optional part, and where its words are in the frame; the end is exclusive. */
export interface PartRange {
  readonly node: PartNode;
  readonly start: number;
  readonly end: number;
}

/** The whole text, or what one bracket encloses, as if each of its optional parts applied. */
export interface Frame {
  readonly words: readonly Word[];
  readonly parts: readonly PartRange[];
}

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

const CLAUSES = setOf('SELECT FROM PREWHERE WHERE HAVING WINDOW QUALIFY LIMIT OFFSET SETTINGS FORMAT');
/** Keywords with another after them; alone they are names. */
const TWO_WORDS = new Map<string, readonly string[]>([
  ['GROUP', ['BY']],
  ['ORDER', ['BY']],
  ['FETCH', ['FIRST', 'NEXT']],
  ['INTO', ['OUTFILE']],
  ['PARALLEL', ['WITH']],
]);
const SETS = setOf('UNION INTERSECT EXCEPT');
const JOINS = setOf(
  'JOIN ARRAY LEFT RIGHT INNER FULL CROSS GLOBAL ANY ALL ASOF SEMI ANTI OUTER PASTE NATURAL',
);
const OPERATORS = setOf('AS IN LIKE ILIKE GLOBAL NOT IS DIV MOD REGEXP WITH BETWEEN ON USING SAMPLE');
const PREFIXES = setOf('NOT DISTINCT CASE');
/** The second is an operator after the first, as in `SELECT ALL x` and `x IS DISTINCT FROM y`. */
const TWO_OPERATORS = new Set(['SELECT ALL', 'DISTINCT FROM']);
const OF_CASE = setOf('WHEN THEN ELSE');
const BEGINS_QUERY = setOf('SELECT WITH FROM');
const AFTER_SET = setOf('SELECT WITH FROM ALL DISTINCT');

/** Whether a word is UNION, INTERSECT or EXCEPT. */
export const isSetWord = (word: string): boolean => SETS.has(word);

/** Whether a word is JOIN, or of those before it. */
export const isJoinWord = (word: string): boolean => JOINS.has(word);

/** Whether nodes are a query, by how they begin. */
export function isQuery(nodes: readonly Node[]): boolean {
  const first = nodes.find(({ kind }) => kind !== 'part');
  if (first?.kind === 'group')
    return first.open === '(' && isQuery(first.nodes) && nodes.some((node) => SETS.has(wordOf(node)));
  return BEGINS_QUERY.has(wordOf(first)) && nodes.some((node) => wordOf(node) === 'SELECT');
}

/** Reads a frame and those within it. */
export function readFrame(nodes: readonly Node[]): Frame {
  const reader = new FrameReader();
  reader.addAll(nodes, undefined);
  return reader.finish();
}

class FrameReader {
  readonly #nodes: (readonly [node: Word['node'], part: PartNode | undefined])[] = [];
  readonly #parts: PartRange[] = [];
  readonly #words: Word[] = [];
  readonly #betweens: Word[] = [];
  #cases = 0;

  addAll(nodes: readonly Node[], part: PartNode | undefined): void {
    for (const node of nodes) {
      if (node.kind !== 'part') this.#nodes.push([node, part]);
      else {
        const [start, at] = [this.#nodes.length, this.#parts.length];
        this.#parts.push({ node, start, end: start });
        this.addAll(node.nodes, node);
        this.#parts[at] = { node, start, end: this.#nodes.length };
      }
    }
  }

  finish(): Frame {
    for (const [at, [node, part]] of this.#nodes.entries()) this.#read(node, part, this.#nodes[at + 1]?.[0]);
    return { words: this.#words, parts: this.#parts };
  }

  #read(node: Word['node'], part: PartNode | undefined, next: Node | undefined): void {
    const [word, previous] = [wordOf(node), this.#words.at(-1)];
    const role = roleOf(node, next, previous, this.#cases);
    if (word === 'END' && previous?.role === 'operand') this.#endCase();
    if (role === 'clause') this.#betweens.length = 0;
    const between = word === 'AND' && role === 'connective' ? this.#takeBetween() : undefined;
    const inner = node.kind === 'group' ? readFrame(node.nodes) : undefined;
    const read = {
      node,
      role: between ? 'operator' : role,
      part,
      cases: this.#cases,
      between,
      inner,
    } as const;
    this.#words.push(read);
    if (role !== 'operator') return;
    if (word === 'BETWEEN') this.#betweens.push(read);
    if (word === 'CASE') this.#cases += 1;
  }

  #endCase(): void {
    this.#cases = Math.max(0, this.#cases - 1);
    while ((this.#betweens.at(-1)?.cases ?? 0) > this.#cases) this.#betweens.pop();
  }

  #takeBetween(): Word | undefined {
    return this.#betweens.at(-1)?.cases === this.#cases ? this.#betweens.pop() : undefined;
  }
}

function roleOf(node: Word['node'], next: Node | undefined, previous: Word | undefined, cases: number): Role {
  if (node.kind !== 'token') return 'operand';
  const isAfterOperand = previous?.role === 'operand';
  if (node.type === 'symbol') {
    if (node.text === ',') return 'comma';
    return node.text === '*' && !isAfterOperand ? 'operand' : 'operator';
  }
  if (node.type !== 'word' || isNameAfter(previous)) return 'operand';
  if (OF_CASE.has(node.word) && cases > 0) return 'operator';
  return isAfterOperand ? roleAfterOperand(node.word, next) : roleBeforeOperand(node.word, next, previous);
}

/** Whether a word is a name because it follows a dot or AS; this includes keywords. */
function isNameAfter(previous: Word | undefined): boolean {
  if (previous?.role !== 'operator') return false;
  return wordOf(previous.node) === 'AS' || isSymbol(previous.node, '.') || isSymbol(previous.node, '@@');
}

function roleAfterOperand(word: string, next: Node | undefined): Role {
  if (word === 'AND' || word === 'OR') return 'connective';
  if (beginsClause(word, next) || word === 'BY') return 'clause';
  const isOfIn = word === 'GLOBAL' && (wordOf(next) === 'IN' || wordOf(next) === 'NOT');
  if (JOINS.has(word) && !isOfIn) return 'clause';
  return OPERATORS.has(word) ? 'operator' : 'operand';
}

function beginsClause(word: string, next: Node | undefined): boolean {
  if (SETS.has(word)) return isSetOperator(next);
  return CLAUSES.has(word) || TWO_WORDS.get(word)?.includes(wordOf(next)) === true;
}

/** Whether a node continues a set operator. The EXCEPT that removes columns from an asterisk is not one. */
function isSetOperator(next: Node | undefined): boolean {
  if (next?.kind === 'group' && next.open === '(') return isSetOperator(next.nodes[0]);
  return AFTER_SET.has(wordOf(next));
}

/** The role of a word where an operand is expected: most keywords are names there. */
function roleBeforeOperand(word: string, next: Node | undefined, previous: Word | undefined): Role {
  const before = wordOf(previous?.node);
  if (isClauseHere(word, next, previous)) return 'clause';
  if (PREFIXES.has(word) || TWO_OPERATORS.has(`${before} ${word}`)) return 'operator';
  const isOfNot = before === 'NOT' || before === 'GLOBAL';
  return isOfNot && previous?.role === 'operator' && OPERATORS.has(word) ? 'operator' : 'operand';
}

function isClauseHere(word: string, next: Node | undefined, previous: Word | undefined): boolean {
  if (word === 'SELECT') return true;
  if (previous === undefined)
    return BEGINS_QUERY.has(word) || word === 'WHERE' || (TWO_WORDS.has(word) && beginsClause(word, next));
  // ClickHouse allows a comma after the last item of SELECT.
  if (previous.role === 'comma') return word === 'FROM' && !isSymbol(next, ',') && !isSymbol(next, '.');
  return previous.role === 'clause' && continuesClause(word, wordOf(previous.node));
}

function continuesClause(word: string, before: string): boolean {
  if (SETS.has(before)) return AFTER_SET.has(word);
  if (TWO_WORDS.has(before)) return word === 'BY';
  if (JOINS.has(before) && JOINS.has(word)) return before !== 'JOIN';
  return (before === 'ALL' || before === 'DISTINCT') && BEGINS_QUERY.has(word);
}
