import { wordOf, type Node } from './nodes.js';

/** A clause of a SELECT; `set` is what follows UNION, INTERSECT or EXCEPT, `none` is where there are no clauses. */
export type Clause =
  | 'none'
  | 'start'
  | 'set'
  | 'WITH'
  | 'SELECT'
  | 'FROM'
  | 'PREWHERE'
  | 'WHERE'
  | 'GROUP BY'
  | 'WITH TOTALS'
  | 'HAVING'
  | 'WINDOW'
  | 'QUALIFY'
  | 'ORDER BY'
  | 'LIMIT'
  | 'OFFSET'
  | 'FETCH'
  | 'SETTINGS'
  | 'FORMAT'
  | 'INTO OUTFILE'
  | 'PARALLEL WITH';

/** ClickHouse's order of clauses. A word that would step back is not a clause, such as FROM in `WITH FILL FROM 1`. */
const RANKS: Readonly<Record<Clause, number>> = {
  none: Infinity,
  start: 0,
  WITH: 0,
  set: 1,
  SELECT: 1,
  FROM: 2,
  PREWHERE: 3,
  WHERE: 4,
  'GROUP BY': 5,
  'WITH TOTALS': 5.5,
  HAVING: 6,
  WINDOW: 7,
  QUALIFY: 8,
  'ORDER BY': 9,
  LIMIT: 10,
  OFFSET: 10,
  FETCH: 10,
  SETTINGS: 11,
  FORMAT: 11,
  'INTO OUTFILE': 11,
  'PARALLEL WITH': 11,
};

/** From here on clauses may repeat: LIMIT BY, then LIMIT. */
const REPEATABLE = 10;

const ONE_WORD = new Map<string, Clause>(
  ['FROM', 'PREWHERE', 'WHERE', 'HAVING', 'WINDOW', 'QUALIFY', 'LIMIT', 'OFFSET', 'SETTINGS', 'FORMAT'].map(
    (word) => [word, word as Clause],
  ),
);
const TWO_WORDS = new Map<string, Clause>([
  ['GROUP BY', 'GROUP BY'],
  ['ORDER BY', 'ORDER BY'],
  ['WITH TOTALS', 'WITH TOTALS'],
  ['WITH ROLLUP', 'WITH TOTALS'],
  ['WITH CUBE', 'WITH TOTALS'],
  ['INTO OUTFILE', 'INTO OUTFILE'],
  ['PARALLEL WITH', 'PARALLEL WITH'],
  ['FETCH FIRST', 'FETCH'],
  ['FETCH NEXT', 'FETCH'],
]);

/** The clause that a word begins after a complete expression of another clause; undefined where it begins none. */
export function clauseAt(word: string, next: Node | undefined, current: Clause): Clause | undefined {
  const clause = ONE_WORD.get(word) ?? TWO_WORDS.get(`${word} ${wordOf(next)}`);
  if (clause === undefined) return undefined;
  const [rank, currentRank] = [RANKS[clause], RANKS[current]];
  return rank > currentRank || (rank === currentRank && rank >= REPEATABLE) ? clause : undefined;
}

/** Whether nodes are a query, by how they begin. */
export function isQuery(nodes: readonly Node[]): boolean {
  const first = nodes.find(({ kind }) => kind !== 'part');
  if (first?.kind === 'group') return first.open === '(' && isQuery(first.nodes) && nodes.some(isSetWord);
  const word = wordOf(first);
  if (word === 'SELECT') return true;
  return (word === 'WITH' || word === 'FROM') && nodes.some((node) => wordOf(node) === 'SELECT');
}

const isSetWord = (node: Node): boolean => SET_WORDS.has(wordOf(node));

const SET_WORDS = new Set(['UNION', 'INTERSECT', 'EXCEPT']);
const AFTER_SET = new Set(['SELECT', 'WITH', 'FROM', 'ALL', 'DISTINCT']);

/** Whether a word joins two queries. EXCEPT that removes columns from an asterisk does not. */
export function isSetOperator(word: string, next: Node | undefined): boolean {
  if (!SET_WORDS.has(word)) return false;
  if (AFTER_SET.has(wordOf(next))) return true;
  return next?.kind === 'group' && next.open === '(' && beginsQuery(next.nodes);
}

function beginsQuery(nodes: readonly Node[]): boolean {
  const [first] = nodes;
  return first?.kind === 'group' ? beginsQuery(first.nodes) : AFTER_SET.has(wordOf(first));
}
