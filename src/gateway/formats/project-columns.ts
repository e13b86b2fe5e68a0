import type { BoundQuery } from '../../endpoint/bind.js';
import { haveTypes, type DeclaredTypes } from '../../endpoint/declared-types.js';
import { quoteName, quoteText } from '../../endpoint/quote-sql.js';
import { bareType } from '../../endpoint/type-name.js';
import type { OutputFormat, ResultColumn, Times } from './format.js';
import { nestedForm, type FormChoice } from './nested-form.js';
import { withoutQuoting } from './quoting.js';
import { FAMILIES } from './type-families.js';

/** Alias of the inner query. It qualifies every column, so that no alias of the outer query shadows a column. */
export const ROWS = 'result_rows';

/** What determines how values are written. */
export interface ValueOptions extends FormChoice {
  readonly values: OutputFormat['values'];
  /** ClickHouse rejects a query that lacks one of these columns, or has it with another type. */
  readonly declared: DeclaredTypes | 'unknown';
}

/**
 * Returns a function that wraps a query in a SELECT of the declared columns only. The SELECT converts the values that the format
 * cannot write: NaN and infinity to null, nested values to JSON text, text that is not JSON to null, times to the chosen form. The
 * order of rows stays, because the inner query has a LIMIT. A caller's own query that needs no conversion is returned unchanged.
 *
 * @param more further columns, as SQL over the inner query {@link ROWS}
 */
export function projectColumns(
  columns: readonly ResultColumn[],
  options: ValueOptions,
  more: readonly string[] = [],
): (query: BoundQuery) => BoundQuery {
  const shown = columns.map((column) => {
    const value = `${ROWS}.${quoteName(column.name)}`;
    return { name: column.name, value, shown: shownValue(value, column, options) };
  });
  const { declared, quoting } = options;
  if (
    declared === 'unknown' &&
    !quoting &&
    more.length === 0 &&
    shown.every((column) => column.shown === column.value)
  )
    return (query) => query;
  const list = shown.map((column) => {
    const name = quoteName(column.name);
    // A column without conversion needs no alias, and each alias takes ClickHouse time.
    return column.shown === column.value ? name : `${column.shown} AS ${name}`;
  });
  const select = `SELECT\n  ${[...list, ...more].join(',\n  ')}\nFROM (\n`;
  const check = declared === 'unknown' ? '' : `\nWHERE ${haveTypes(declared, ROWS)}`;
  return (query) => ({
    ...query,
    text: `${select}${quoting ? withoutQuoting(query.text) : query.text}\n) AS ${ROWS}${query.isConverted ? '' : check}`,
  });
}

/** The ClickHouse type that a column has in the response. */
export function shownType(type: string, times: Times): string {
  return times === 'iso' ? type : nestedForm('', type, { times }).type;
}

function shownValue(
  value: string,
  { type, holdsJson }: ResultColumn,
  { values, times, quoting }: ValueOptions,
): string {
  const { sql } = nestedForm(value, type, { times, quoting });
  const family = FAMILIES.get(bareType(type).name);
  if (values === 'json') return holdsJson ? validJson(family?.text?.(sql, type) ?? sql) : sql;
  if (times === 'unix-micros' && family?.micros) return sql;
  return family?.[values]?.(sql, type) ?? sql;
}

/**
 * Valid JSON that ClickHouse's parser rejects: halves of surrogate pairs, integers beyond 64 bits, and exponents beyond those of
 * a float. The replacement is valid exactly where the original is valid. For an escape, which digits can follow, it keeps the four
 * hexadecimal digits and never adds one.
 */
const [REJECTED, REPLACEMENT] = [
  String.raw`(\\u)[dD][89a-fA-F]|([1-9]\d)\d{17,}(?:([eE][+-]?\d)\d*)?|(\d[eE][+-]?)\d{3,}`,
  String.raw`\1\2\400\3`,
];

/** A text of JSON without line feeds, because these separate rows; `null` in place of any other text. */
function validJson(value: string): string {
  const text = `toValidUTF8(CAST(${value}, 'Nullable(String)'))`;
  // The parser skips a byte order mark, but only at the start.
  const tested = `concat(' ', ${text})`;
  const replaced = `replaceRegexpAll(${tested}, ${quoteText(REJECTED)}, ${quoteText(REPLACEMENT)})`;
  const line = String.raw`replaceAll(${text}, '\n', ' ')`;
  return `multiIf(isValidJSON(${tested}), ${line}, isValidJSON(${replaced}), ${line}, 'null')`;
}
