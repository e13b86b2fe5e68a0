import { readExample } from '../../../support/example-statements.js';
import { StatementProblem } from '../../../../src/gateway/tables/statement.js';

/** What drivers and tools of business intelligence send, with the kind of the statement and its tables, or ClickHouse's code of the problem. */
const SHAPES = [
  ['SELECT currentUser() AS user, timezone() AS timezone, version() AS version LIMIT 1', 'select'],
  [
    "SELECT '' AS TABLE_CAT, t.database AS TABLE_SCHEM, t.name AS TABLE_NAME, if(t.is_temporary = 1, concat('Temporary', t.engine), t.engine) AS TABLE_TYPE, t.comment AS REMARKS, d.engine AS TYPE_SCHEM FROM system.tables t JOIN system.databases d ON t.database = d.name WHERE t.database LIKE '%' AND t.name LIKE '%' AND (t.is_temporary = 0)",
    'select system.tables system.databases',
  ],
  [
    "SELECT database, table, name, type, toInt32(if(numeric_scale = 0, NULL, numeric_scale)) s, toInt32(numeric_precision_radix), comment, default_expression, character_octet_length::Nullable(Int32), toInt32(position) FROM system.columns WHERE database LIKE 'querygate' AND table LIKE '%' AND name LIKE '%' ORDER BY 1, 2, 10",
    'select system.columns',
  ],
  [
    "SELECT database, name, trim(c.1) FROM system.tables ARRAY JOIN arrayZip(splitByChar(',', primary_key), arrayEnumerate(splitByChar(',', primary_key))) AS c WHERE primary_key <> '' AND database ILIKE 'querygate'",
    'select system.tables',
  ],
  ['SELECT name FROM system.databases ORDER BY name', 'select system.databases'],
  ['SELECT count() FROM system.data_type_families', 'select system.data_type_families'],
  ['SELECT count() FROM system.functions', 'select system.functions'],
  [
    "WITH s AS (SELECT version() AS ver, splitByChar('.', ver) AS v) SELECT s.ver, toInt32(v[1]), toInt32(v[2]) FROM s",
    'select',
  ],
  ["SELECT value = '1' FROM system.settings WHERE name = 'cloud_mode'", 'select system.settings'],
  ['SELECT count() = 0 FROM system.clusters WHERE is_local = 0', 'select system.clusters'],
  ['SELECT timezone() AS tz', 'select'],
  [
    '-- Metabase\nSELECT `querygate`.`edge`.`path` AS `path`, COUNT(*) AS `count` FROM `querygate`.`edge` GROUP BY `querygate`.`edge`.`path` ORDER BY `querygate`.`edge`.`path` ASC LIMIT 2',
    'select querygate.edge',
  ],
  ['SELECT version(), timezone()', 'select'],
  ['SELECT name, value, readonly FROM system.settings LIMIT 10000', 'select system.settings'],
  ['SHOW DATABASES', 'select system.databases'],
  ['EXISTS DATABASE `querygate`', 'select'],
  ['EXISTS TABLE `querygate`.`edge`', 'select'],
  ['EXISTS TABLE `logs`.`edge`', 'select'],
  ['SHOW TABLES FROM `querygate`', 'select system.tables'],
  [
    "SELECT engine, engine_full, comment FROM system.tables WHERE database = 'querygate' AND name = 'edge'",
    'select system.tables',
  ],
  ['DESCRIBE TABLE `querygate`.`edge`', 'select system.columns'],
  ['DESCRIBE TABLE `querygate`.`by_status`', 'select system.columns'],
  [
    'SELECT name FROM system.functions UNION ALL SELECT name FROM system.table_functions LIMIT 10000',
    'select system.functions system.table_functions',
  ],
  ['SELECT * FROM (SELECT * FROM querygate.edge) AS virtual_table LIMIT 3', 'select querygate.edge'],
  ['EXPLAIN ESTIMATE SELECT count() FROM querygate.edge', '497'],
  ['SELECT displayName(), version(), revision(), timezone()', 'select'],
  ['SHOW TABLES FROM "querygate"', 'select system.tables'],
  ['DESC TABLE "querygate"."edge"', 'select system.columns'],
  [
    'SELECT name, is_aggregate, case_insensitive, alias_to, origin, description, syntax, arguments, returned_value, examples, categories FROM system.functions LIMIT 3',
    'select system.functions',
  ],
  ['SELECT name, type, table FROM system.columns', 'select system.columns'],
  ["SELECT name FROM system.tables WHERE database = 'querygate' ORDER BY name", 'select system.tables'],
  ["SELECT CAST(name, 'Nullable(String)') AS TABLE_CAT FROM system.databases", 'select system.databases'],
  [
    "SELECT CAST(database, 'Nullable(String)') AS TABLE_CAT, CAST(name, 'Nullable(String)') AS TABLE_NAME FROM system.tables WHERE (1 == 1) AND isNotNull(TABLE_CAT) AND coalesce(TABLE_CAT, '') LIKE '%' ORDER BY TABLE_CAT, TABLE_NAME",
    'select system.tables',
  ],
  [
    "SELECT database, table, name, type, position FROM system.columns WHERE database = 'querygate' AND table = 'edge' ORDER BY position",
    'select system.columns',
  ],
  [
    "SELECT database AS Database, table AS Table, name AS Name, type AS ProviderType FROM system.columns WHERE database = 'querygate'",
    'select system.columns',
  ],
  [
    "SELECT database, table, name FROM system.columns WHERE database NOT IN ('system')",
    'select system.columns',
  ],
  [
    "SELECT database, table, name, type AS data_type FROM system.columns WHERE database NOT IN ('system', 'information_schema', 'INFORMATION_SCHEMA')",
    'select system.columns',
  ],
  ['SELECT name, engine, comment FROM system.databases', 'select system.databases'],
  [
    "SELECT name, engine, total_rows, total_bytes, create_table_query, uuid, data_paths, metadata_path FROM system.tables WHERE database = 'querygate'",
    'select system.tables',
  ],
  [
    'SELECT table, sum(rows), sum(bytes) FROM system.parts WHERE active GROUP BY table',
    'select system.parts',
  ],
  ['SELECT count() FROM system.table_engines', 'select system.table_engines'],
  [
    "SELECT database, name, uuid, engine, partition_key, sorting_key, comment, as_select, create_table_query FROM system.tables WHERE database = 'querygate'",
    'select system.tables',
  ],
  ['SELECT name FROM system.users', '497'],
  ['SELECT name FROM system.roles', '497'],
  ['SELECT count() FROM system.dictionaries', '497'],
  ['SHOW CREATE TABLE querygate.edge', 'select system.tables'],
  [
    "SELECT table_catalog, table_schema, table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = 'querygate' LIMIT 2",
    'select information_schema.columns',
  ],
  [
    "SELECT table_schema, table_name, table_type FROM information_schema.tables WHERE table_schema = 'querygate'",
    'select information_schema.tables',
  ],
  ['SELECT schema_name FROM information_schema.schemata', 'select information_schema.schemata'],
  [
    "SELECT * FROM information_schema.views WHERE table_schema = 'querygate' LIMIT 2",
    'select information_schema.views',
  ],
  ['SELECT count() FROM information_schema.key_column_usage', 'select information_schema.key_column_usage'],
  [
    "SELECT count() FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_SCHEMA = 'querygate'",
    'select INFORMATION_SCHEMA.COLUMNS',
  ],
  [
    "SELECT t.name, t.database, multiIf(t.engine = 'View', 'view', 'table') FROM system.tables AS t LEFT JOIN system.databases AS db ON t.database = db.name WHERE t.database = 'querygate'",
    'select system.tables system.databases',
  ],
  ['SELECT count() FROM system.clusters', 'select system.clusters'],
  ['SELECT 1', 'select'],
  ['SELECT * FROM (SELECT * FROM `querygate`.`edge`) `t` LIMIT 0', 'select querygate.edge'],
  ['SELECT currentDatabase()', 'select'],
  ['SHOW COLUMNS FROM querygate.edge', 'select system.columns'],
  ["SHOW FUNCTIONS LIKE 'toStartOfD%'", 'select system.functions'],
  ["SHOW SETTINGS LIKE 'max_threads'", 'select system.settings'],
  ['SHOW PROCESSLIST', '497'],
  ['SHOW GRANTS', '497'],
  ['SHOW USERS', '497'],
  ['SHOW CLUSTERS', 'select system.clusters'],
  ['SHOW ENGINES', 'select system.table_engines'],
  ['USE querygate', 'nothing'],
  ['SET max_threads = 1', 'nothing'],
  ['SET ROLE NONE', 'nothing'],
  ["KILL QUERY WHERE query_id = 'x'", 'kill'],
  ['BEGIN TRANSACTION', '48'],
  ['SELECT count() FROM system.query_log', '497'],
  ['SELECT query, user FROM system.processes', '497'],
  ['SELECT 1 FROM system.one', 'select system.one'],
  ['SELECT number FROM system.numbers LIMIT 1', 'select system.numbers'],
  ['SELECT count() FROM system.time_zones', 'select system.time_zones'],
  ['SELECT count() FROM system.formats', 'select system.formats'],
  ["SELECT value FROM system.build_options WHERE name = 'VERSION_DESCRIBE'", '497'],
  ['SELECT count() FROM system.macros', '497'],
  ['SELECT name, path FROM system.disks', '497'],
  ['SELECT name, value FROM system.settings WHERE changed', 'select system.settings'],
  ['SELECT * FROM system.current_roles', '497'],
  ['SELECT count() FROM system.contributors', '497'],
  ['SELECT count() FROM system.keywords', '497'],
  ['SELECT count() FROM system.completions', '497'],
  ['SELECT count() FROM system.server_settings', '497'],
  ['SELECT count() FROM `querygate`.`usage.edge-rows`', 'select querygate.usage_edge_rows'],
  ['SELECT count() FROM "querygate"."usage.edge-rows"', 'select querygate.usage_edge_rows'],
  ['SELECT count() FROM `querygate`.`usage`.`edge-rows`', 'select querygate.usage_edge_rows'],
  ['SELECT count() FROM querygate.usage.edge-rows', '60'],
  ['SELECT sum(number) FROM numbers(10)', 'select system.numbers'],
  ['SELECT count() FROM querygate.by_status(status = 200)', 'select querygate.by_status'],
  ['SELECT count() FROM querygate.by_status', 'select querygate.by_status'],
  ['SELECT count() FROM querygate.by_status(status = {s:UInt16})', 'select querygate.by_status'],
] as const;

function outcome(sql: string): string {
  try {
    const statement = readExample(sql);
    const reads = 'reads' in statement ? statement.reads : [];
    return [statement.kind, ...reads.map(({ table }) => table)].join(' ');
  } catch (error) {
    return error instanceof StatementProblem ? String(error.number) : String(error);
  }
}

it.each(SHAPES)('reads %s', (sql, expected) => {
  expect(outcome(sql)).toBe(expected);
});
