/**
 * What clients ask of the metadata, by the client, of one database `DB`: the rows are those of real views. The others ask of all databases,
 * of which a real server has more.
 */
export const OF_ONE_DATABASE: readonly (readonly [string, string])[] = [
  [
    'JDBC, tables',
    "SELECT '' AS TABLE_CAT, t.database AS TABLE_SCHEM, t.name AS TABLE_NAME, if(t.is_temporary = 1, concat('Temporary', t.engine), t.engine) AS TABLE_TYPE, t.comment AS REMARKS FROM system.tables t JOIN system.databases d ON t.database = d.name WHERE t.database LIKE 'DB' AND t.name LIKE '%' AND (t.is_temporary = 0) ORDER BY TABLE_NAME",
  ],
  [
    'JDBC, columns',
    "SELECT database, table, name, type, toInt32(if(numeric_scale = 0, NULL, numeric_scale)) s, toInt32(numeric_precision_radix), comment, default_expression, character_octet_length::Nullable(Int32), toInt32(position) FROM system.columns WHERE database LIKE 'DB' AND table LIKE '%' AND name LIKE '%' ORDER BY 1, 2, 10",
  ],
  [
    'JDBC, primary keys',
    "SELECT database, name, trim(c.1) FROM system.tables ARRAY JOIN arrayZip(splitByChar(',', primary_key), arrayEnumerate(splitByChar(',', primary_key))) AS c WHERE primary_key <> '' AND database ILIKE 'DB'",
  ],
  [
    'clickhouse-connect, a table',
    "SELECT engine, engine_full, comment FROM system.tables WHERE database = 'DB' AND name = 'all_types'",
  ],
  ['Grafana, tables', "SELECT name FROM system.tables WHERE database = 'DB' ORDER BY name"],
  [
    'ODBC, tables',
    "SELECT CAST(database, 'Nullable(String)') AS TABLE_CAT, CAST(name, 'Nullable(String)') AS TABLE_NAME FROM system.tables WHERE (1 == 1) AND isNotNull(TABLE_CAT) AND coalesce(TABLE_CAT, '') LIKE 'DB' ORDER BY TABLE_CAT, TABLE_NAME",
  ],
  [
    'ODBC, columns',
    "SELECT database, table, name, type, position FROM system.columns WHERE database = 'DB' AND table = 'all_types' ORDER BY position",
  ],
  [
    'C#, columns',
    "SELECT database AS Database, table AS Table, name AS Name, type AS ProviderType FROM system.columns WHERE database = 'DB' ORDER BY table, position",
  ],
  [
    'Redash, columns',
    "SELECT database, table, name, type AS data_type FROM system.columns WHERE database NOT IN ('system', 'information_schema', 'INFORMATION_SCHEMA') AND database = 'DB' ORDER BY table, position",
  ],
  [
    'DBeaver, tables',
    "SELECT name, engine, total_rows, total_bytes, data_paths FROM system.tables WHERE database = 'DB' ORDER BY name",
  ],
  [
    'DataGrip, tables',
    "SELECT database, name, engine, partition_key, sorting_key, comment FROM system.tables WHERE database = 'DB' ORDER BY name",
  ],
  [
    'dbt, relations',
    "SELECT t.name, t.database, multiIf(t.engine = 'View', 'view', 'table') FROM system.tables AS t LEFT JOIN system.databases AS db ON t.database = db.name WHERE t.database = 'DB' ORDER BY t.name",
  ],
  [
    'Lightdash, columns',
    "SELECT table_catalog, table_schema, table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = 'DB' ORDER BY table_name, ordinal_position",
  ],
  [
    'information_schema, columns',
    "SELECT * FROM information_schema.columns WHERE table_schema = 'DB' ORDER BY table_name, ordinal_position",
  ],
  [
    'information_schema, tables',
    "SELECT * FROM information_schema.tables WHERE table_schema = 'DB' ORDER BY table_name",
  ],
  [
    'information_schema, views',
    "SELECT * EXCEPT (view_definition, VIEW_DEFINITION) FROM information_schema.views WHERE table_schema = 'DB' ORDER BY table_name",
  ],
  [
    'information_schema, schemata',
    "SELECT * FROM information_schema.schemata WHERE schema_name IN ('system', 'information_schema') ORDER BY schema_name",
  ],
  [
    'INFORMATION_SCHEMA in upper case',
    "SELECT count() FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_SCHEMA = 'DB'",
  ],
  ['a count without columns', "SELECT count() FROM system.databases WHERE database = 'DB'"],
  [
    'aliases of columns',
    "SELECT c.column, t.table, d.database FROM system.columns AS c JOIN system.tables AS t ON c.table = t.table JOIN system.databases AS d ON t.database = d.database WHERE c.database = 'DB' AND t.database = 'DB' ORDER BY t.table, c.position",
  ],
  [
    'everything of tables',
    "SELECT * EXCEPT (uuid, metadata_path, metadata_modification_time, create_table_query, as_select) FROM system.tables WHERE database = 'DB' ORDER BY name",
  ],
  ['everything of columns', "SELECT * FROM system.columns WHERE database = 'DB' ORDER BY table, position"],
];

