import { quoteName, quoteText } from '../../endpoint/quote-sql.js';
import { isQuery, type Frame, type Word } from '../../endpoint/sql-file/select/frame.js';
import { isName, nameOf } from '../../endpoint/sql-file/select/names.js';
import { isSymbol, wordOf, type GroupNode } from '../../endpoint/sql-file/select/nodes.js';
import type { Place } from '../../endpoint/sql-file/select/select.js';
import { constantOf, type ClientNames } from './constant-calls.js';
import { NameUses, OTHER } from './name-uses.js';
import { stepAt, type Context, type Section } from './sections.js';
import { resolveName, unknownTable } from './resolve-name.js';
import { CODES, StatementProblem, type TableNames, type TableRead } from './statement.js';
import { parameterOf, readArguments, readNumbers } from './table-arguments.js';
import {
  aliasAt,
  bracketsAt,
  keywordAt,
  nameOfWithQuery,
  countWithQueries,
  pathAt,
  placesOfWithLists,
  type Path,
} from './words.js';

/** Internal name of a table, by its index among the reads. Index -1 gives a name that no table has. */
export type InternalName = (read: number) => string;

/** Placeholder WITH query that the WITH queries of the tables replace. */
export const slotOf = (internal: InternalName): string => `${internal(-1)} AS (SELECT 1)`;

/** A replacement for the text at a place. */
export interface Edit extends Place {
  readonly write: (internal: InternalName) => string;
}

/** Tables that a SELECT reads, and the edits that rewrite it. */
export interface FoundTables {
  readonly reads: readonly Omit<TableRead, 'internal'>[];
  readonly edits: readonly Edit[];
  readonly parameters: ReadonlySet<string>;
  readonly hasMatcher: boolean;
}

/** Facts about a SELECT that its words alone do not show. */
export interface SelectContext extends ClientNames {
  /** Whether a WITH query may read itself. */
  readonly isRecursive: boolean;
}

/**
 * Finds the tables of a SELECT. A table that this function misses keeps its name, and the check of ClickHouse's tree then rejects it.
 *
 * @throws StatementProblem for an unknown table, and for syntax that cannot be rewritten
 */
export function findTables(frame: Frame, names: TableNames, select: SelectContext): FoundTables {
  const finder = new TableFinder(names, select, countWithQueries(frame));
  finder.walk(frame.words, 'query', []);
  finder.finish(frame);
  return finder;
}

class TableFinder implements FoundTables {
  readonly reads: Omit<TableRead, 'internal'>[] = [];
  readonly edits: Edit[] = [];
  readonly parameters = new Set<string>();
  hasMatcher = false;
  readonly #indexes = new Map<string, number>();
  readonly #uses: NameUses;

  constructor(
    readonly names: TableNames,
    readonly select: SelectContext,
    readonly withQueries: ReadonlyMap<string, number>,
  ) {
    this.#uses = new NameUses(names, withQueries);
  }

  /** @param bodies names of the WITH queries whose brackets contain the words */
  walk(words: readonly Word[], context: Context, bodies: readonly string[]): void {
    let section: Section = context === 'joins' ? 'tables' : 'expressions';
    let at = context === 'joins' ? this.#readTable(words, 0, bodies) : 0;
    for (let word = words[at]; word; word = words[at]) {
      const step = stepAt(words, at, word, section, context);
      section = step.section;
      if (step.isTableNext && wordOf(word.node) === 'FROM') this.#uses.beginFrom();
      if (step.isTableNext) at = this.#readTable(words, at + 1, bodies);
      else at = this.#readWord(words, at, word, context, bodies);
    }
  }

  finish({ words }: Frame): void {
    for (const set of this.#uses.sets) {
      const table = this.#uses.tableOfSet(set);
      const alias = quoteName(set.pieces.join('.'));
      if (table === undefined) this.#uses.columns.push(set);
      else
        this.#edit(
          set.places,
          (
            (read) => (internal) =>
              `(${internal(read)} AS ${alias})`
          )(this.#read(table)),
        );
      this.hasMatcher ||= table !== undefined;
    }
    for (const column of this.#uses.columns) {
      const table = this.#uses.tableOfColumn(column);
      if (table) this.#edit(column.places.slice(0, table.length), () => table.text);
    }
    for (const { node } of this.reads.length === 0 ? [] : placesOfWithLists(words)) {
      const [word, isList] = [wordOf(node), /^(?:WITH|RECURSIVE)$/.test(wordOf(node))];
      this.#edit([node], (name) => (isList ? `${word} ${slotOf(name)},` : `WITH ${slotOf(name)} ${word}`));
    }
  }

