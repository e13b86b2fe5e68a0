import { quoteName, quoteText } from '../../endpoint/quote-sql.js';
import { isJoinWord, isQuery, type Frame, type Word } from '../../endpoint/sql-file/select/frame.js';
import { isName, nameOf } from '../../endpoint/sql-file/select/names.js';
import { isSymbol, wordOf } from '../../endpoint/sql-file/select/nodes.js';
import type { Place } from '../../endpoint/sql-file/select/select.js';
import { constantOf, type ClientNames } from './constant-calls.js';
import { CODES } from './error-codes.js';
import { resolveName, unknownTable } from './resolve-name.js';
import { StatementProblem, type TableNames, type TableRead } from './statement.js';
import { parameterOf, readArguments, readNumbers } from './table-arguments.js';
import {
  aliasAt,
  isGroup,
  nameOfWithQuery,
  namesOfWithQueries,
  pathAt,
  placesOfWithLists,
  type Path,
} from './words.js';

/** The internal name of a table, by its index among the reads; -1 for one of none. */
export type InternalName = (read: number) => string;

/** The WITH query in whose place those of the tables are to be written. */
export const slotOf = (internal: InternalName): string => `${internal(-1)} AS (SELECT 1)`;

/** A text that replaces what stands at a place. */
export interface Edit extends Place {
  readonly write: (internal: InternalName) => string;
}

/** What a SELECT reads, and how it is rewritten. */
export interface FoundTables {
  readonly reads: readonly Omit<TableRead, 'internal'>[];
  readonly edits: readonly Edit[];
  readonly parameters: ReadonlySet<string>;
  readonly hasMatcher: boolean;
}

/** What is known of a SELECT beside its words. */
export interface SelectContext extends ClientNames {
  /** Whether a WITH query may read itself. */
  readonly isRecursive: boolean;
}

/**
 * Finds the tables of a SELECT. What it does not see stays as it is written, where ClickHouse's tree shows it as a table that cannot be
 * read.
 *
 * @throws StatementProblem for a table that there is not, and for what cannot be rewritten
 */
export function findTables(frame: Frame, names: TableNames, select: SelectContext): FoundTables {
  const finder = new TableFinder(names, select, namesOfWithQueries(frame));
  finder.walk(frame.words, 'query', []);
  finder.finish(frame);
  return finder;
}

/** What words are: a query, a list of joined tables, an expression, or the arguments of `position('a' IN b)`. */
type Context = 'query' | 'joins' | 'expression' | 'position';
/** Whether a comma is followed by a table, and a JOIN by one. */
type Section = 'expressions' | 'tables' | 'list-in-tables';

class TableFinder implements FoundTables {
  readonly reads: Omit<TableRead, 'internal'>[] = [];
  readonly edits: Edit[] = [];
  readonly parameters = new Set<string>();
  hasMatcher = false;
  readonly #indexes = new Map<string, number>();
  /** Qualified columns, and tables right of IN, which can be read when all tables are known. */
  readonly #columns: Path[] = [];
  readonly #sets: Path[] = [];
  /** What a name before a dot can mean: tables, or `other`. */
  readonly #sources = new Map<string, Set<string>>();
  readonly #namesByTable = new Map<string, Set<string>>();
  readonly #aliases = new Set<string>();
  /** The names of the FROM that is being read: ClickHouse knows a table with an alias by both of its names. */
  #from = new Map<string, string>();

  constructor(
    readonly names: TableNames,
    readonly select: SelectContext,
    readonly withNames: readonly string[],
  ) {}

  /** @param bodies the names of the WITH queries in whose brackets the words are */
  walk(words: readonly Word[], context: Context, bodies: readonly string[]): void {
    const outer = this.#from;
    let section: Section = context === 'joins' ? 'tables' : 'expressions';
    let at = context === 'joins' ? this.#readTable(words, 0, bodies) : 0;
    while (at < words.length) {
      const step = stepAt(words, at, section, context);
      section = step.section;
      if (step.isTableNext && wordOf(words[at]?.node) === 'FROM') this.#from = new Map();
      at = step.isTableNext
        ? this.#readTable(words, at + 1, bodies)
        : this.#readWord(words, at, context, bodies);
    }
    if (context !== 'joins') this.#from = outer;
  }

