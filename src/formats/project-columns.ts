import type { BoundQuery } from '../endpoint/bind.js';
import { quoteName } from '../endpoint/quote-sql.js';
import type { OutputFormat, ResultColumn, Times } from './format.js';

/** Alias of the inner query. Every column is qualified with it, so that no alias of the outer query shadows a column. */
const ROWS = 'result_rows';

/** Types that Parquet and Arrow files contain unchanged; all others are converted to text. */
const PLAIN_TYPES = /^(?:U?Int(?:8|16|32|64)|Bool|Decimal.*|Date32|DateTime64\([7-9].*)$/;
const COMPOUND_TYPES = /^(?:Array|Tuple|Map|Nested|JSON|Object|Variant|Dynamic)\b/;
const TIME_TYPES = /^Date(?:Time)?(?:32|64)?\b/;
const FLOAT_TYPES = /^B?Float\d+$/;

/** What decides how values are written. */
export interface ValueOptions {
  readonly values: OutputFormat['values'];
  readonly times: Times;
}

/**
 * Wraps a query in a SELECT that converts the values that the format cannot write: NaN and infinity to null, nested
 * values to JSON text, times to the form that the caller chose. The order of rows stays, since the inner query has a
 * LIMIT. A query that needs no conversion is returned unchanged.
 */
export function projectColumns(
  query: BoundQuery,
  columns: readonly ResultColumn[],
  options: ValueOptions,
): BoundQuery {
  const shown = columns.map(({ name, type }) => {
    const value = `${ROWS}.${quoteName(name)}`;
    return { name, value, shown: shownValue(value, type, options) };
  });
  if (shown.every((column) => column.shown === column.value)) return query;
  const list = shown.map((column) => `${column.shown} AS ${quoteName(column.name)}`);
  return {
    ...query,
    text: `SELECT\n  ${list.join(',\n  ')}\nFROM (\n${query.text}\n) AS ${ROWS}`,
  };
}

/** The ClickHouse type that a column has in the response. */
export function shownType(type: string, times: Times): string {
  if (times === 'iso' || !TIME_TYPES.test(bare(type))) return type;
  return type.includes('Nullable(') ? 'Nullable(Int64)' : 'Int64';
}

function shownValue(value: string, type: string, { values, times }: ValueOptions): string {
  const plain = bare(type);
  if (times === 'unix-micros' && TIME_TYPES.test(plain)) {
    return `toUnixTimestamp64Micro(toDateTime64(${value}, 6, 'UTC'))`;
  }
  if (values === 'json') return value;
  if (FLOAT_TYPES.test(plain)) return `if(isFinite(${value}), ${value}, NULL)`;
  if (COMPOUND_TYPES.test(plain)) return `toJSONString(${value})`;
  return values === 'typed' ? typedValue(value, type) : value;
}

/** A value that every reader of Parquet and Arrow knows: text is UTF-8, times have microseconds. */
function typedValue(value: string, type: string): string {
  const plain = bare(type);
  if (PLAIN_TYPES.test(plain)) return value;
  if (plain === 'String') return `toValidUTF8(${value})`;
  if (plain === 'Date') return `toDate32(${value})`;
  if (TIME_TYPES.test(plain)) return `toDateTime64(${value}, 6, 'UTC')`;
  return type.includes('Nullable(') ? `CAST(${value}, 'Nullable(String)')` : `toString(${value})`;
}

/** A type without LowCardinality and Nullable around it. */
function bare(type: string): string {
  return type.replace(/^LowCardinality\((.*)\)$/, '$1').replace(/^Nullable\((.*)\)$/, '$1');
}
