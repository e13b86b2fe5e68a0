import type { BoundQuery } from '../endpoint/bind.js';
import { quoteName } from '../endpoint/quote-sql.js';
import { FORMAT_FACTS, type Representation } from './representation.js';

/** A column of a result, as ClickHouse describes it. */
export interface ResultColumn {
  readonly name: string;
  readonly type: string;
}

/** Name under which a query's own rows are read; columns are always called by it, so that no alias shadows them. */
const ROWS = 'answer_rows';

/** Types that a reader of Parquet and Arrow gets as they are; all others come as text. */
const PLAIN_TYPES = /^(?:U?Int(?:8|16|32|64)|Bool|Decimal.*|Date32|DateTime64\([7-9].*)$/;
const COMPOUND_TYPES = /^(?:Array|Tuple|Map|Nested|JSON|Object|Variant|Dynamic)\b/;
const TIME_TYPES = /^Date(?:Time)?(?:32|64)?\b/;
const FLOAT_TYPES = /^B?Float\d+$/;

/**
 * The query whose rows are those of another with the values that the representation shows: no NaN nor infinity where
 * there is no null for it, lists and the like as JSON text, times as asked for. Its order stays, since the inner query
 * has a limit. A query that needs none of that stays as it is.
 */
export function projectColumns(
  query: BoundQuery,
  columns: readonly ResultColumn[],
  representation: Representation,
): BoundQuery {
  const shown = columns.map(({ name, type }) => {
    const value = `${ROWS}.${quoteName(name)}`;
    return { name, value, shown: valueShown(value, type, representation) };
  });
  if (shown.every((column) => column.shown === column.value)) return query;
  const list = shown.map((column) => `${column.shown} AS ${quoteName(column.name)}`);
  return {
    ...query,
    text: `SELECT\n  ${list.join(',\n  ')}\nFROM (\n${query.text}\n) AS ${ROWS}`,
  };
}

/** The type that a column has in the answer. */
export function typeShown(type: string, { times }: Representation): string {
  if (times === 'iso' || !TIME_TYPES.test(bare(type))) return type;
  return type.includes('Nullable(') ? 'Nullable(Int64)' : 'Int64';
}

function valueShown(value: string, type: string, { format, times }: Representation): string {
  const plain = bare(type);
  if (times === 'unix-micros' && TIME_TYPES.test(plain)) {
    return `toUnixTimestamp64Micro(toDateTime64(${value}, 6, 'UTC'))`;
  }
  if (format === 'json' || format === 'json-table' || format === 'ndjson') return value;
  if (FLOAT_TYPES.test(plain)) return `if(isFinite(${value}), ${value}, NULL)`;
  if (COMPOUND_TYPES.test(plain)) return `toJSONString(${value})`;
  return FORMAT_FACTS[format].hasTypedTimes ? valueForReaders(value, type) : value;
}

/** A value as every reader of Parquet and Arrow knows it: their text is UTF-8, their times are microseconds. */
function valueForReaders(value: string, type: string): string {
  const plain = bare(type);
  if (PLAIN_TYPES.test(plain)) return value;
  if (plain === 'String') return `toValidUTF8(${value})`;
  if (plain === 'Date') return `toDate32(${value})`;
  if (TIME_TYPES.test(plain)) return `toDateTime64(${value}, 6, 'UTC')`;
  return type.includes('Nullable(') ? `CAST(${value}, 'Nullable(String)')` : `toString(${value})`;
}

/** A type without what says that its values repeat or can be absent. */
function bare(type: string): string {
  return type.replace(/^LowCardinality\((.*)\)$/, '$1').replace(/^Nullable\((.*)\)$/, '$1');
}
