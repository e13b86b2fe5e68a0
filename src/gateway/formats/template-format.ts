import { quoteName } from '../../endpoint/quote-sql.js';
import type { ClickHouseFormat, FormattedColumns } from './format.js';
import { withValues } from './value-settings.js';

/** Separates two rows and appears nowhere else: JSON escapes a line feed inside a value. */
export const ROW_SEPARATOR = ',\n';

export const RESULT_START = '{"result":[';
export const RESULT_END = ']}';

/**
 * ClickHouse's `Template` format with settings that make ClickHouse write the body of a response, one row per line. The closing
 * `]}` distinguishes a complete body from an incomplete one.
 */
export function templateFormat(columns: FormattedColumns, separator = ROW_SEPARATOR): ClickHouseFormat {
  const settings = {
    format_template_resultset_format: `${RESULT_START}\${data}${RESULT_END}`,
    format_template_row_format: jsonRow(columns),
    format_template_rows_between_delimiter: separator,
  };
  return { name: 'Template', settings: withValues(settings, columns) };
}

/** A JSON object, as a row of the `Template` format. */
export function jsonRow(columns: FormattedColumns): string {
  return `{${fieldsOf(columns).join(',')}}`;
}

function fieldsOf({ declared, described }: FormattedColumns): readonly string[] {
  if (declared === 'unknown') {
    // Names from a caller's own SQL can hold any character, so a field refers to its column by position.
    return described.map(
      ({ name }, position) => `${JSON.stringify(name).replaceAll('$', '$$$$')}:\${${position}:JSON}`,
    );
  }
  return [...declared].map(
    ([name, { holdsJson }]) =>
      `${JSON.stringify(name).replaceAll('$', '$$$$')}:\${${reference(name)}:${holdsJson ? 'Raw' : 'JSON'}}`,
  );
}

/** Reference to a column. ClickHouse reads a name up to the colon; a name with other characters needs quotes. */
export const reference = (name: string): string => (/^[a-z_]\w*$/i.test(name) ? name : quoteName(name));
