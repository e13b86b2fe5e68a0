/** A setting of ClickHouse as `system.settings` has it. */
export interface KnownSetting {
  readonly name: string;
  readonly type: string;
  readonly default: string;
}

const BY_NAME: Readonly<Record<string, string>> = {
  additional_result_filter: '1 = 0',
  additional_table_filters: "{'default.shop':'n != 3'}",
  bool_false_representation: 'no',
  bool_true_representation: 'yes',
  count_distinct_implementation: 'uniqHLL12',
  compatibility: '22.3',
  date_time_output_format: 'unix_timestamp',
  distributed_product_mode: 'allow',
  function_visible_width_behavior: '0',
  group_by_overflow_mode: 'any',
  implicit_table_at_top_level: 'shop',
  limit: '2',
  mysql_datatypes_support_level: '',
  offset: '1',
  output_format_msgpack_uuid_representation: 'str',
  schema_inference_make_columns_nullable: '0',
  session_timezone: 'Asia/Kathmandu',
  totals_mode: 'before_having',
  union_default_mode: 'DISTINCT',
};

const BY_TYPE: Readonly<Record<string, string>> = {
  CapnProtoEnumComparingMode: 'by_names',
  Char: ';',
  DateTimeInputFormat: 'basic',
  DateTimeOverflowBehavior: 'saturate',
  Dialect: 'prql',
  EscapingRule: 'CSV',
  ExplainQueryPlanDefault: 'legacy',
  Float: '0.75',
  FloatAuto: '1',
  GeoJSONUnsupportedGeometryHandling: 'null',
  GeoToH3ArgumentOrder: 'lon_lat',
  IdentifierQuotingRule: 'always',
  IdentifierQuotingStyle: 'DoubleQuotes',
  InputFormatColumnMatchingCaseSensitivity: 'ignore_case',
  IntervalOutputFormat: 'kusto',
  JoinStrictness: 'ANY',
  OverflowMode: 'break',
  ParallelReplicasMode: 'sampling_key',
  SchemaInferenceMode: 'union',
  SetOperationMode: 'DISTINCT',
  SkipUnavailableShardsMode: 'unavailable',
  String: 'x',
  UInt64Auto: '7',
  URI: 'http://127.0.0.1:1',
  VectorSearchFilterStrategy: 'postfilter',
};

/** Another value of a setting than its default. */
export function contraryValue({ name, type, default: neutral }: KnownSetting): string {
  if (type === 'Bool') return neutral === '0' ? '1' : '0';
  return BY_NAME[name] ?? BY_TYPE[type] ?? (neutral === '7' ? '8' : '7');
}
