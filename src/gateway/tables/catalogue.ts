import type { Column } from '../../endpoint/definition.js';
import { deprecationNote, describeDeprecation, type Deprecable } from '../../endpoint/deprecation.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import { quoteName, quoteText } from '../../endpoint/quote-sql.js';
import { SHOWN_SETTINGS } from './settings.js';
import { DATABASE, tableName } from './table-name.js';
import { figuresOf } from './type-figures.js';

/** An endpoint that a client can read as a table. */
export interface EndpointTable {
  readonly table: string;
  readonly endpoint: Deprecable & Pick<Endpoint, 'summary' | 'parameters' | 'columns' | 'optionalColumns'>;
  /** Parameters that a statement must give. Where there are none, the table needs no brackets. */
  readonly missing: readonly string[];
  /** Parameters that the client's key pins. */
  readonly pinned?: { readonly has: (parameter: string) => boolean } | undefined;
}

/** Values of one metadata row, by column. A column that is not listed has the default of its type. */
export type Row = Readonly<Record<string, string | number | null>>;

type RowsOf = (tables: readonly EndpointTable[]) => readonly Row[];

/** Functions that make the rows of metadata tables, by `database.table`. A table without a function has no rows. */
export const ROWS: Readonly<Record<string, RowsOf>> = {
  'system.tables': (tables) => tables.map(rowOfTable),
  'system.columns': (tables) => tables.flatMap(rowsOfColumns),
  'system.databases': () => DATABASES.map((name) => ({ name, engine: 'Memory', engine_full: 'Memory' })),
  'system.settings': () => SHOWN_SETTINGS.map((setting) => ({ ...setting, default: setting.value })),
  'information_schema.tables': (tables) => tables.map(informationOfTable),
  'information_schema.columns': (tables) => tables.flatMap(rowsOfColumns).map(informationOfColumn),
  'information_schema.schemata': () =>
    DATABASES.map((name) => ({ catalog_name: name, schema_name: name, schema_owner: 'default' })),
  'information_schema.views': (tables) =>
    tables.map(({ table }) => ({ ...placeOf(table), check_option: 'NONE' })),
};

const DATABASES = ['INFORMATION_SCHEMA', 'information_schema', DATABASE, 'system'];

function rowOfTable(described: EndpointTable): Row {
  const { table: name } = described;
  const columns = columnsOf(described).map(([column, { type }]) => `${quoteName(column)} ${type}`);
  const comment = commentOf(described);
  return {
    ...{ database: DATABASE, name, engine: 'View', comment },
    // The SQL of the endpoint is never shown.
    create_table_query: `CREATE VIEW ${DATABASE}.${nameInSql(name)} (${columns.join(', ')}) COMMENT ${quoteText(comment)}`,
  };
}

/** Comment of a table: a note if it is deprecated, the summary, and how to give the required parameters. */
function commentOf({ table, endpoint, missing }: EndpointTable): string {
  const note = deprecationNote(describeDeprecation(endpoint), (name) => tableName({ name }));
  const summary = `${note}${endpoint.summary}`;
  if (missing.length === 0) return summary;
  const args = missing.map((parameter) => `${parameter} = …`).join(', ');
  return `${summary} Read it as ${nameInSql(table)}(${args})`;
}

const nameInSql = (table: string): string => (/^\d/.test(table) ? quoteName(table) : table);

/** Columns that every statement over the table has: tools name all listed columns, so optional ones are left out. */
function columnsOf({ endpoint, pinned }: EndpointTable): readonly (readonly [string, Column])[] {
  const { parameters, columns, optionalColumns } = endpoint;
  const hasValue = (name: string): boolean => {
    const { required, default: fallback } = parameters.get(name) ?? {};
    return required === true || fallback !== undefined || pinned?.has(name) === true;
  };
  return [...columns].filter(([name]) => optionalColumns.get(name)?.every(hasValue) ?? true);
}

type ColumnRow = ReturnType<typeof rowsOfColumns>[number];

// Spreads would take most of the time, because there are thousands of rows.
function rowsOfColumns(described: EndpointTable) {
  const { table } = described;
  const rows = [];
  for (const [name, { type, meaning: comment }] of columnsOf(described)) {
    const { octets, precision, radix, scale, timePrecision } = figuresOf(type);
    rows.push({
      database: DATABASE,
      table,
      name,
      type,
      position: rows.length + 1,
      comment,
      character_octet_length: octets,
      numeric_precision: precision,
      numeric_precision_radix: radix,
      numeric_scale: scale,
      datetime_precision: timePrecision,
    });
  }
  return rows;
}

const placeOf = (table: string): Row => ({
  table_catalog: DATABASE,
  table_schema: DATABASE,
  table_name: table,
});

function informationOfTable(described: EndpointTable): Row {
  return {
    ...placeOf(described.table),
    ...{ table_type: 'VIEW', index_length: 0, table_collation: 'utf8mb4_0900_ai_ci' },
    table_comment: commentOf(described),
  };
}

/** Makes a row of `information_schema.columns` from one of `system.columns`, like ClickHouse's own view. */
function informationOfColumn(row: ColumnRow): Row {
  return {
    table_catalog: row.database,
    table_schema: row.database,
    table_name: row.table,
    column_name: row.name,
    ordinal_position: row.position,
    is_nullable: row.type.startsWith('Nullable(') ? '1' : '0',
    data_type: row.type,
    character_maximum_length: row.character_octet_length,
    character_octet_length: row.character_octet_length,
    numeric_precision: row.numeric_precision,
    numeric_precision_radix: row.numeric_precision_radix,
    numeric_scale: row.numeric_scale,
    datetime_precision: row.datetime_precision,
    extra: '',
    column_comment: row.comment,
    column_type: row.type,
  };
}