  finish({ words }: Frame): void {
    for (const set of this.#sets) this.#rewriteSet(set);
    for (const column of this.#columns) this.#rewriteColumn(column);
    for (const { node } of this.reads.length === 0 ? [] : placesOfWithLists(words)) {
      const word = wordOf(node);
      const isList = word === 'WITH' || word === 'RECURSIVE';
      const write: Edit['write'] = (internal) =>
        isList ? `${word} ${slotOf(internal)},` : `WITH ${slotOf(internal)} ${word}`;
      this.edits.push({ start: node.start, end: node.end, write });
    }
  }

  /** Reads one word that is no table, or a name. @returns the index after it */
  #readWord(words: readonly Word[], at: number, context: Context, bodies: readonly string[]): number {
    const { node, role, inner } = words[at]!;
    const word = wordOf(node);
    if (inner) this.#readGroup(words, at, bodies);
    else if (role === 'clause') this.#checkClause(word);
    else if (node.kind === 'token' && node.text === '*' && role === 'operand') this.hasMatcher = true;
    else if (word === 'IN' && role === 'operator' && context !== 'position')
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

  #readGroup(words: readonly Word[], at: number, bodies: readonly string[]): void {
    const { node, inner } = words[at]!;
    const parameter = parameterOf(node);
    if (parameter !== undefined) this.parameters.add(parameter);
    else if (inner && node.kind === 'group' && isQuery(node.nodes)) {
      const name = nameOfWithQuery(words, at);
      const isOwn = name !== undefined && !this.select.isRecursive;
      this.walk(inner.words, 'query', isOwn ? [...bodies, name] : bodies);
    } else if (inner) {
      const isPosition = wordOf(words[at - 1]?.node) === 'POSITION';
      const isLambda = isSymbol(words[at + 1]?.node, '->');
      for (const word of isLambda ? inner.words : []) addTo(this.#sources, nameOf(word.node), 'other');
      this.walk(inner.words, isPosition ? 'position' : 'expression', bodies);
    }
  }

  #readName(words: readonly Word[], at: number, context: Context): number {
    const path = pathAt(words, at);
    if (!path) return at + 1;
    const [name = '', ...more] = path.pieces;
    const next = words[path.next];
    if (more.length === 0 && !path.hasStar) this.#noteOwnName(words, at, name, next);
    if (isGroup(next?.node, '(')) {
      if (path.pieces.at(-1)?.toUpperCase() === 'COLUMNS') this.hasMatcher = true;
      const constant = more.length === 0 && next?.inner?.words.length === 0 && constantOf(name, this.select);
      if (typeof constant === 'string') {
        const isItem = context === 'query' && beginsItem(words[at - 1]) && endsItem(words[path.next + 1]);
        const alias = isItem ? ` AS ${quoteName(`${name}()`)}` : '';
        this.#edit(words, at, path.next + 1, () => quoteText(constant) + alias);
        return path.next + 1;
      }
    }
    if (more.length > 0 || path.hasStar) this.#columns.push(path);
    return path.next;
  }

  /** Notes a name that the statement gives to an expression, or to an argument of a lambda. */
  #noteOwnName(words: readonly Word[], at: number, name: string, next: Word | undefined): void {
    const named = words[wordOf(words[at - 1]?.node) === 'AS' ? at - 2 : at - 1];
    const isAlias = named?.role === 'operand';
    if (isAlias) this.#aliases.add(name);
    // A column can have the name of its table.
    if (isSymbol(next?.node, '->') || (isAlias && (!isName(named.node) || wordOf(named.node) === 'END')))
      addTo(this.#sources, name, 'other');
  }

  /** Reads a table, its arguments and its alias. @returns the index after them */
  #readTable(words: readonly Word[], at: number, bodies: readonly string[]): number {
    const { node, inner } = words[at] ?? {};
    if (inner && isGroup(node, '(')) {
      if (isQuery(node.nodes) || wordOf(node.nodes[0]) === 'VALUES') this.#readGroup(words, at, bodies);
      else this.walk(inner.words, 'joins', bodies);
      return this.#endTable(words, at + 1, undefined, 'other');
    }
    const path = pathAt(words, at);
    if (!path)
      throw new StatementProblem(
        CODES.SYNTAX_ERROR,
        'After FROM, JOIN or a comma between them a table is expected: a name, or a SELECT in brackets.',
      );
    const [name = '', ...more] = path.pieces;
    const group = words[path.next];
    const args = isGroup(group?.node, '(') ? group.node : undefined;
    if (args && more.length === 0 && name.toUpperCase() === 'VALUES') {
      this.#readGroup(words, path.next, bodies);
      return this.#endTable(words, path.next + 1, undefined, 'other');
    }
    if (!args && more.length === 0 && this.#isWithQuery(name, bodies))
      return this.#endTable(words, path.next, name, 'other');
    const isNumbers = args && more.length === 0 && name === 'numbers';
    const resolved = resolveName(path.pieces, this.names);
    const table = resolved.table ?? (isNumbers ? 'system.numbers' : undefined);
    if (table === undefined) throw this.#unknown(path, args && !args.nodes.some((one) => isSymbol(one, '=')));
    const read = this.#read(table, resolved.table ? args && readArguments(args) : args && readNumbers(args));
    const end = args ? path.next + 1 : path.next;
    const own = aliasAt(words, end) ? '' : ` AS ${quoteName(resolved.name)}`;
    this.#edit(words, at, end, (internal) => internal(read) + own);
    return this.#endTable(words, end, resolved.name, table);
  }

  #unknown({ pieces }: Path, isFunction = false): StatementProblem {
    if (!isFunction) return unknownTable(pieces, this.names);
    return new StatementProblem(
      CODES.ACCESS_DENIED,
      `The table function ${pieces.join('.')} is not allowed. Tables of endpoints, with arguments as name = value, numbers and values are.`,
    );
  }

