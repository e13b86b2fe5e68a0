import {
  isClauseWord,
  isJoinWord,
  isQuery,
  isSetWord,
  type Frame,
  type PartRange,
  type Word,
} from './frame.js';
import { isName, nameOf } from './names.js';
import { isSymbol, wordOf, type GroupNode, type Node } from './nodes.js';
import { isSeparate } from './part-rules.js';
import type { Comparison, WithQuery } from './select.js';

/**
 * What a WITH query reads, subqueries included, where that is certain: every doubt counts against it, see decision 32.
 *
 * @param renames whether the WITH list gives the query's columns other names.
 */
export function readsOf(frame: Frame, renames: boolean): Pick<WithQuery, 'tables' | 'comparisons'> {
  const reads = new Reads();
  reads.addFrame(frame);
  const { tables, selects, isCertain } = reads;
  if (!isCertain) return { tables: undefined, comparisons: undefined };
  // A query with a WITH list of its own can give its names another meaning.
  const isSelect = wordOf(frame.words[0]?.node) === 'SELECT';
  const isOfOneTable = isSelect && selects === 1 && tables.length === 1 && !renames;
  return { tables, comparisons: isOfOneTable ? comparisonsOf(frame) : undefined };
}

/** Functions that read a table, a dictionary or a file which their arguments name, `in(x, table)` among them. */
const READING_FUNCTION = /^(?:(?:global)?(?:not)?(?:null)?in(?:ignoreset)?|dict\w*|joinget\w*|file)$/i;

const CONDITIONS = new Set(['ON', 'USING']);

/** Collects the tables that a query names. */
class Reads {
  readonly tables: string[] = [];
  /** How many SELECTs it consists of. */
  selects = 0;
  /** Whether nothing else can be read: by a table function, ARRAY JOIN or `{name:Identifier}`, for example. */
  isCertain = true;

  addFrame({ words, parts }: Frame): void {
    const selects = words.filter(({ node }) => wordOf(node) === 'SELECT').length;
    this.selects += selects;
    if (!parts.every((part) => isHarmless(part, words))) this.isCertain = false;
    for (const [at, word] of words.entries()) {
      const { node, role } = word;
      if (isDoubtful(word, words[at - 1], words[at + 1], selects > 0)) this.isCertain = false;
      if (wordOf(node) === 'FROM' && role === 'clause' && selects > 0) this.#addFrom(words, at + 1);
      if (wordOf(node) === 'IN' && role === 'operator') this.#addIn(words[at + 1]?.node);
    }
    for (const { inner } of words) if (inner) this.addFrame(inner);
  }

  /** `table [AS alias] [FINAL]`, joined by commas and JOINs whose conditions are passed over. */
  #addFrom(words: readonly Word[], start: number): void {
    let at = start;
    do {
      at = endOfAlias(words, this.#addTable(words, at));
      if (CONDITIONS.has(wordAt(words, at))) at = endOfCondition(words, at + 1);
      while (isJoinWord(wordAt(words, at)) && !['JOIN', 'ARRAY'].includes(wordAt(words, at))) at += 1;
      at += 1;
    } while (words[at - 1]?.role === 'comma' || wordAt(words, at - 1) === 'JOIN');
    this.#endFrom(words, at - 1);
  }

  #endFrom(words: readonly Word[], at: number): void {
    const [end, next] = [words[at], words[at + 1]];
    if (end === undefined) return;
    // As the alias of a table, the word would not end the tables.
    const isAlias =
      next?.role === 'comma' || (isJoinWord(wordAt(words, at + 1)) && !isSetWord(wordOf(end.node)));
    if (end.role !== 'clause' || !isClauseWord(wordOf(end.node)) || isAlias) this.isCertain = false;
  }

  /** Returns where the table ends. */
  #addTable(words: readonly Word[], start: number): number {
    const node = words[start]?.node;
    // Its tables are those of a nested query.
    if (isGroup(node) && isQuery(node.nodes)) return start + 1;
    let end = start + 1;
    while (isSymbol(words[end]?.node, '.')) end += 2;
    const path = words.slice(start, end).map((word) => word.node);
    if (isPath(path) && !isGroup(words[end]?.node)) this.tables.push(pathName(path));
    else this.isCertain = false;
    return end;
  }

  /** `x IN table`, in parentheses too. */
  #addIn(right: Node | undefined): void {
    let inner = right;
    while (isGroup(inner) && inner.nodes.length === 1 && isGroup(inner.nodes[0])) inner = inner.nodes[0];
    // The tables of a query are found where it stands.
    if (inner?.kind === 'parameter' || (isGroup(inner) && isQuery(inner.nodes))) return;
    if (inner?.kind !== 'group' || inner.nodes.some(({ kind }) => kind === 'part')) this.isCertain = false;
    else if (isPath(inner.nodes)) this.tables.push(pathName(inner.nodes));
  }
}

/** Whether a part changes neither which tables are read outside of it nor which terms filter them. */
function isHarmless(part: PartRange, words: readonly Word[]): boolean {
  // Before its AND, a table with ON would make the tables after it a condition.
  const hasCondition = words.slice(part.start, part.end).some(({ node }) => CONDITIONS.has(wordOf(node)));
  const isTrailing = words[part.end - 1]?.role !== 'operand';
  return isSeparate(part, words) && !(hasCondition && isTrailing) && words[part.end - 1]?.role !== 'clause';
}

