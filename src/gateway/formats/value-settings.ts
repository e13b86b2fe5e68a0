import type { ClickHouseFormat, FormattedColumns } from './format.js';

/** How ClickHouse writes values in every format. The settings are explicit, because their defaults changed between releases. */
const VALUES: ClickHouseFormat['settings'] = {
  date_time_output_format: 'iso',
  output_format_json_quote_64bit_integers: 0,
  output_format_json_quote_denormals: 0,
  output_format_json_escape_forward_slashes: 0,
};

/** Settings for types that only a caller's own SQL can return. */
const UNKNOWN_TYPES: ClickHouseFormat['settings'] = {
  output_format_json_quote_decimals: 0,
  output_format_json_named_tuples_as_objects: 1,
  output_format_json_map_as_array_of_tuples: 0,
};

/** The settings of a format for these columns, on top of its own. */
export function withValues(
  settings: ClickHouseFormat['settings'],
  { declared, quoting }: Pick<FormattedColumns, 'declared' | 'quoting'>,
): ClickHouseFormat['settings'] {
  return { ...VALUES, ...settings, ...(declared === 'unknown' && UNKNOWN_TYPES), ...quoting?.settings };
}
