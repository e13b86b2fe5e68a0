import { quoteText } from '../../endpoint/quote-sql.js';
import { Cursor } from './cursor.js';
import { CODES } from './error-codes.js';
import { resolveName, unknownTable } from './resolve-name.js';
import { StatementProblem, type TableNames } from './statement.js';

/** Writes a statement about tables as the SELECT that returns the same columns. */
export class MetadataSelect {
  constructor(
    readonly names: TableNames,
    /** The database of names without one. */
    readonly database: string,
  ) {}

  /** `SHOW …`, from the word after SHOW on. @throws StatementProblem */
  show(cursor: Cursor): string {
    const isFull = cursor.takeOne('FULL', 'EXTENDED', 'CHANGED');
    const what = cursor.takeOne(...Object.keys(this.#shows));
    const show = what === undefined ? undefined : this.#shows[what];
    if (!show)
      throw new StatementProblem(
        CODES.ACCESS_DENIED,
        'This SHOW is not allowed. SHOW DATABASES, TABLES, COLUMNS, CREATE, FUNCTIONS, SETTINGS, ENGINES and CLUSTERS are.',
      );
    const select = show(cursor, isFull);
    requireEnd(cursor, 'SHOW');
    return select;
  }

  /** `DESCRIBE [TABLE] table`, from the table on. */
  describe(cursor: Cursor): string {
    const table = this.#table(cursor, 'DESCRIBE');
    requireEnd(cursor, 'DESCRIBE');
    return (
      'SELECT name, type, default_kind AS default_type, default_expression, comment, compression_codec AS codec_expression, ' +
      `'' AS ttl_expression FROM system.columns WHERE ${ofTable(table, 'table')} ORDER BY position`
    );
  }

  /** `EXISTS …`, from the word after EXISTS on. What is not there is no error. */
  exists(cursor: Cursor): string {
    const isTemporary = cursor.take('TEMPORARY');
    const what = cursor.takeOne('DATABASE', 'VIEW', 'TABLE', 'DICTIONARY');
    const path = required(cursor.path(), 'EXISTS');
    requireEnd(cursor, 'EXISTS');
    const { table } = resolveName(path, this.names);
    if (what === 'VIEW' && table !== undefined)
      return `SELECT toUInt8(count()) AS result FROM system.tables WHERE ${ofTable(table, 'name')} AND engine = 'View'`;
    const isTable = table !== undefined && !isTemporary && (what === undefined || what === 'TABLE');
    const isThere = what === 'DATABASE' ? this.names.isDatabase(path.join('.')) : isTable;
    return `SELECT toUInt8(${isThere ? 1 : 0}) AS result`;
  }

  readonly #shows: Readonly<Record<string, (cursor: Cursor, isFull: string | undefined) => string>> = {
    DATABASES: (cursor) => `SELECT name FROM system.databases${conditions(cursor, [], 'name')}`,
    TABLES: (cursor, isFull) => {
      const database = this.#databaseOf(cursor) ?? this.database;
      const columns = isFull === 'FULL' ? 'name, engine' : 'name';
      return `SELECT ${columns} FROM system.tables${conditions(cursor, [`database = ${quoteText(database)}`], 'name')}`;
    },
    COLUMNS: (cursor, isFull) => this.#showColumns(cursor, isFull),
    FIELDS: (cursor, isFull) => this.#showColumns(cursor, isFull),
    CREATE: (cursor) => {
      cursor.takeOne('TABLE', 'VIEW');
      return this.#showCreate(cursor);
    },
    TABLE: (cursor) => this.#showCreate(cursor),
    FUNCTIONS: (cursor) => `SELECT * FROM system.functions${conditions(cursor, [], 'name')}`,
    SETTINGS: (cursor, isFull) => {
      const changed = isFull === 'CHANGED' ? ['changed'] : [];
      return `SELECT name, type, value FROM system.settings${conditions(cursor, changed, 'name')}`;
    },
    ENGINES: () => 'SELECT * FROM system.table_engines ORDER BY name',
    CLUSTERS: (cursor) => `SELECT DISTINCT cluster FROM system.clusters${conditions(cursor, [], 'cluster')}`,
  };

  #showCreate(cursor: Cursor): string {
    const table = this.#table(cursor, 'SHOW CREATE');
    return `SELECT create_table_query AS statement FROM system.tables WHERE ${ofTable(table, 'name')}`;
  }

