import { quoteName } from '../../endpoint/quote-sql.js';
import { factsOf, NO_TABLE, type Facts } from '../facts/facts.js';
import { VARYING_FUNCTIONS } from '../facts/query-facts.js';
import { piecesInTree, type PiecesInTree, type PiecesOfQuery } from './pieces-in-tree.js';
import { NoVersion, readQueryTrees, type QueryTrees, type ReadRows } from './query-tree.js';

/** Tables, views and columns on which the rows of a query depend. */
export interface QueryData {
  /** Tables that consist of data parts, as `database.name`; sorted. */
  readonly tables: readonly string[];
  /** The tables, and the views through which the query reads them. Sorted. */
  readonly objects: readonly string[];
  /** Columns, by table, whose default varies with time: data parts without such a column give another value at each read. */
  readonly computed: ReadonlyMap<string, readonly string[]>;
  /** Text of all definitions in ClickHouse, by which a change of an object shows. */
  readonly definitions: string;
  /** Present where the endpoint has pieces: the table of the partitions, or the reason why rows do not come partition by partition. */
  readonly pieces?: ({ readonly table: string } & PiecesOfQuery) | { readonly reason: string };
}

/** A table or a view in `system.tables`. */
interface TableRow {
  readonly full: string;
  readonly engine: string;
  readonly partitionKey: string;
  /** SELECT of a view. Empty for a table. */
  readonly query: string;
  readonly definition: string;
}

/** Hash of the definition of a table or view. `readDataVersion` computes the same. */
export const OBJECT_HASH = 'lower(hex(sipHash128(toString(uuid), create_table_query)))';

export const FULL_NAME = "database || '.' || name";

const TABLES = `SELECT ${FULL_NAME} AS full, engine, partition_key AS partitionKey, as_select AS query, ${OBJECT_HASH} AS definition
  FROM system.tables WHERE database IN {databases:Array(String)} AND full IN {objects:Array(String)}`;

const DEFAULTS = `SELECT database || '.' || table AS full, name, default_expression AS expression, default_kind AS kind
  FROM system.columns WHERE database IN {databases:Array(String)} AND full IN {objects:Array(String)}
    AND default_kind IN ('DEFAULT', 'MATERIALIZED', 'ALIAS') AND name IN {columns:Array(String)}
  ORDER BY full, name`;

/** Table engines whose rows are exactly those of the data parts on this server. */
const HAS_PARTS =
  /^(?:Replicated)?(?:Replacing|Summing|Aggregating|Collapsing|VersionedCollapsing|Coalescing|Graphite)?MergeTree$/;

/** Table functions that read no data. */
const WITHOUT_DATA: ReadonlySet<string> = new Set([
  ...['numbers', 'numbers_mt', 'zeros', 'zeros_mt', 'generate_series', 'generateSeries', 'values', 'null'],
]);

/** Maximum number of analyses of one query while its tables are being altered. */
const MAX_PASSES = 4;

/**
 * Finds what a query reads, also through views, in ClickHouse's own tree of the query.
 *
 * @throws NoVersion where the data has no version; Error where ClickHouse does not analyse the query
 */
export async function findQueryData(
  select: Explained,
  readRows: ReadRows,
  database: string,
  pieces?: WantedPieces,
): Promise<QueryData> {
  const fixed = new Set(fixedFunctions);
  let last: QueryData | undefined;
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const found = await new Analysis(readRows, database, fixed).of(select, pieces);
    // The definitions are equal before and after the second analysis, so it used these.
    if (last?.definitions === found.definitions) return found;
    last = found;
  }
  throw new NoVersion('its tables are being altered');
}

/**
 * ClickHouse's own functions that return the same for the same arguments, in their exact spelling. The cache never expires, because no
 * statement can create a function of such a name. It has no names with an aggregate suffix, such as `sumIf`: statements can create those.
 */
const fixedFunctions = new Set<string>();

const FUNCTIONS = `SELECT name, origin, name IN (SELECT name FROM (${VARYING_FUNCTIONS})) AS varies
  FROM system.functions WHERE lower(name) IN {names:Array(String)}`;

/** A function in `system.functions`. */
interface FunctionRow {
  readonly name: string;
  readonly origin: string;
  /** 1 where the function's value depends on more than its arguments. */
  readonly varies: number;
}

