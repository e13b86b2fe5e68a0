import { isSetWord, type Frame, type PartRange, type Word } from './frame.js';
import { columnName } from './names.js';
import { isSymbol, wordOf, type Node, type PartNode } from './nodes.js';
import type { SelectProblem } from './select.js';
import { problem } from '../../problems.js';
import { NOW } from '../../reserved.js';

const CODES = {
  noParameter: 'PART_WITHOUT_PARAMETER',
  between: 'PART_SPLITS_BETWEEN',
  choice: 'PART_SPLITS_CHOICE',
  mixed: 'PART_MIXES_OPERATORS',
  term: 'PART_WITHOUT_OPERATOR',
  item: 'PART_WITHOUT_COMMA',
  clause: 'PART_CUTS_CLAUSE',
} as const;

/**
 * Reports optional parts that could give a query an unexpected meaning without an error of ClickHouse, and terms that cannot
 * stand alone. ClickHouse decides whether a query is valid with and without a part.
 */
export function problemsOfParts(frame: Frame): readonly SelectProblem[] {
  const { words } = frame;
  const split = new Set(
    words.flatMap(({ part, between }) => (between && between.part !== part ? [part ?? between.part] : [])),
  );
  const isInChoice = choicesIn(words);
  const own = frame.parts.flatMap((part) => {
    const found = split.has(part.node) ? 'between' : problemOf(part, words, isInChoice);
    const { start, end } = part.node;
    return found === undefined ? [] : [{ start, end, ...problem(CODES[found]) }];
  });
  return [...own, ...words.flatMap(({ inner }) => (inner ? problemsOfParts(inner) : []))];
}

type Mistake = keyof typeof CODES;

function problemOf(part: PartRange, words: readonly Word[], isInChoice: IsInChoice): Mistake | undefined {
  const { node, start, end } = part;
  if (!hasOwnParameter(node.nodes)) return 'noParameter';
  const own = [words[start], words[end - 1]].find((word) => word?.role === 'connective');
  if (own && isInChoice(start)) return 'choice';
  const misplaced = problemOfPlace(part, words);
  if (misplaced) return misplaced;
  return wordOf(own?.node) === 'AND' && hasOr(node, words.slice(start, end)) ? 'mixed' : undefined;
}

const separates = (word: Word | undefined): boolean =>
  word?.role === 'connective' || word?.role === 'comma' || word?.role === 'clause';

function problemOfPlace(part: PartRange, words: readonly Word[]): Mistake | undefined {
  const own = words.slice(part.start, part.end);
  const [before, after] = [words[part.start - 1], words[part.end]];
  if (!endsClause(own, after)) return 'clause';
  const [leading, trailing] = [own.at(0), own.at(-1)].map(separatorOf);
  if (leading) return trailing === undefined && isAfterWhole(leading, part, words) ? undefined : leading;
  if (!trailing) return isWhereTermIs(before) && endsTerm(after) ? 'term' : undefined;
  const isBeginning = trailing === 'item' ? beginsItem(before) : beginsTerm(before);
  return isBeginning && !endsTerm(after) ? undefined : trailing;
}

/** Whether a part with its separator follows a whole term or item and precedes the end of one. */
function isAfterWhole(leading: 'term' | 'item', { start, end }: PartRange, words: readonly Word[]): boolean {
  if (words[start - 1]?.role !== 'operand' || words[end - 1]?.role !== 'operand') return false;
  return leading === 'item' ? endsItem(words[end], words[end + 1]) : endsTerm(words[end]);
}

/** What AND, OR and commas separate. */
function separatorOf(word: Word | undefined): 'term' | 'item' | undefined {
  if (word?.role === 'connective') return 'term';
  return word?.role === 'comma' ? 'item' : undefined;
}

/** A parameter of a part within counts for that part only, and the clock always has a value. */
function hasOwnParameter(nodes: readonly Node[]): boolean {
  return nodes.some((node) =>
    node.kind === 'parameter' ? node.name !== NOW.name : node.kind === 'group' && hasOwnParameter(node.nodes),
  );
}

const hasOr = (part: PartNode, words: readonly Word[]): boolean =>
  words.some(
    (word) =>
      word.part === part &&
      word.role === 'connective' &&
      word.cases === words[0]?.cases &&
      wordOf(word.node) === 'OR',
  );

const TERM_CLAUSES = new Set(['PREWHERE', 'WHERE', 'HAVING', 'QUALIFY', 'ON']);

/** Whether only a term can follow. */
const isWhereTermIs = (before: Word | undefined): boolean =>
  before?.role === 'connective' || (before?.role !== 'operand' && TERM_CLAUSES.has(wordOf(before?.node)));

