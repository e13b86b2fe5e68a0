import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';
import { randomUUID } from 'node:crypto';

import { quoteName } from '../../endpoint/quote-sql.js';
import { selectRows } from '../../gateway/clickhouse/select-rows.js';
import type { Column, ComputedColumn, RowShape } from './columns.js';

/**
 * How ClickHouse reads a line with any release and user profile: like `INSERT … FORMAT JSONEachRow` with
 * `date_time_input_format=best_effort`, into any type that a table may have. `max_query_size` allows a query as long as a batch, which
 * `log_queries_cut_to_length` truncates in the query log.
 */
const READ_SETTINGS: ClickHouseSettings = {
  date_time_input_format: 'best_effort',
  input_format_skip_unknown_fields: 1,
  input_format_defaults_for_omitted_fields: 1,
  input_format_null_as_default: 1,
  input_format_json_read_objects_as_strings: 1,
  input_format_json_read_arrays_as_strings: 1,
  input_format_json_read_numbers_as_strings: 1,
  input_format_json_read_bools_as_strings: 1,
  input_format_json_read_bools_as_numbers: 1,
  // Texts in a column of JSON stay texts, and floats become the nearest double.
  input_format_try_infer_dates: 0,
  input_format_try_infer_datetimes: 0,
  precise_float_parsing: 1,
  input_format_parallel_parsing: 0,
  allow_suspicious_low_cardinality_types: 1,
  allow_suspicious_fixed_string_types: 1,
  allow_suspicious_variant_types: 1,
  max_query_size: '268435456',
  log_queries_cut_to_length: '1000',
  session_timezone: 'UTC',
};

/** Without this setting, releases from 26.8 on read a JSON number in a time column as seconds instead of the column's least units. */
const NUMBERS_ARE_UNITS = 'input_format_read_datetime_number_as_raw_value';

const settingsByClient = new WeakMap<ClickHouseClient, Promise<ClickHouseSettings>>();

/** The settings of every query that reads lines: those that the server knows. */
export function readSettings(client: ClickHouseClient): Promise<ClickHouseSettings> {
  const settings = settingsByClient.get(client) ?? findSettings(client);
  settingsByClient.set(client, settings);
  settings.catch(() => settingsByClient.delete(client));
  return settings;
}

async function findSettings(client: ClickHouseClient): Promise<ClickHouseSettings> {
  const query = `SELECT name FROM system.settings WHERE name = '${NUMBERS_ARE_UNITS}'`;
  const known = await selectRows(client, query);
  return known.length === 0 ? READ_SETTINGS : { ...READ_SETTINGS, [NUMBERS_ARE_UNITS]: 1 };
}

/**
 * Lines of JSON as a table function in SQL, with the columns of a table and their defaults. The check and the INSERT
 * both use it, so they read lines identically.
 */
export function jsonLines({ columns, computed }: Omit<RowShape, 'time'>, lines: readonly string[]): string {
  const structure = [...columns.map(declaration), ...computed.map(alias)].join(', ');
  return `format(JSONEachRow, ${verbatim(structure)}, ${verbatim(lines.join('\n'))})`;
}

/** A text in SQL that needs no escaping, between dollar-quote tags: a tag is random, so that no text can contain it. */
export function verbatim(text: string): string {
  const tag = `$lines_${randomUUID().replaceAll('-', '')}$`;
  return tag + text + tag;
}

function declaration({ name, type, defaultExpression }: Column): string {
  const fallback = defaultExpression === '' ? '' : ` DEFAULT ${defaultExpression}`;
  return `${quoteName(name)} ${type}${fallback}`;
}

/** SQL of an alias column. Unlike a MATERIALIZED column, it is not read from lines. */
function alias({ name, type, expression }: ComputedColumn): string {
  return `${quoteName(name)} ${type} ALIAS ${expression}`;
}