/** What clients ask of all databases, and of the server, with the rows of two tables. */
export const OF_ALL_DATABASES: readonly (readonly [string, string, readonly (readonly unknown[])[]])[] = [
  [
    'JDBC, schemas',
    'SELECT name FROM system.databases ORDER BY name',
    [['INFORMATION_SCHEMA'], ['information_schema'], ['querygate'], ['system']],
  ],
  [
    'ODBC, catalogs',
    "SELECT CAST(name, 'Nullable(String)') AS TABLE_CAT FROM system.databases WHERE name > 'j'",
    [['querygate'], ['system']],
  ],
  [
    'DBeaver, databases',
    "SELECT name, engine, comment FROM system.databases WHERE name = 'querygate'",
    [['querygate', 'Memory', '']],
  ],
  [
    'information_schema, schemata',
    "SELECT schema_name FROM information_schema.schemata WHERE schema_name LIKE 'q%'",
    [['querygate']],
  ],
  ['Metabase, cloud', "SELECT value = '1' FROM system.settings WHERE name = 'cloud_mode'", []],
  ['Metabase, one node', 'SELECT count() = 0 FROM system.clusters WHERE is_local = 0', [[1]]],
  ['dbt, clusters', 'SELECT count() FROM system.clusters', [['0']]],
  ['DBeaver, parts', 'SELECT table, sum(rows), sum(bytes) FROM system.parts WHERE active GROUP BY table', []],
  ['DataGrip, dictionaries', 'SELECT count() FROM system.dictionaries', [['0']]],
  [
    'Redash, columns',
    "SELECT count(), uniq(database, table) FROM system.columns WHERE database NOT IN ('system')",
    [['31', '2']],
  ],
  [
    'Grafana, columns',
    "SELECT name, type, table FROM system.columns WHERE table = 'with_arguments'",
    [['a', 'UInt64', 'with_arguments']],
  ],
  ['keys', 'SELECT count() FROM information_schema.key_column_usage', [['0']]],
  ['references', 'SELECT * FROM information_schema.referential_constraints', []],
  ['statistics', 'SELECT * FROM INFORMATION_SCHEMA.STATISTICS', []],
  ['macros', 'SELECT count() FROM system.macros', [['0']]],
  ['build options', "SELECT value FROM system.build_options WHERE name = 'VERSION_DESCRIBE'", []],
  ['changed settings', 'SELECT name, value FROM system.settings WHERE changed', []],
  ['roles', 'SELECT * FROM system.current_roles', []],
  ['one', 'SELECT 1 FROM system.one', [[1]]],
  ['numbers', 'SELECT number FROM system.numbers LIMIT 1', [['0']]],
  ['JDBC, types', 'SELECT count() > 50 FROM system.data_type_families', [[1]]],
  ['JDBC, functions', 'SELECT count() > 1000 FROM system.functions', [[1]]],
  [
    'Superset, functions',
    'SELECT count() > 1000 FROM (SELECT name FROM system.functions UNION ALL SELECT name FROM system.table_functions LIMIT 10000)',
    [[1]],
  ],
  [
    'Grafana, functions',
    "SELECT name, is_aggregate, case_insensitive, alias_to, origin FROM system.functions WHERE name = 'count'",
    [['count', 1, 1, '', 'System']],
  ],
  ['DBeaver, engines', "SELECT name FROM system.table_engines WHERE name = 'MergeTree'", [['MergeTree']]],
  ['time zones', "SELECT * FROM system.time_zones WHERE time_zone = 'Europe/Berlin'", [['Europe/Berlin']]],
  ['formats', "SELECT name FROM system.formats WHERE name = 'CSV'", [['CSV']]],
  ['contributors', 'SELECT count() > 1000 FROM system.contributors', [[1]]],
  ['keywords', 'SELECT count() FROM system.keywords', [['0']]],
  ['completions', 'SELECT count() FROM system.completions', [['0']]],
];
