import type { ClickHouseSettings } from '@clickhouse/client';

import type { Column } from '../endpoint/definition.js';

/** Stands between two rows and nowhere else: JSON escapes a line feed inside a value. */
export const ROW_SEPARATOR = ',\n';

export const RESULT_START = '{"result":[';
export const RESULT_END = ']}';

/**
 * ClickHouse's `Template` format, set so that it writes the body of an answer itself, a row a line. The closing `]}` is
 * what tells a complete body from one that was cut.
 */
export function resultFormatSettings(columns: ReadonlyMap<string, Column>): ClickHouseSettings {
  return formatSettings(
    [...columns].map(
      ([name, { holdsJson }]) => `${JSON.stringify(name)}:\${${name}:${holdsJson ? 'Raw' : 'JSON'}}`,
    ),
  );
}

/** The same for columns that only ClickHouse knows, whose names can hold anything: by their places. */
export function resultFormatOf(names: readonly string[]): ClickHouseSettings {
  return {
    ...formatSettings(
      names.map((name, place) => `${JSON.stringify(name).replaceAll('$', '$$$$')}:\${${place}:JSON}`),
    ),
    // Beside text, numbers and times, such a query can give types that the endpoints have not.
    output_format_json_quote_decimals: 0,
    output_format_json_named_tuples_as_objects: 1,
    output_format_json_map_as_array_of_tuples: 0,
  };
}

function formatSettings(fields: readonly string[]): ClickHouseSettings {
  return {
    format_template_resultset_format: `${RESULT_START}\${data}${RESULT_END}`,
    format_template_row_format: `{${fields.join(',')}}`,
    format_template_rows_between_delimiter: ROW_SEPARATOR,
    // Defaults of these have changed between releases of ClickHouse.
    date_time_output_format: 'iso',
    output_format_json_quote_64bit_integers: 0,
    output_format_json_quote_denormals: 0,
    output_format_json_escape_forward_slashes: 0,
  };
}
