import { parseTypeName, tupleField } from '../../endpoint/type-name.js';

/**
 * Columns of the metadata tables, in the order and with the types of ClickHouse 26.7, so that clients can use them in any expression.
 * A column without a type is a String. A name with a dot is quoted.
 */
const SYSTEM = {
  tables: `
    database, name, uuid UUID, engine, is_temporary UInt8, data_paths Array(String), metadata_path,
    metadata_modification_time DateTime, metadata_version Int32, dependencies_database Array(String), dependencies_table
    Array(String), create_table_query, engine_full, as_select, parameterized_view_parameters Array(Tuple(name String, type
    String)), partition_key, sorting_key, primary_key, sampling_key, unique_key, storage_policy, total_rows
    Nullable(UInt64), total_bytes Nullable(UInt64), total_bytes_uncompressed Nullable(UInt64), parts Nullable(UInt64),
    active_parts Nullable(UInt64), total_marks Nullable(UInt64), active_on_fly_data_mutations UInt64,
    active_on_fly_alter_mutations UInt64, active_on_fly_metadata_mutations UInt64, columns_descriptions_cache_size UInt64,
    lifetime_rows Nullable(UInt64), lifetime_bytes Nullable(UInt64), comment, has_own_data UInt8,
    loading_dependencies_database Array(String), loading_dependencies_table Array(String), loading_dependent_database
    Array(String), loading_dependent_table Array(String), target_database, target_table, definer, table ALIAS name
  `,
  columns: `
    database, table, name, type, position UInt64, default_kind, default_expression, data_compressed_bytes UInt64,
    data_uncompressed_bytes UInt64, marks_bytes UInt64, comment, is_in_partition_key UInt8, is_in_sorting_key UInt8,
    is_in_primary_key UInt8, is_in_sampling_key UInt8, compression_codec, character_octet_length Nullable(UInt64),
    numeric_precision Nullable(UInt64), numeric_precision_radix Nullable(UInt64), numeric_scale Nullable(UInt64),
    datetime_precision Nullable(UInt64), serialization_hint Nullable(String), statistics, column ALIAS name
  `,
  databases: `
    name, engine, data_path, metadata_path, uuid UUID, engine_full, comment, is_external UInt8, database ALIAS name
  `,
  settings: `
    name, value, changed UInt8, description, min Nullable(String), max Nullable(String), disallowed_values Array(String),
    readonly UInt8, type, default, alias_for, is_obsolete UInt8, tier Enum8('Production' = 0, 'Obsolete' = 4,
    'Experimental' = 8, 'Beta' = 12)
  `,
  clusters: `
    cluster, shard_num UInt32, shard_name, shard_weight UInt32, internal_replication UInt8, replica_num UInt32, host_name,
    host_address, port UInt16, is_local UInt8, user, default_database, errors_count UInt32, slowdowns_count UInt32,
    estimated_recovery_time UInt32, database_shard_name, database_replica_name, is_shared_catalog_cluster UInt8, is_active
    Nullable(UInt8), unsynced_after_recovery Nullable(UInt8), replication_lag Nullable(UInt32), recovery_time
    Nullable(UInt64), name ALIAS cluster
  `,
  parts: `
    partition, name, uuid UUID, part_type, active UInt8, marks UInt64, rows UInt64, files UInt64, bytes_on_disk UInt64,
    data_compressed_bytes UInt64, data_uncompressed_bytes UInt64, primary_key_size UInt64, marks_bytes UInt64,
    secondary_indices_compressed_bytes UInt64, secondary_indices_uncompressed_bytes UInt64, secondary_indices_marks_bytes
    UInt64, modification_time DateTime, remove_time DateTime, refcount UInt32, min_date Date, max_date Date, min_time
    DateTime, max_time DateTime, partition_id, min_block_number Int64, max_block_number Int64, level UInt32, data_version
    UInt64, primary_key_bytes_in_memory UInt64, primary_key_bytes_in_memory_allocated UInt64,
    index_granularity_bytes_in_memory UInt64, index_granularity_bytes_in_memory_allocated UInt64, is_frozen UInt8,
    database, table, engine, disk_name, path, hash_of_all_files, hash_of_uncompressed_files,
    uncompressed_hash_of_compressed_files, delete_ttl_info_min DateTime, delete_ttl_info_max DateTime,
    "move_ttl_info.expression" Array(String), "move_ttl_info.min" Array(DateTime), "move_ttl_info.max" Array(DateTime),
    default_compression_codec, "recompression_ttl_info.expression" Array(String), "recompression_ttl_info.min"
    Array(DateTime), "recompression_ttl_info.max" Array(DateTime), "group_by_ttl_info.expression" Array(String),
    "group_by_ttl_info.min" Array(DateTime), "group_by_ttl_info.max" Array(DateTime), "rows_where_ttl_info.expression"
    Array(String), "rows_where_ttl_info.min" Array(DateTime), "rows_where_ttl_info.max" Array(DateTime), projections
    Array(String), visible UInt8, creation_tid Tuple(UInt64, UInt64, UUID), removal_tid_lock UInt64, removal_tid
    Tuple(UInt64, UInt64, UUID), creation_csn UInt64, removal_csn UInt64, has_lightweight_delete UInt8,
    last_removal_attempt_time DateTime, removal_state, bytes ALIAS bytes_on_disk, marks_size ALIAS marks_bytes, part_name
    ALIAS name
  `,
  dictionaries: `
    database, name, uuid UUID, status Enum8('NOT_LOADED' = 0, 'LOADED' = 1, 'FAILED' = 2, 'LOADING' = 3,
    'FAILED_AND_RELOADING' = 4, 'LOADED_AND_RELOADING' = 5, 'NOT_EXIST' = 6), origin, type, "key.names" Array(String),
    "key.types" Array(String), "attribute.names" Array(String), "attribute.types" Array(String), bytes_allocated UInt64,
    hierarchical_index_bytes_allocated UInt64, query_count UInt64, hit_rate Float64, found_rate Float64, element_count
    UInt64, load_factor Float64, source, lifetime_min UInt64, lifetime_max UInt64, loading_start_time DateTime,
    last_successful_update_time DateTime, error_count UInt64, loading_duration Float32, last_exception, comment
  `,
  macros: 'macro, substitution',
  current_roles: 'role_name, with_admin_option UInt8, is_default UInt8',
  build_options: 'name, value',
  keywords: 'keyword',
  completions: 'word, context, belongs Nullable(String)',
};