  /** Reads one word that does not name a table, or a name of several words. @returns the index after it */
  #readWord(
    words: readonly Word[],
    at: number,
    { node, role }: Word,
    context: Context,
    bodies: readonly string[],
  ): number {
    if (node.kind === 'group') this.#readGroup(words, at, node, bodies);
    else if (role === 'clause') this.#checkClause(wordOf(node));
    else if (isSymbol(node, '*') && role === 'operand') this.hasMatcher = true;
    else if (role === 'operator' && wordOf(node) === 'IN' && context !== 'position')
      return this.#readSet(words, at + 1);
    else if (role === 'operand' && !isSymbol(words[at - 1]?.node, '.'))
      return this.#readName(words, at, context);
    return at + 1;
  }

  #checkClause(word: string): void {
    if (word === 'NATURAL') this.hasMatcher = true;
    if (word === 'INTO')
      throw new StatementProblem(
        CODES.ACCESS_DENIED,
        'INTO OUTFILE is not allowed: the result is the response.',
      );
    if (word === 'PARALLEL')
      throw new StatementProblem(CODES.NOT_IMPLEMENTED, 'PARALLEL WITH is not supported: send one query.');
  }

  #readGroup(words: readonly Word[], at: number, node: GroupNode, bodies: readonly string[]): void {
    const inner = words[at]?.inner?.words ?? [];
    const parameter = parameterOf(node);
    if (parameter !== undefined) this.parameters.add(parameter);
    else if (isQuery(node.nodes)) {
      const name = this.select.isRecursive ? undefined : nameOfWithQuery(words, at);
      this.#uses.inQuery(() => {
        this.walk(inner, 'query', name === undefined ? bodies : [...bodies, name]);
      });
    } else {
      const isLambda = isSymbol(words[at + 1]?.node, '->');
      for (const word of isLambda ? inner : []) this.#uses.noteSource(nameOf(word.node), OTHER);
      this.walk(inner, keywordAt(words, at - 1) === 'POSITION' ? 'position' : 'expression', bodies);
    }
  }

  #readName(words: readonly Word[], at: number, context: Context): number {
    const path = pathAt(words, at);
    if (!path) return at + 1;
    const brackets = bracketsAt(words, path.next);
    if (brackets && path.pieces.at(-1)?.toUpperCase() === 'COLUMNS') this.hasMatcher = true;
    if (path.pieces.length > 1 || path.hasStar) this.#uses.columns.push(path);
    else if (brackets?.nodes.length === 0) return this.#readCall(words, at, path, context);
    else this.#readOwnName(words, at, path);
    return path.next;
  }

  /** Reads a function call without arguments. */
  #readCall(
    words: readonly Word[],
    at: number,
    { pieces: [name = ''], places, next }: Path,
    context: Context,
  ): number {
    const constant = constantOf(name, this.select);
    const brackets = bracketsAt(words, next);
    if (constant === undefined || !brackets) return next;
    const [before, after] = [words[at - 1], words[next + 1]];
    const beginsItem = before?.role === 'comma' || /^(?:SELECT|DISTINCT)$/.test(keywordAt(words, at - 1));
    const endsItem = !after || after.role === 'comma' || after.role === 'clause';
    const alias = context === 'query' && beginsItem && endsItem ? ` AS ${quoteName(`${name}()`)}` : '';
    this.#edit([...places, brackets], () => quoteText(constant) + alias);
    return next + 1;
  }

  /** Notes a name that the statement gives to an expression or to an argument of a lambda. */
  #readOwnName(words: readonly Word[], at: number, { pieces: [name = ''], next }: Path): void {
    const named = words[keywordAt(words, at - 1) === 'AS' ? at - 2 : at - 1];
    const isAlias = named?.role === 'operand';
    if (isAlias) this.#uses.noteAlias(name);
    // An alias after a column may equal the name of the column's table.
    const isOfColumn = isName(named?.node) && wordOf(named?.node) !== 'END';
    if (isSymbol(words[next]?.node, '->') || (isAlias && !isOfColumn)) this.#uses.noteSource(name, OTHER);
  }

  /** Reads the right side of IN if it is a name, also in brackets. @returns the index after the name, or `at` where there is none */
  #readSet(words: readonly Word[], at: number): number {
    const brackets = bracketsAt(words, at);
    const inner = (brackets && words[at]?.inner?.words) ?? [];
    if (inner.length === 1 || pathAt(inner, 0)?.next === inner.length)
      return brackets && this.#readSet(inner, 0) === inner.length ? at + 1 : at;
    const path = pathAt(words, at);
    if (!path || bracketsAt(words, path.next)) return at;
    this.#uses.sets.push(path);
    return path.next;
  }

  /** Reads a table, its arguments and its alias. @returns the index after them */
  #readTable(words: readonly Word[], at: number, bodies: readonly string[]): number {
    const group = bracketsAt(words, at);
    if (group) return this.#readTableInBrackets(words, at, group, bodies);
    const path = pathAt(words, at);
    if (!path)
      throw new StatementProblem(
        CODES.SYNTAX_ERROR,
        'After FROM, JOIN or a comma between them a table is expected: a name, or a SELECT in brackets.',
      );
    const args = bracketsAt(words, path.next);
    const end = args ? path.next + 1 : path.next;
    if (args && path.pieces.join('.').toUpperCase() === 'VALUES')
      this.#readGroup(words, path.next, args, bodies);
    else if (args || !this.#isWithQuery(path, bodies)) return this.#readRead(words, path, args, end);
    return this.#endTable(words, end, path.pieces[0], OTHER);
  }

  #readTableInBrackets(
    words: readonly Word[],
    at: number,
    group: GroupNode,
    bodies: readonly string[],
  ): number {
    if (isQuery(group.nodes) || wordOf(group.nodes[0]) === 'VALUES')
      this.#readGroup(words, at, group, bodies);
    else this.walk(words[at]?.inner?.words ?? [], 'joins', bodies);
    return this.#endTable(words, at + 1, undefined, OTHER);
  }

  #readRead(words: readonly Word[], path: Path, args: GroupNode | undefined, end: number): number {
    const { name, table: found } = resolveName(path.pieces, this.names);
    const isNumbers = args && found === undefined && path.pieces.join('.') === 'numbers';
    const table = isNumbers ? 'system.numbers' : found;
    if (table === undefined) throw unknownTable(path.pieces, this.names, args);
    const read = this.#read(table, args && (isNumbers ? readNumbers(args) : readArguments(args)));
    const own = aliasAt(words, end) ? '' : ` AS ${quoteName(name)}`;
    this.#edit([...path.places, ...(args ? [args] : [])], (internal) => internal(read) + own);
    return this.#endTable(words, end, name, table);
  }

  /** Whether a name means a WITH query. Inside the brackets of that query the same name means a table. */
  #isWithQuery({ pieces: [name = '', ...more] }: Path, bodies: readonly string[]): boolean {
    const definitions = more.length > 0 ? 0 : (this.withQueries.get(name) ?? 0);
    return definitions > 1 || (definitions === 1 && !bodies.includes(name));
  }

  #endTable(words: readonly Word[], at: number, name: string | undefined, table: string): number {
    const alias = aliasAt(words, at);
    if (alias) this.#uses.noteAlias(alias.name);
    const source = alias?.name ?? name;
    if (source !== undefined) this.#uses.noteSource(source, table);
    for (const own of [source, name]) if (own !== undefined) this.#uses.noteInFrom(own, table);
    const next = alias?.next ?? at;
    const modifier = keywordAt(words, next);
    if (/^(?:FINAL|SAMPLE|STREAM|UUID)$/.test(modifier))
      throw new StatementProblem(
        CODES.NOT_IMPLEMENTED,
        `${modifier} after a table is not supported. Remove it.`,
      );
    return next;
  }

  #read(table: string, args: TableRead['args'] = new Map()): number {
    const key = JSON.stringify([table, ...[...args].sort(([a], [b]) => (a < b ? -1 : 1))]);
    const index = this.#indexes.get(key) ?? this.reads.push({ table, args }) - 1;
    this.#indexes.set(key, index);
    return index;
  }

  /** Replaces the text from the first to the last of several places. */
  #edit(places: readonly Place[], write: Edit['write']): void {
    this.edits.push({ start: places[0]?.start ?? 0, end: places.at(-1)?.end ?? 0, write });
  }
}
