import { quoteName } from '../../endpoint/quote-sql.js';
import { resolveName } from './resolve-name.js';
import { CODES, StatementProblem, type TableNames } from './statement.js';
import type { Path } from './words.js';

/** Limit on the pieces of a name that are tried: more than the name of a table and its database have. */
const MAX_PIECES = 16;

/** Marks a source that is not one of {@link TableNames}: a WITH query, a subquery, an expression. */
export const OTHER = '';

/** Collects what the names of a statement mean. Qualified names can be resolved only when all other names are known. */
export class NameUses {
  /** Names with a dot that may be columns. */
  readonly columns: Path[] = [];
  /** Names on the right side of IN. */
  readonly sets: Path[] = [];
  readonly #aliases = new Set<string>();
  readonly #tablesByName = new Map<string, Set<string>>();
  readonly #namesByTable = new Map<string, Set<string>>();
  /** Tables in the current FROM, by name. */
  #from = new Map<string, string>();

  constructor(
    readonly names: TableNames,
    readonly withQueries: ReadonlyMap<string, number>,
  ) {}

  /** Runs a function that reads a subquery. The FROM of a subquery is separate from the FROM around it. */
  inQuery(read: () => void): void {
    const outer = this.#from;
    read();
    this.#from = outer;
  }

  beginFrom(): void {
    this.#from = new Map();
  }

  noteAlias(name: string): void {
    this.#aliases.add(name);
  }

  /** Notes that a name before a dot can mean this table. */
  noteSource(name: string, table: string): void {
    addTo(this.#tablesByName, name, table);
    addTo(this.#namesByTable, table, name);
  }

  /** Notes a name in FROM. A table with an alias keeps both names: ClickHouse would take `b.x` of `b AS a JOIN c AS b` from `b AS a`. */
  noteInFrom(name: string, table: string): void {
    if ((this.#from.get(name) ?? table) !== table) throw ambiguous(name);
    this.#from.set(name, table);
  }

  /** Table that a name on the right side of IN means. Undefined where the name means a column or an alias of the statement. */
  tableOfSet({ pieces }: Path): string | undefined {
    const [first = '', ...more] = pieces;
    const isQualified = more.length > 0;
    if (this.#aliases.has(first) || this.withQueries.has(first)) return undefined;
    if (isQualified && (this.#tablesByName.has(first) || !this.names.isDatabase(first))) return undefined;
    const { table } = resolveName(pieces, this.names);
    // A column of this name would take precedence, and the columns are not known here.
    if (table !== undefined && !isQualified)
      throw new StatementProblem(
        CODES.NOT_IMPLEMENTED,
        `Right of IN, ${first} can be a table or a column. Write ${table} for the table.`,
      );
    return table;
  }

  /** Number of leading pieces that name a column's table, and the text that replaces them. Undefined where they stay unchanged. */
  tableOfColumn({ pieces, hasStar }: Path): { readonly length: number; readonly text: string } | undefined {
    const [first = ''] = pieces;
    const longest = Math.min(hasStar ? pieces.length : pieces.length - 1, MAX_PIECES);
    const shortest = this.#tablesByName.has(first) ? 2 : 1;
    for (let length = this.#aliases.has(first) ? 0 : longest; length >= shortest; length -= 1) {
      const source = this.#nameOfTable(pieces.slice(0, length));
      if (source === undefined) continue;
      if (source !== '' && this.#tablesByName.get(source)?.size === 1)
        return { length, text: quoteName(source) };
      throw ambiguous(pieces.join('.'));
    }
    return undefined;
  }

  /** Name by which the statement reads a table: its own name or its only alias. Empty if it has several; undefined if it is not read. */
  #nameOfTable(pieces: readonly string[]): string | undefined {
    const { name, table } = resolveName(pieces, this.names);
    const sources = table === undefined ? undefined : this.#namesByTable.get(table);
    if (sources === undefined || sources.has(name)) return sources && name;
    return sources.size === 1 ? [...sources][0] : '';
  }
}

function addTo(map: Map<string, Set<string>>, key: string, value: string): void {
  map.set(key, (map.get(key) ?? new Set()).add(value));
}

const ambiguous = (name: string): StatementProblem =>
  new StatementProblem(
    CODES.AMBIGUOUS_IDENTIFIER,
    `${name} can mean several tables. Give each an alias of its own, and write that in front of its columns.`,
  );