  /** Whether a name is that of a WITH query, and not, as in the brackets of its own, that of a table. */
  #isWithQuery(name: string, bodies: readonly string[]): boolean {
    const definitions = this.withNames.filter((other) => other === name).length;
    return definitions > 1 || (definitions === 1 && !bodies.includes(name));
  }

  #endTable(words: readonly Word[], at: number, name: string | undefined, table: string): number {
    const alias = aliasAt(words, at);
    const source = alias?.name ?? name;
    if (alias) this.#aliases.add(alias.name);
    if (source !== undefined) {
      addTo(this.#sources, source, table);
      addTo(this.#namesByTable, table, source);
    }
    for (const own of [source, name]) {
      if (own === undefined) continue;
      if ((this.#from.get(own) ?? table) !== table) throw ambiguous(own);
      this.#from.set(own, table);
    }
    const next = alias?.next ?? at;
    const modifier = wordOf(words[next]?.node);
    if (/^(?:FINAL|SAMPLE|STREAM|UUID)$/.test(modifier))
      throw new StatementProblem(
        CODES.NOT_IMPLEMENTED,
        `${modifier} after a table is not supported. Remove it.`,
      );
    return next;
  }

  #read(table: string, args: TableRead['args'] = new Map()): number {
    const key = JSON.stringify([table, ...[...args].sort(([a], [b]) => (a < b ? -1 : 1))]);
    const known = this.#indexes.get(key);
    if (known !== undefined) return known;
    this.#indexes.set(key, this.reads.length);
    return this.reads.push({ table, args }) - 1;
  }

  #edit(words: readonly Word[], from: number, to: number, write: Edit['write']): void {
    const [first, last] = [words[from]?.node, words[to - 1]?.node];
    if (first && last) this.edits.push({ start: first.start, end: last.end, write });
  }

  /** Reads the right side of IN, where it is a name. @returns the index after it, or that of what is no name */
  #readSet(words: readonly Word[], at: number): number {
    const inner = isGroup(words[at]?.node, '(') ? (words[at]?.inner?.words ?? []) : [];
    if (inner.length === 1 || pathAt(inner, 0)?.next === inner.length)
      return this.#readSet(inner, 0) === inner.length ? at + 1 : at;
    const path = pathAt(words, at);
    if (!path || words[path.next]?.inner) return at;
    this.#sets.push(path);
    return path.next;
  }

  #rewriteSet(path: Path): void {
    const [first = '', ...more] = path.pieces;
    const isQualified = more.length > 0;
    const isOwn =
      this.#aliases.has(first) || this.withNames.includes(first) || (isQualified && this.#sources.has(first));
    const { database, table } = resolveName(path.pieces, this.names);
    if (isOwn || table === undefined || (isQualified && database === undefined)) {
      if (isQualified) this.#columns.push(path);
      return;
    }
    const written = path.pieces.join('.');
    // A column of this name would come first, and columns are not known here.
    if (database === undefined)
      throw new StatementProblem(
        CODES.NOT_IMPLEMENTED,
        `Right of IN, ${written} can be a table or a column. Write ${table} for the table.`,
      );
    const read = this.#read(table);
    this.hasMatcher = true;
    const places = { start: path.places[0]?.start ?? 0, end: path.places.at(-1)?.end ?? 0 };
    this.edits.push({ ...places, write: (internal) => `(${internal(read)} AS ${quoteName(written)})` });
  }

  /** Writes the name that a table has in the text in front of a column, without a database. */
  #rewriteColumn({ pieces, places, hasStar }: Path): void {
    const [first = ''] = pieces;
    if (this.#aliases.has(first)) return;
    for (let length = hasStar ? pieces.length : pieces.length - 1; length > 0; length -= 1) {
      const { name, table } = resolveName(pieces.slice(0, length), this.names);
      const used = table === undefined ? undefined : this.#namesByTable.get(table);
      if (table === undefined || !used || (length === 1 && this.#sources.has(first))) continue;
      const source = used.has(name) ? name : [...used][0];
      if (
        source === undefined ||
        (used.size > 1 && source !== name) ||
        (this.#sources.get(source)?.size ?? 0) > 1
      )
        throw ambiguous(pieces.join('.'));
      const place = { start: places[0]?.start ?? 0, end: places[length - 1]?.end ?? 0 };
      this.edits.push({ ...place, write: () => quoteName(source) });
      return;
    }
  }
}

const ambiguous = (name: string): StatementProblem =>
  new StatementProblem(
    CODES.AMBIGUOUS_IDENTIFIER,
    `${name} can mean several tables. Give each an alias of its own, and write that in front of its columns.`,
  );

function addTo(map: Map<string, Set<string>>, key: string, value: string): void {
  map.set(key, (map.get(key) ?? new Set()).add(value));
}

interface Step {
  readonly section: Section;
  readonly isTableNext: boolean;
}

/** What a word means for the words after it. */
function stepAt(words: readonly Word[], at: number, section: Section, context: Context): Step {
  const { node, role } = words[at]!;
  const word = wordOf(node);
  if (role === 'comma') return { section, isTableNext: section === 'tables' };
  const isUsing = role === 'operator' && word === 'USING' && section === 'tables';
  // Without brackets its list has the commas that follow.
  if (isUsing && !words[at + 1]?.inner) return { section: 'list-in-tables', isTableNext: false };
  if (role !== 'clause') return { section, isTableNext: false };
  if (word === 'JOIN' && section !== 'expressions') {
    const isArray = wordOf(words[at - 1]?.node) === 'ARRAY';
    return { section: isArray ? 'list-in-tables' : 'tables', isTableNext: !isArray };
  }
  if (isJoinWord(word)) return { section, isTableNext: false };
  if (word !== 'FROM') return { section: 'expressions', isTableNext: false };
  const isOfFill = wordOf(words[at - 1]?.node) === 'FILL' && wordOf(words[at - 2]?.node) === 'WITH';
  const isTable = context === 'query' && !isOfFill;
  return { section: isTable ? 'tables' : section, isTableNext: isTable };
}

const beginsItem = (before: Word | undefined): boolean =>
  before?.role === 'comma' || ['SELECT', 'DISTINCT'].includes(wordOf(before?.node));

const endsItem = (after: Word | undefined): boolean =>
  after === undefined || after.role === 'comma' || after.role === 'clause';