/** Whether a word could read something that no table is named for, or be a SELECT or FROM that is not understood. */
function isDoubtful(
  { node, role }: Word,
  before: Word | undefined,
  after: Word | undefined,
  isOfQuery: boolean,
): boolean {
  if (node.kind === 'parameter') return node.type === 'Identifier';
  const word = wordOf(node);
  const previous = before?.role;
  if (word === 'SELECT') return role !== 'clause' || previous === 'operator' || previous === 'connective';
  if (word === 'FROM') return isOfQuery ? role !== 'clause' : previous === undefined;
  const isCall = word === 'IN' || isGroup(after?.node);
  return READING_FUNCTION.test(word) && role !== 'operator' && isCall;
}

const wordAt = (words: readonly Word[], at: number): string => wordOf(words[at]?.node);

function endOfAlias(words: readonly Word[], start: number): number {
  let at = start;
  if (wordAt(words, at) === 'AS') at += 2;
  else if (words[at]?.role === 'operand' && wordAt(words, at) !== 'FINAL' && isName(words[at]?.node)) at += 1;
  return wordAt(words, at) === 'FINAL' ? at + 1 : at;
}

function endOfCondition(words: readonly Word[], start: number): number {
  const length = words
    .slice(start)
    .findIndex(({ node, role }) => role === 'comma' || role === 'clause' || wordOf(node) === 'JOIN');
  return length === -1 ? words.length : start + length;
}

function isGroup(node: Node | undefined): node is GroupNode {
  return node?.kind === 'group' && node.open === '(';
}

function isPath(nodes: readonly (Node | undefined)[]): nodes is readonly Node[] {
  return (
    nodes.length % 2 === 1 &&
    nodes.every((node, index) => (index % 2 === 0 ? isName(node) : isSymbol(node, '.')))
  );
}

const pathName = (path: readonly Node[]): string =>
  path
    .filter((_, index) => index % 2 === 0)
    .map(nameOf)
    .join('.');

/**
 * The terms `column = @parameter` of the top-level AND of a query's WHERE and PREWHERE, where no alias can redefine the column:
 * ClickHouse takes an alias of SELECT for the column in WHERE.
 */
function comparisonsOf(frame: Frame): readonly Comparison[] {
  return ['PREWHERE', 'WHERE']
    .flatMap((clause) => termsOf(frame, clause))
    .flatMap((term) => comparisonIn(term) ?? [])
    .filter(({ column }) => !couldNameAnother(frame, column));
}

/** The terms of a clause; none where AND is not the operation that joins them. */
function termsOf({ words }: Frame, clause: string): readonly (readonly Word[])[] {
  const start = words.findIndex(({ node, role }) => role === 'clause' && wordOf(node) === clause);
  if (start === -1) return [];
  const length = words.slice(start + 1).findIndex(({ role }) => role === 'clause');
  const own = words.slice(start + 1, length === -1 ? words.length : start + 1 + length);
  if (own.some(isNoConjunction)) return [];
  const terms: Word[][] = [[]];
  for (const word of own) {
    if (word.role === 'connective') terms.push([]);
    else terms.at(-1)?.push(word);
  }
  return terms;
}

/** What joins or encloses terms in another way. An AND that belongs to BETWEEN is certain only where BETWEEN is an operator. */
function isNoConjunction({ node, role }: Word): boolean {
  const word = wordOf(node);
  return (
    isSymbol(node, '?') ||
    isSymbol(node, '->') ||
    word === 'OR' ||
    word === 'CASE' ||
    (word === 'BETWEEN' && role !== 'operator')
  );
}

/** A term of an optional part is none of each query. */
function comparisonIn(term: readonly Word[]): Comparison | undefined {
  const [left, equals, right] = term.map(({ node }) => node);
  if (term.length !== 3 || term.some(({ part }) => part !== undefined)) return undefined;
  if (!isSymbol(equals, '=') && !isSymbol(equals, '==')) return undefined;
  return comparison(left, right) ?? comparison(right, left);
}

function comparison(column: Node | undefined, parameter: Node | undefined): Comparison | undefined {
  if (column === undefined || !isName(column) || parameter?.kind !== 'parameter') return undefined;
  return { column: nameOf(column), parameter: parameter.name };
}

/** Words after which a name is read, not given. */
const BEFORE_COLUMN: ReadonlySet<string> = new Set(
  'SELECT DISTINCT WHERE PREWHERE HAVING AND OR NOT BY WHEN THEN ELSE LIKE ILIKE IN BETWEEN'.split(' '),
);

/** Whether a name can stand somewhere in a query as an alias, with AS or without, or in any other way that is not understood. */
function couldNameAnother({ words }: Frame, column: string): boolean {
  return words.some(({ node, inner }, at) => {
    if (inner) return couldNameAnother(inner, column);
    if (!isName(node) || nameOf(node).toLowerCase() !== column.toLowerCase()) return false;
    const previous = words[at - 1]?.node;
    if (previous === undefined || BEFORE_COLUMN.has(wordOf(previous))) return false;
    return previous.kind !== 'token' || previous.type !== 'symbol' || previous.text === '*';
  });
}
