import type { TableNames } from '../../src/gateway/tables/statement.js';

const SYSTEM =
  `tables columns databases settings functions table_functions clusters one numbers data_type_families table_engines parts
  time_zones formats`.split(/\s+/);
const SCHEMA = ['tables', 'columns', 'schemata', 'views', 'key_column_usage'];

/** Tables of a database, which a name without one means, beside some of ClickHouse's own. */
export function tableNames(database: string, tables: readonly string[]): TableNames {
  const all = [
    ...tables.map((table) => `${database}.${table}`),
    ...SYSTEM.map((table) => `system.${table}`),
    ...SCHEMA.flatMap((table) => [
      `information_schema.${table}`,
      `INFORMATION_SCHEMA.${table.toUpperCase()}`,
    ]),
  ];
  const databases = new Set(all.map((table) => table.slice(0, table.indexOf('.'))));
  return {
    find: (of = database, table) => all.find((one) => one === `${of}.${table}`),
    isDatabase: (name) => databases.has(name),
    removal: () => undefined,
    all: () => all,
  };
}