  #showColumns(cursor: Cursor, isFull: string | undefined): string {
    if (!cursor.takeOne('FROM', 'IN')) throw unfinished('SHOW COLUMNS FROM');
    const table = this.#table(cursor, 'SHOW COLUMNS FROM');
    const more = isFull === 'FULL' ? ", NULL AS collation, comment, '' AS privileges" : '';
    return (
      "SELECT name AS field, type, if(startsWith(type, 'Nullable(') OR startsWith(type, 'LowCardinality(Nullable('), 'YES', 'NO') " +
      "AS `null`, trim(concat(if(is_in_primary_key, 'PRI ', ''), if(is_in_sorting_key, 'SOR', ''))) AS key, " +
      `if(default_kind IN ('ALIAS', 'DEFAULT', 'MATERIALIZED'), default_expression, NULL) AS default, '' AS extra${more} ` +
      `FROM system.columns${conditions(cursor, [ofTable(table, 'table')], 'name', 'field')}`
    );
  }

  /** Reads the name of a table, and `FROM database` behind it. */
  #table(cursor: Cursor, statement: string): string {
    const path = required(cursor.path(), statement);
    const database = statement.startsWith('SHOW') ? this.#databaseOf(cursor) : undefined;
    const whole = database === undefined ? path : [database, ...path];
    const { table } = resolveName(whole, this.names);
    if (table === undefined) throw unknownTable(whole, this.names);
    return table;
  }

  #databaseOf(cursor: Cursor): string | undefined {
    if (!cursor.takeOne('FROM', 'IN')) return undefined;
    const path = cursor.path() ?? [cursor.text() ?? ''];
    const [database = ''] = path;
    if (path.length > 1 || !this.names.isDatabase(database))
      throw new StatementProblem(
        CODES.UNKNOWN_DATABASE,
        `There is no database ${path.join('.')}. SHOW DATABASES lists what there is.`,
      );
    return database;
  }
}

/** Requires that everything is read. */
export function requireEnd(cursor: Cursor, statement: string): void {
  if (cursor.rest.length > 0) throw unfinished(statement);
}

const required = <T>(value: T | undefined, statement: string): T => {
  if (value === undefined) throw unfinished(statement);
  return value;
};

const unfinished = (statement: string): StatementProblem =>
  new StatementProblem(
    CODES.SYNTAX_ERROR,
    `${statement} is not written in a form that is supported. Select from system.tables, system.columns or system.databases instead.`,
  );

function ofTable(table: string, column: 'name' | 'table'): string {
  const dot = table.indexOf('.');
  return `database = ${quoteText(table.slice(0, dot))} AND ${column} = ${quoteText(table.slice(dot + 1))}`;
}

/** Reads `[NOT] LIKE 'x'` and LIMIT. */
function conditions(cursor: Cursor, given: readonly string[], column: string, order = column): string {
  const not = cursor.take('NOT') ? 'NOT ' : '';
  const like = cursor.takeOne('LIKE', 'ILIKE');
  const pattern = like === undefined ? undefined : required(cursor.text(), like);
  const all =
    pattern === undefined ? given : [...given, `${column} ${not}${like ?? ''} ${quoteText(pattern)}`];
  const where = all.length === 0 ? '' : ` WHERE ${all.join(' AND ')}`;
  const limit = cursor.take('LIMIT') ? ` LIMIT ${required(cursor.number(), 'LIMIT')}` : '';
  return `${where} ORDER BY ${order}${limit}`;
}