/** Columns in lower case. Each column exists in upper case too; those listed in upper case have a type of their own there. */
const INFORMATION_SCHEMA = {
  tables: `
    table_catalog, table_schema, table_name, table_type, table_rows Nullable(UInt64), data_length Nullable(UInt64),
    index_length Nullable(UInt64), table_collation Nullable(String), table_comment Nullable(String)
  `,
  columns: `
    table_catalog, table_schema, table_name, column_name, ordinal_position UInt64, column_default, is_nullable, data_type,
    character_maximum_length Nullable(UInt64), character_octet_length Nullable(UInt64), numeric_precision
    Nullable(UInt64), numeric_precision_radix Nullable(UInt64), numeric_scale Nullable(UInt64), datetime_precision
    Nullable(UInt64), character_set_catalog Nullable(String), character_set_schema Nullable(String), character_set_name
    Nullable(String), collation_catalog Nullable(String), collation_schema Nullable(String), collation_name
    Nullable(String), domain_catalog Nullable(String), domain_schema Nullable(String), domain_name Nullable(String), extra
    Nullable(String), column_comment, column_type
  `,
  schemata: `
    catalog_name, schema_name, schema_owner, default_character_set_catalog Nullable(String), default_character_set_schema
    Nullable(String), default_character_set_name Nullable(String), sql_path Nullable(String)
  `,
  views: `
    table_catalog, table_schema, table_name, view_definition, check_option, is_updatable Enum8('NO' = 0, 'YES' = 1),
    is_insertable_into Enum8('NO' = 0, 'YES' = 1), is_trigger_updatable Enum8('NO' = 0, 'YES' = 1), is_trigger_deletable
    Enum8('NO' = 0, 'YES' = 1), is_trigger_insertable_into Enum8('NO' = 0, 'YES' = 1)
  `,
  key_column_usage: `
    constraint_catalog, constraint_schema, constraint_name Nullable(String), table_catalog, table_schema, table_name,
    column_name Nullable(String), ordinal_position UInt32, position_in_unique_constraint Nullable(UInt32),
    referenced_table_schema Nullable(String), referenced_table_name Nullable(String), referenced_column_name
    Nullable(String), CONSTRAINT_CATALOG Nullable(String), CONSTRAINT_SCHEMA Nullable(String)
  `,
  referential_constraints: `
    constraint_catalog, constraint_schema, constraint_name Nullable(String), unique_constraint_catalog,
    unique_constraint_schema, unique_constraint_name Nullable(String), match_option, update_rule, delete_rule, table_name,
    referenced_table_name
  `,
  statistics: `
    table_catalog, table_schema, table_name, non_unique Int32, index_schema, index_name Nullable(String), seq_in_index
    UInt32, column_name Nullable(String), collation Nullable(String), cardinality Nullable(Int64), sub_part
    Nullable(Int64), packed Nullable(String), nullable, index_type, comment, index_comment, is_visible, expression
    Nullable(String)
  `,
};

/** A column of a metadata table. */
export interface ShapeColumn {
  readonly name: string;
  readonly type: string;
  /** Name of the column whose value this column has. Undefined where it has its own. */
  readonly like?: string;
  /** Whether a star skips the column. */
  readonly isAlias?: true;
}

/** Columns of each metadata table, by `database.table`. */
export const SHAPES: ReadonlyMap<string, readonly ShapeColumn[]> = new Map([
  ...Object.entries(SYSTEM).map(([name, text]) => [`system.${name}`, withAliases(text)] as const),
  ...Object.entries(INFORMATION_SCHEMA).map(
    ([name, text]) => [`information_schema.${name}`, inBothCases(text)] as const,
  ),
]);

function columnsIn(text: string): readonly ShapeColumn[] {
  return parseTypeName(`Tuple(${text.replaceAll('"', '`')})`).args.map((arg) => {
    const { name = arg, type } = tupleField(arg);
    return { name: name.replaceAll('`', ''), type: type === arg ? 'String' : type };
  });
}

function withAliases(text: string): readonly ShapeColumn[] {
  const columns = columnsIn(text);
  return columns.map((column) => {
    const [, like] = /^ALIAS (\w+)$/.exec(column.type) ?? [];
    if (like === undefined) return column;
    return { ...column, type: columns.find(({ name }) => name === like)?.type ?? '', like, isAlias: true };
  });
}

function inBothCases(text: string): readonly ShapeColumn[] {
  const all = columnsIn(text);
  const lower = all.filter(({ name }) => name === name.toLowerCase());
  const upper = lower.map(({ name, type }) => ({
    name: name.toUpperCase(),
    type: all.find((column) => column.name === name.toUpperCase())?.type ?? type,
    like: name,
  }));
  return [...lower, ...upper];
}
