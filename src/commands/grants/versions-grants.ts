import { writtenName } from '../../gateway/analysis/reads/grant.js';

/** What the gateway reads of ClickHouse's own tables to know in which version tables are. */
const SYSTEM_TABLES = [
  ...['one', 'tables', 'columns', 'functions', 'parts', 'parts_columns', 'mutations', 'row_policies'],
];

/** The rights of the user that reads the versions of the tables of a database, as statements without a user. */
export function versionsGrants(database: string): readonly string[] {
  return [
    // The user needs it, because ClickHouse analyses queries for it, and lists only tables that it may read.
    `GRANT SELECT ON ${writtenName(database)}.*`,
    ...SYSTEM_TABLES.map((table) => `GRANT SELECT ON system.${table}`),
    'GRANT SHOW ROW POLICIES ON *.*',
  ];
}