const BEFORE_TERM = new Set(['ON', 'WHEN', 'THEN', 'ELSE', 'DISTINCT']);

/** Whether a term can begin after a word, so that nothing before it is a part of the term. */
function beginsTerm(before: Word | undefined): boolean {
  if (before?.role === 'operator') return BEFORE_TERM.has(wordOf(before.node)) || isSymbol(before.node, '->');
  return before?.role !== 'operand';
}

const beginsItem = (before: Word | undefined): boolean =>
  before?.role !== 'connective' &&
  (before?.role !== 'operator' || wordOf(before.node) === 'DISTINCT') &&
  beginsTerm(before);

const AFTER_TERM = new Set(['WHEN', 'THEN', 'ELSE', 'END', 'AS', 'ASC', 'DESC', 'NULLS', 'COLLATE', 'WITH']);

/** Whether a term is complete before a word. */
function endsTerm(after: Word | undefined): boolean {
  return after === undefined || AFTER_TERM.has(wordOf(after.node)) || separates(after);
}

const AFTER_ITEMS = new Set(['ROLLUP', 'CUBE', 'TOTALS']);

/** Whether an item is complete before a word. Most that can follow a list, such as DESC, are of its last item. */
function endsItem(after: Word | undefined, next: Word | undefined): boolean {
  if (after === undefined || after.role === 'comma' || after.role === 'clause') return true;
  return wordOf(after.node) === 'WITH' && AFTER_ITEMS.has(wordOf(next?.node));
}

/** Whether nothing after a part is of its last clause, or of its last query. */
function endsClause(own: readonly Word[], after: Word | undefined): boolean {
  const clauses = own.filter(({ role }) => role === 'clause').map(({ node }) => wordOf(node));
  if (clauses.length === 0 || own.at(-1)?.role === 'clause' || after === undefined) return true;
  return after.role === 'clause' && (!clauses.some(isSetWord) || isSetWord(wordOf(after.node)));
}

/** Whether a word is in an expression, between commas and clauses, that has a `? :`. */
type IsInChoice = (word: number) => boolean;

function choicesIn(words: readonly Word[]): IsInChoice {
  let expression = 0;
  const expressions = words.map(({ role }) =>
    role === 'comma' || role === 'clause' ? (expression += 1) : expression,
  );
  const withChoice = new Set(expressions.filter((_, word) => isSymbol(words[word]?.node, '?')));
  return (word) => withChoice.has(expressions[word] ?? 0);
}

/** The columns of the result that optional parts add. */
export interface PartColumns {
  readonly byPart: ReadonlyMap<PartNode, readonly string[]>;
  readonly problems: readonly SelectProblem[];
}

/** Reads the names of the columns in the parts of the outermost SELECT list. The first query of a UNION names the columns. */
export function readPartColumns({ words, parts }: Frame): PartColumns {
  const byPart = new Map<PartNode, readonly string[]>();
  const problems: SelectProblem[] = [];
  const select = words.findIndex(({ node, role }) => role === 'clause' && wordOf(node) === 'SELECT');
  const length = words.slice(select + 1).findIndex(({ role }) => role === 'clause');
  const listEnd = length === -1 ? words.length : select + 1 + length;
  for (const { node, start, end } of parts) {
    if (start <= select || start >= listEnd) continue;
    const items = itemsOf(words.slice(start, Math.min(end, listEnd)).filter(({ part }) => part === node));
    const isWithoutComma = items.length === 1;
    // A part within an item is not a column.
    if (isWithoutComma && !(beginsTerm(words[start - 1]) && endsItem(words[end], undefined))) continue;
    const hasComma = items.at(0)?.length === 0 || items.at(-1)?.length === 0;
    if (!hasComma) problems.push({ start: node.start, end: node.end, ...problem('PART_WITHOUT_COMMA') });
    else byPart.set(node, namesOf(items, problems));
  }
  return { byPart, problems };
}

function itemsOf(words: readonly Word[]): readonly (readonly Node[])[] {
  const items: Node[][] = [[]];
  for (const { node, role } of words) {
    if (role === 'comma') items.push([]);
    else items.at(-1)?.push(node);
  }
  return items;
}

function namesOf(items: readonly (readonly Node[])[], problems: SelectProblem[]): readonly string[] {
  return items.flatMap((item) => {
    const [first, last] = [item.at(0), item.at(-1)];
    if (first === undefined || last === undefined) return [];
    const name = columnName(item);
    if (name === undefined)
      problems.push({ start: first.start, end: last.end, ...problem('PART_COLUMN_UNNAMED') });
    return name ?? [];
  });
}
