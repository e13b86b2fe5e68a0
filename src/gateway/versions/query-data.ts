import { quoteName } from '../../endpoint/quote-sql.js';
import { tokenize } from '../../endpoint/sql-file/select/tokens.js';
import { readTree, type TreeNode } from '../sandbox/tree.js';
import { problemOfPiecesIn, type RangeEnd } from './pieces-in-tree.js';

/** What a query reads. */
export interface QueryData {
  /** Tables that consist of data parts, as `database.name`; sorted. */
  readonly tables: readonly string[];
  /** The tables, and the views through which they are read; sorted. */
  readonly objects: readonly string[];
  /** Columns whose default depends on when it is computed, by table: parts without the column have another value at each read. */
  readonly computed: ReadonlyMap<string, readonly string[]>;
  /** Of the objects, as ClickHouse has them. */
  readonly definitions: string;
  /** Present where the endpoint has pieces: the table whose partitions count, or why the rows are not those of partitions. */
  readonly pieces?: { readonly table: string } | { readonly reason: string };
}

/** Says why the data of a query has no version. */
export class NoVersion extends Error {}

/** A table or a view in `system.tables`. */
interface TableRow {
  readonly full: string;
  readonly engine: string;
  readonly partitionKey: string;
  /** Of a view. */
  readonly query: string;
  readonly definition: string;
}

/** Sends a query that reads no data of endpoints. */
export type ReadRows = <Row>(
  text: string,
  parameters?: Readonly<Record<string, unknown>>,
) => Promise<readonly Row[]>;

/** Hash of what a table or a view is; `readVersion` has the same. */
export const DEFINITION = 'lower(hex(sipHash128(toString(uuid), create_table_query)))';

export const FULL_NAME = "database || '.' || name";

const TABLES = `SELECT ${FULL_NAME} AS full, engine, partition_key AS partitionKey, as_select AS query, ${DEFINITION} AS definition
  FROM system.tables WHERE database IN {databases:Array(String)} AND full IN {objects:Array(String)}`;

const DEFAULTS = `SELECT database || '.' || table AS full, name, default_expression AS expression
  FROM system.columns WHERE database IN {databases:Array(String)} AND full IN {objects:Array(String)}
    AND default_kind IN ('DEFAULT', 'MATERIALIZED') AND name IN {columns:Array(String)}
  ORDER BY full, name`;

// arrayJoin returns the same rows each time; ClickHouse lists it because one row becomes several.
// Of some it does not say it: they read embedded dictionaries, or what the session has; times without a year have the one of today.
const FUNCTIONS = `SELECT name, origin FROM system.functions
  WHERE origin != 'System' OR deterministic = 0 AND name != 'arrayJoin'
    OR match(name, '^(region|transaction|getClientHTTPHeader|fuzz|ai[A-Z])|BestEffort')`;

/** Engines whose rows are those of their data parts on this server. */
const HAS_PARTS =
  /^(?:Replicated)?(?:Replacing|Summing|Aggregating|Collapsing|VersionedCollapsing|Coalescing|Graphite)?MergeTree$/;

/** Table functions that read no data. */
const WITHOUT_DATA: ReadonlySet<string> = new Set([
  ...['numbers', 'numbers_mt', 'zeros', 'zeros_mt', 'generate_series', 'generateSeries', 'values', 'null'],
]);

/** The table of a query without FROM. */
const ONE_ROW = 'system.one';

/** How often a query is analysed while its tables are altered. */
const MAX_PASSES = 4;

/**
 * Finds what a query reads, through views, in ClickHouse's own tree of the query.
 *
 * @param explain sends a SELECT with its values behind a prefix.
 * @throws NoVersion where something has no version; Error where ClickHouse does not analyse the query
 */
export async function findQueryData(
  select: Explained,
  readRows: ReadRows,
  pieces?: WantedPieces,
): Promise<QueryData> {
  const functions = new Map(
    (await readRows<{ name: string; origin: string }>(FUNCTIONS)).map(({ name, origin }) => [name, origin]),
  );
  let last: QueryData | undefined;
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const found = await new Analysis(functions, readRows).of(select, pieces);
    // What lies between two equal analyses was analysed under these definitions.
    if (last?.definitions === found.definitions) return found;
    last = found;
  }
  throw new NoVersion('its tables are being altered');
}

