import { quoteName, quoteText } from '../../endpoint/quote-sql.js';
import { ROWS, type EndpointTable, type Row } from './catalogue.js';
import { SHAPES, type ShapeColumn } from './shapes.js';

/** Columns and arguments that a statement uses of a metadata table. */
export interface MetadataReading {
  /** All names in the statement. The columns that it may read are among them. */
  readonly words: ReadonlySet<string>;
  /** Whether the statement may read columns that it does not name, by a star or matcher. */
  readonly hasMatcher: boolean;
  /** Arguments of `numbers`: `length`, optionally with `offset`. Both are whole numbers. */
  readonly args?: ReadonlyMap<string, string>;
}

/** Query of a metadata table, for use as a WITH query. */
export interface MetadataPart {
  readonly sql: string;
  /** Values of the query's parameters, by name. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** Catalogues that are the same for every caller, with a condition that selects ClickHouse's own rows. Reading them needs no grant. */
const CONSTANT: ReadonlyMap<string, string> = new Map([
  ['functions', " WHERE origin = 'System'"],
  ...'table_functions formats data_type_families table_engines time_zones one contributors'
    .split(' ')
    .map((name) => [name, ''] as const),
]);

const NUMBERS = 'system.numbers';

/** Number of rows of `system.numbers`. The query uses the function `numbers` instead, because that table needs a grant. */
const ALL_NUMBERS = '18446744073709551615';

/** Finds a metadata table, as `database.table`. Undefined for unknown tables and for those that reveal details of the server. */
export function findMetadata(database: string, table: string): string | undefined {
  const isInformation = database === 'information_schema' || database === 'INFORMATION_SCHEMA';
  const isUpper = isInformation && table === table.toUpperCase();
  const name = `${isInformation ? 'information_schema' : database}.${isUpper ? table.toLowerCase() : table}`;
  const isConstant = database === 'system' && CONSTANT.has(table);
  return isConstant || name === NUMBERS || SHAPES.has(name) ? name : undefined;
}

/**
 * Writes the query of a metadata table: constant rows, with the columns that the statement may read.
 *
 * @param table name that {@link findMetadata} returns
 * @param tables endpoints that the client can read
 * @param prefix prefix of the names of the query's parameters
 */
export function metadataPart(
  table: string,
  tables: readonly EndpointTable[],
  { words, hasMatcher, args = new Map() }: MetadataReading,
  prefix: string,
): MetadataPart {
  if (table === NUMBERS) return numbersPart(args, prefix);
  const shape = SHAPES.get(table);
  if (!shape) {
    const condition = CONSTANT.get(table.replace('system.', '')) ?? '';
    return { sql: `SELECT * FROM ${table}${condition}`, parameters: {} };
  }
  const columns = shape.filter(({ name, isAlias }) => words.has(name) || (hasMatcher && !isAlias));
  const rows = ROWS[table]?.(tables) ?? [];
  return constantRows(columns.length > 0 ? columns : shape.slice(0, 1), rows, prefix);
}

function constantRows(columns: readonly ShapeColumn[], rows: readonly Row[], prefix: string): MetadataPart {
  const [first] = rows;
  const fields = new Map<string, string>();
  const items = columns.map(({ name, type, like = name }) => {
    if (first?.[like] !== undefined && !fields.has(like)) fields.set(like, type);
    const place = [...fields.keys()].indexOf(like) + 1;
    const value = place > 0 ? `r.${place}` : `defaultValueOfTypeName(${quoteText(type)})`;
    return `${value} AS ${quoteName(name)}`;
  });
  const select = `SELECT ${items.join(', ')}`;
  if (!first) return { sql: `${select} WHERE 0`, parameters: {} };
  if (fields.size === 0) fields.set('', 'String');
  const [names, type] = [[...fields.keys()], `Array(Tuple(${[...fields.values()].join(', ')}))`];
  const pieces = inPieces(rows.map((row) => `(${names.map((name) => written(row[name])).join(',')})`));
  const parameters = Object.fromEntries(pieces.map((piece, index) => [`${prefix}_${index}`, piece]));
  const text = Object.keys(parameters).map((name) => `{${name}:String}`);
  // ClickHouse's analysis would copy and print a constant of many rows again and again, which takes six times as long.
  const array = `CAST(concat(materialize('['), ${text.join(", ',', ")}, ']'), ${quoteText(type)})`;
  return { sql: `${select} FROM (SELECT arrayJoin(${array}) AS r)`, parameters };
}

/**
 * Maximum length of a parameter, in characters. ClickHouse allows 128 KiB (`http_max_field_value_size`). A character has up to 3 bytes,
 * and an escaped one becomes 2 characters.
 */
const MOST_CHARACTERS = 40_000;

function inPieces(tuples: readonly string[]): readonly string[] {
  const pieces: string[][] = [];
  let length = Infinity;
  for (const tuple of tuples) {
    length += tuple.length + 1;
    if (length > MOST_CHARACTERS) {
      pieces.push([]);
      length = tuple.length;
    }
    pieces.at(-1)?.push(tuple);
  }
  return pieces.map((piece) => piece.join(','));
}

function written(value: Row[string] = ''): string {
  if (typeof value === 'string') return quoteText(value);
  return value === null ? 'NULL' : String(value);
}

function numbersPart(args: ReadonlyMap<string, string>, prefix: string): MetadataPart {
  const parameters = Object.fromEntries([...args].map(([name, value]) => [`${prefix}_${name}`, value]));
  const references = Object.keys(parameters).map((name) => `{${name}:UInt64}`);
  return { sql: `SELECT number FROM numbers(${references.join(', ') || ALL_NUMBERS})`, parameters };
}
