/**
 * What the gateway does with a setting or other name in a client's query string. `protocol`: the protocol uses it. `pass`: ClickHouse gets
 * it. `rewrite`: ClickHouse gets it in another form. `ignore`: it has no effect. `refuse`: the statement is rejected, because its result
 * would differ from what the client expects.
 */
export type Treatment = 'protocol' | 'pass' | 'rewrite' | 'ignore' | 'refuse';

/** A setting that a client may send, in the form in which `system.settings` shows it. */
export interface ShownSetting {
  readonly name: string;
  readonly type: string;
  /** ClickHouse's default. */
  readonly value: string;
}

const NAMES: Readonly<Record<Treatment, string>> = {
  protocol:
    'query database default_format compress client_protocol_version enable_http_compression wait_end_of_query user password',
  pass: `session_timezone limit offset join_use_nulls extremes date_time_input_format date_time_output_format
    output_format_json_quote_64bit_integers output_format_json_quote_denormals output_format_binary_write_json_as_string
    cast_keep_nullable prefer_column_name_to_alias`,
  rewrite: 'max_execution_time max_result_rows result_overflow_mode query_id',
  ignore: `role quota_key log_comment session_id session_timeout session_check close_session stacktrace decompress buffer_size
    cancel_http_readonly_queries_on_client_close select_sequential_consistency max_threads max_block_size mutations_sync alter_sync
    send_progress_in_http_headers http_headers_progress_interval_ms`,
  refuse: `additional_table_filters additional_result_filter http_response_headers readonly use_query_cache replace_running_query
    add_http_cors_header http_write_exception_in_output_format`,
};

/** Treatments of names that are not listed. Tables that a client sends beside its statement are refused. */
const PATTERNS: readonly (readonly [RegExp, Treatment])[] = [
  [/^param_/, 'protocol'],
  [/^(?:input_format|insert)_/, 'ignore'],
  [/_(?:structure|types|format)$/, 'refuse'],
];

const TREATMENTS = new Map(
  Object.entries(NAMES).flatMap(([treatment, names]) =>
    names.split(/\s+/).map((name) => [name, treatment as Treatment] as const),
  ),
);

/** What the gateway does with a name. Undefined for an unknown name. */
export function treatmentOf(name: string): Treatment | undefined {
  return TREATMENTS.get(name) ?? PATTERNS.find(([pattern]) => pattern.test(name))?.[1];
}

/** Settings and their defaults, by type. A setting without a default here has 0. */
const SHOWN: Readonly<Record<string, string>> = {
  Bool: `join_use_nulls extremes output_format_json_quote_64bit_integers output_format_json_quote_denormals
    output_format_binary_write_json_as_string cast_keep_nullable prefer_column_name_to_alias send_progress_in_http_headers
    enable_http_compression=1 cancel_http_readonly_queries_on_client_close`,
  UInt64: `limit offset http_headers_progress_interval_ms=100 max_result_rows select_sequential_consistency mutations_sync=1
    alter_sync=1`,
  NonZeroUInt64: 'max_block_size=65409',
  MaxThreads: 'max_threads=auto',
  Seconds: 'max_execution_time',
  OverflowMode: 'result_overflow_mode=throw',
  Timezone: 'session_timezone=',
  DateTimeInputFormat: 'date_time_input_format=best_effort',
  DateTimeOutputFormat: 'date_time_output_format=simple',
  String: 'log_comment=',
};

/** Rows of `system.settings`. Some clients send only settings that they find there. */
export const SHOWN_SETTINGS: readonly ShownSetting[] = Object.entries(SHOWN).flatMap(([type, settings]) =>
  settings.split(/\s+/).map((setting) => {
    const [name = '', value = '0'] = setting.split('=');
    return { name, type, value };
  }),
);