/** Whether a query sets settings, which then count instead of those that are sent. */
function hasSettings(query: string): boolean {
  return tokenize(query).some(
    ({ kind, start, end }) => kind === 'word' && query.slice(start, end).toUpperCase() === 'SETTINGS',
  );
}

/** The pieces of an endpoint. */
export interface WantedPieces {
  readonly table: string;
  /** That of tables without one. */
  readonly database: string;
  readonly time: string;
  /** The column of the result. */
  readonly bucket: string;
  readonly isDescending: boolean;
  /** The parameters of the range that the query has. */
  readonly ends: readonly RangeEnd[];
  /** Explains the query, in which the ends of the range are marked. */
  readonly explain: (prefix: string) => Promise<readonly string[]>;
}

/** Whether a partition key is a function of a column alone, such as `toYYYYMMDD(timestamp)`. */
function isOfTime(key: string, time: string): boolean {
  const [, quoted, plain] = /^\w+\((?:`([^`]+)`|(\w+))(?:, '[^']*')?\)$/.exec(key) ?? [];
  return (quoted ?? plain) === time;
}

/** A SELECT, and how ClickHouse explains it with its values. */
export interface Explained {
  readonly text: string;
  /** The filters of a caller's pinned parameters, by table; of the query of an endpoint. */
  readonly conditions?: ReadonlyMap<string, string>;
  readonly explain: (prefix: string) => Promise<readonly string[]>;
}

const EXPLAIN = 'EXPLAIN QUERY TREE run_passes = 1 ';

class Analysis {
  private readonly objects = new Map<string, TableRow>();
  private readonly columns = new Set<string>();

  constructor(
    private readonly functions: ReadonlyMap<string, string>,
    private readonly readRows: ReadRows,
  ) {}

  async of(select: Explained, pieces: WantedPieces | undefined): Promise<QueryData> {
    await this.read(select, 'the query');
    for (const [full, condition] of select.conditions ?? [])
      if (this.objects.has(full))
        await this.read(
          this.explained(`SELECT 1 FROM ${quotedName(full)} WHERE ${condition}`),
          `the filter of ${full}`,
        );
    const rows = [...this.objects.values()].sort((a, b) => (a.full < b.full ? -1 : 1));
    const tables = rows.filter(({ engine }) => engine !== 'View').map(({ full }) => full);
    return {
      tables,
      objects: rows.map(({ full }) => full),
      computed: await this.computedColumns(tables),
      definitions: definitionsOf(rows.map(({ full, definition }) => [full, definition])),
      ...(pieces && { pieces: await this.piecesIn(pieces) }),
    };
  }

  /** Reads a query and, through its views, others. */
  private async read({ text, explain }: Explained, where: string): Promise<void> {
    this.requireNoOwnFunctions(text, where);
    const tree = readTree(await explain(EXPLAIN));
    const names = new Set<string>();
    this.visit(tree, names, where);
    const unknown = [...names].filter((name) => name !== ONE_ROW && !this.objects.has(name));
    if (unknown.length === 0) return;
    const rows = await this.readRows<TableRow>(TABLES, { objects: unknown, databases: databasesOf(unknown) });
    const missing = unknown.find((name) => !rows.some(({ full }) => full === name));
    if (missing !== undefined)
      throw new NoVersion(`${where} reads ${missing}, which the user of versions cannot see`);
    for (const row of rows) this.objects.set(row.full, row);
    for (const row of rows) await this.readTable(row, where);
  }

  private async piecesIn(pieces: WantedPieces): Promise<NonNullable<QueryData['pieces']>> {
    const table = [...this.objects.keys()].find(
      (full) => full === pieces.table || full === `${pieces.database}.${pieces.table}`,
    );
    if (table === undefined) return { reason: `the query does not read ${pieces.table} itself` };
    const view = [...this.objects.values()].find(({ engine }) => engine === 'View');
    if (view) return { reason: `the query reads the view ${view.full}` };
    const key = this.objects.get(table)?.partitionKey ?? '';
    if (!isOfTime(key, pieces.time))
      return {
        reason: `${table} is partitioned by ${key || 'nothing'}, and not by one function of ${pieces.time}`,
      };
    const reason = problemOfPiecesIn(readTree(await pieces.explain(EXPLAIN)), { ...pieces, table });
    return reason === undefined ? { table } : { reason };
  }

  private async readTable({ full, engine, query }: TableRow, where: string): Promise<void> {
    if (HAS_PARTS.test(engine)) return;
    if (engine !== 'View') throw new NoVersion(`${where} reads ${full}, a table of the engine ${engine}`);
    if (hasSettings(query)) throw new NoVersion(`${where} reads the view ${full}, which has SETTINGS`);
    await this.read(this.explained(query), `the view ${full}`);
  }

  private explained(text: string): Explained {
    const explain = async (prefix: string): Promise<readonly string[]> =>
      (await this.readRows<{ explain: string }>(`${prefix}${text}`)).map(({ explain: line }) => line);
    return { text, explain };
  }

  private visit(node: TreeNode, tables: Set<string>, where: string): void {
    const { kind, attributes, children } = node;
    const attribute = (name: string): string => attributes.get(name) ?? '';
    if (kind === 'TABLE') tables.add(attribute('table_name'));
    // A part of a column, such as `label.size`, is read of the column.
    if (kind === 'COLUMN') for (const name of prefixes(attribute('column_name'), 0)) this.columns.add(name);
    if (kind === 'TABLE_FUNCTION' && !WITHOUT_DATA.has(attribute('table_function_name')))
      throw new NoVersion(`${where} reads the table function ${attribute('table_function_name')}`);
    if (kind === 'FUNCTION') this.requireFixed(attribute('function_name'), where);
    for (const child of children) this.visit(child.node, tables, where);
  }

  /** @throws NoVersion where equal arguments give unequal results, or where the data of a dictionary or a Join table counts */
  private requireFixed(name: string, where: string): void {
    if (this.functions.has(name)) throw new NoVersion(`${where} calls ${name}()`);
  }

  /** ClickHouse replaces functions of SQL in the tree by what they do now. @throws NoVersion */
  private requireNoOwnFunctions(text: string, where: string): void {
    const words = new Set(text.match(/\w+/g));
    for (const [name, origin] of this.functions)
      if (origin !== 'System' && words.has(name))
        throw new NoVersion(`${where} calls ${name}(), which is no function of ClickHouse itself`);
  }

  private async computedColumns(tables: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const found = new Map<string, readonly string[]>();
    if (tables.length === 0) return found;
    const checked = new Set<string>();
    // A default can be that of other columns, which have defaults of their own.
    for (let count = 0; count !== this.columns.size;) {
      count = this.columns.size;
      const rows = await this.readRows<{ full: string; name: string; expression: string }>(DEFAULTS, {
        ...{ objects: tables, databases: databasesOf(tables), columns: [...this.columns] },
      });
      for (const { full, name, expression } of rows) {
        if (checked.has(`${full} ${name}`)) continue;
        checked.add(`${full} ${name}`);
        if (!(await this.isFixed(full, expression))) found.set(full, [...(found.get(full) ?? []), name]);
      }
    }
    return found;
  }

  private async isFixed(table: string, expression: string): Promise<boolean> {
    const { text, explain } = this.explained(`SELECT ${expression} FROM ${quotedName(table)}`);
    try {
      this.requireNoOwnFunctions(text, '');
      this.visit(readTree(await explain(EXPLAIN)), new Set(), '');
      return true;
    } catch (error) {
      if (error instanceof NoVersion) return false;
      throw error;
    }
  }
}

/** `database.name` as SQL. */
function quotedName(full: string): string {
  const [database = '', ...name] = full.split('.');
  return `${quoteName(database)}.${quoteName(name.join('.'))}`;
}

/** One text for the definitions of objects, in their order. */
export const definitionsOf = (objects: readonly (readonly [full: string, definition: string])[]): string =>
  objects.map((object) => object.join(' ')).join('\n');

/** What can be the databases of these names: a dot can be a part of both. */
export function databasesOf(names: readonly string[]): readonly string[] {
  return [...new Set(names.flatMap((name) => prefixes(name, 1)))];
}

/** What stands before the dots of a name, and the name itself. @param without so many words at its end, at least */
function prefixes(name: string, without: number): readonly string[] {
  const words = name.split('.');
  return words.slice(without).map((_, index) => words.slice(0, index + 1).join('.'));
}