/** Pieces that an endpoint declares. */
export interface WantedPieces extends Omit<PiecesInTree, 'table'> {
  readonly table: string;
  /** Trees of the query, with {@link PiecesInTree.ends} set to probes. */
  readonly readTrees: () => Promise<QueryTrees>;
}

/** Whether a partition key is a function of one time column alone, such as `toYYYYMMDD(timestamp)`. */
function isOfTime(key: string, time: string): boolean {
  const [, quoted, plain] = /^\w+\((?:`([^`]+)`|(\w+))(?:, '[^']*')?\)$/.exec(key) ?? [];
  return (quoted ?? plain) === time;
}

/** A SELECT that ClickHouse can explain, with its values. */
export interface Explained {
  /** Filters of the caller's pinned parameters, by table. Only the query of an endpoint has them. */
  readonly conditions?: ReadonlyMap<string, string>;
  readonly readTrees: () => Promise<QueryTrees>;
}

class Analysis {
  private readonly objects = new Map<string, TableRow>();
  private readonly columns = new Set<string>();

  constructor(
    private readonly readRows: ReadRows,
    /** Database of unqualified names. */
    private readonly database: string,
    /** Names of functions about which ClickHouse was asked. */
    private readonly fixed: Set<string>,
  ) {}

  async of(select: Explained, pieces: WantedPieces | undefined): Promise<QueryData> {
    await this.read(select, 'the query');
    for (const [full, condition] of select.conditions ?? [])
      if (this.objects.has(full))
        await this.read(
          this.explained(`SELECT 1 FROM ${quotedName(full)} WHERE ${condition}`),
          `the filter of ${full}`,
        );
    const computed = await this.computedColumns();
    const rows = [...this.objects.values()].sort((a, b) => (a.full < b.full ? -1 : 1));
    return {
      tables: rows.filter(isOfRows).map(({ full }) => full),
      objects: rows.map(({ full }) => full),
      computed,
      definitions: definitionsOf(rows.map(({ full, definition }) => [full, definition])),
      ...(pieces && { pieces: await this.piecesIn(pieces) }),
    };
  }

  /** Reads a query, and the queries of its views. */
  private async read({ readTrees }: Explained, where: string): Promise<void> {
    const trees = await readTrees();
    const facts = factsOf(trees.written, trees.resolved);
    await this.require(facts, where);
    const unknown = [...new Set(this.possibleNames(facts))].filter(
      (name) => name !== NO_TABLE && !this.objects.has(name),
    );
    if (unknown.length === 0) return;
    const rows = await this.readRows<TableRow>(TABLES, { objects: unknown, databases: databasesOf(unknown) });
    const { tables } = factsOf(trees.resolved);
    const missing = unknown.find((name) => tables.has(name) && !rows.some(({ full }) => full === name));
    if (missing !== undefined)
      throw new NoVersion(`${where} reads ${missing}, which the user of versions cannot see`);
    for (const row of rows) this.objects.set(row.full, row);
    for (const row of rows) await this.readTable(row, where);
  }

  private async piecesIn(pieces: WantedPieces): Promise<NonNullable<QueryData['pieces']>> {
    const table = [...this.objects.keys()].find(
      (full) => full === pieces.table || full === `${this.database}.${pieces.table}`,
    );
    if (table === undefined) return { reason: `the query does not read ${pieces.table} itself` };
    const view = [...this.objects.values()].find((row) => !isOfRows(row));
    if (view) return { reason: `the query reads the view ${view.full}` };
    const key = this.objects.get(table)?.partitionKey ?? '';
    if (!isOfTime(key, pieces.time))
      return {
        reason: `${table} is partitioned by ${key || 'nothing'}, and not by one function of ${pieces.time}`,
      };
    const found = piecesInTree(await pieces.readTrees(), { ...pieces, table });
    return typeof found === 'string' ? { reason: found } : { table, ...found };
  }

  private async readTable({ full, engine, query }: TableRow, where: string): Promise<void> {
    if (HAS_PARTS.test(engine)) return;
    if (engine !== 'View') throw new NoVersion(`${where} reads ${full}, a table of the engine ${engine}`);
    await this.read(this.explained(query), `the view ${full}`);
  }

  private explained(text: string): Explained {
    return { readTrees: () => readQueryTrees(this.readRows, text) };
  }

  /** @throws NoVersion where a query does more than read tables */
  private async require(facts: Facts, where: string): Promise<void> {
    if (facts.hasSettings) throw new NoVersion(`${where} has SETTINGS`);
    const other = facts.tableFunctions.find(({ name }) => !WITHOUT_DATA.has(name));
    if (other) throw new NoVersion(`${where} reads the table function ${other.name}`);
    await this.requireFixed([...facts.functions], where);
    // `label.size` can be a subcolumn of `label`, also after the name of the table. So every prefix of every suffix counts as a column.
    for (const name of [...facts.names].flatMap(suffixes))
      for (const column of prefixes(name, 0)) this.columns.add(column);
  }

  /** Names that may be tables. `system.tables` shows which ones are. */
  private possibleNames({ tables, possibleTables, printedTables, withQueries }: Facts): readonly string[] {
    const names = [...tables, ...possibleTables, ...printedTables, ...withQueries];
    return names.flatMap((name) => [name, `${this.database}.${name}`]);
  }

  /** @throws NoVersion where equal arguments can give different results, for example from a dictionary or a Join table */
  private async requireFixed(called: readonly string[], where: string): Promise<void> {
    const unknown = new Map(
      called.filter((name) => !this.fixed.has(name)).map((name) => [name.toLowerCase(), name]),
    );
    if (unknown.size === 0) return;
    const rows = await this.readRows<FunctionRow>(FUNCTIONS, { names: [...unknown.keys()] });
    const varying = rows.find(({ varies }) => varies === 1);
    if (!varying) {
      for (const name of called) this.fixed.add(name);
      for (const { name } of rows) fixedFunctions.add(name);
      return;
    }
    const isOwn = varying.origin !== 'System';
    throw new NoVersion(
      `${where} calls ${unknown.get(varying.name.toLowerCase())}()${isOwn ? ', which is no function of ClickHouse itself' : ''}`,
    );
  }

  private async computedColumns(): Promise<ReadonlyMap<string, readonly string[]>> {
    const found = new Map<string, readonly string[]>();
    const checked = new Set<string>();
    // A default can use other columns with defaults, so the loop ends when no new column appears.
    for (let count = -1; count !== this.columns.size && this.objects.size > 0;) {
      count = this.columns.size;
      const objects = [...this.objects.keys()];
      const rows = await this.readRows<DefaultRow>(DEFAULTS, {
        ...{ objects, databases: databasesOf(objects), columns: [...this.columns] },
      });
      for (const row of rows) {
        const { full, name } = row;
        if (checked.has(`${full} ${name}`)) continue;
        checked.add(`${full} ${name}`);
        if (!(await this.isFixed(row))) found.set(full, [...(found.get(full) ?? []), name]);
      }
    }
    return found;
  }

  private async isFixed({ full, name, kind, expression }: DefaultRow): Promise<boolean> {
    try {
      const select = this.explained(`SELECT ${expression} FROM ${quotedName(full)}`);
      await this.read(select, `the column ${name} of ${full}`);
      return true;
    } catch (error) {
      if (error instanceof NoVersion && kind !== 'ALIAS') return false;
      throw error;
    }
  }
}

/** A column with a default expression. */
interface DefaultRow {
  readonly full: string;
  readonly name: string;
  readonly kind: string;
  readonly expression: string;
}

const isOfRows = ({ engine }: TableRow): boolean => engine !== 'View';

/** Quotes `database.name` for SQL. */
function quotedName(full: string): string {
  const [database = '', ...name] = full.split('.');
  return `${quoteName(database)}.${quoteName(name.join('.'))}`;
}

/** One text of the definitions of objects, in the given order. */
export const definitionsOf = (objects: readonly (readonly [full: string, definition: string])[]): string =>
  objects.map((object) => object.join(' ')).join('\n');

/** Databases that these names may belong to. A dot can be part of a database's or a table's name, so there may be several. */
export function databasesOf(names: readonly string[]): readonly string[] {
  return [...new Set(names.flatMap((name) => prefixes(name, 1)))];
}

/** Rests of a name after each of its dots, and the name itself. */
function suffixes(name: string): readonly string[] {
  const words = name.split('.');
  return words.map((_, index) => words.slice(index).join('.'));
}

/** Beginnings of a name before each of its dots, and the name itself. @param without minimum number of words to leave out at the end */
function prefixes(name: string, without: number): readonly string[] {
  const words = name.split('.');
  return words.slice(without).map((_, index) => words.slice(0, index + 1).join('.'));
}
