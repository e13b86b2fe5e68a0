import { grantStatement, writtenName, type Grant } from '../../gateway/analysis/reads/grant.js';
import { CONSTANT_SETTINGS, QUERY_CEILINGS, RESULT_CEILINGS } from './reader-profile.js';
import { versionsGrants } from './versions-grants.js';

/** The users of a gateway, and where they are created. */
export interface GatewayUsers {
  readonly reader: string;
  readonly log: string;
  readonly versions: string;
  readonly database: string;
  readonly cluster: string | undefined;
}

/** Tables that the user of the request log writes. */
const LOG_TABLES = ['gateway_requests', 'querygate_calls'];

const PROFILE = [
  'readonly = 2',
  ...QUERY_CEILINGS.map(({ name, usual, most }) => `${name} = ${usual} MIN 1 MAX ${most}`),
  ...RESULT_CEILINGS.map(({ name, usual, most }) => `${name} = ${usual} MAX ${most}`),
  ...CONSTANT_SETTINGS.map((name) => `${name} CONST`),
];

/**
 * All that ClickHouse needs for a gateway as SQL: the read-only user with its profile, and the users of the request log and of
 * versions. It can run again. Passwords are query parameters, so that no text has them, and none is forgotten.
 */
export function userStatements(users: GatewayUsers, grants: readonly Grant[]): string {
  const { database, cluster } = users;
  const on = cluster === undefined ? '' : ` ON CLUSTER ${writtenName(cluster)}`;
  const [reader, log, versions] = [users.reader, users.log, users.versions].map(writtenName);
  const create = (user = '', password: string): string =>
    `CREATE USER IF NOT EXISTS ${user}${on} IDENTIFIED WITH sha256_password BY {${password}:String}`;
  const grant = (statement: string, user = ''): string =>
    `${statement.replace(/^GRANT/, `GRANT${on}`)} TO ${user}`;
  const stored =
    cluster === undefined ? LOG_TABLES : LOG_TABLES.flatMap((table) => [table, `${table}_local`]);
  return [
    '-- For an administrator of ClickHouse. The passwords are parameters, which the same session must have before:',
    "-- SET param_reader_password = '…', param_log_password = '…', param_versions_password = '…';",
    '',
    '-- CLICKHOUSE_USER, read-only, with limits that no query can raise.',
    `CREATE SETTINGS PROFILE IF NOT EXISTS ${reader}${on};`,
    `ALTER SETTINGS PROFILE ${reader}${on} SETTINGS\n  ${PROFILE.join(',\n  ')};`,
    `${create(reader, 'reader_password')};`,
    `ALTER USER ${reader}${on} SETTINGS PROFILE ${reader};`,
    ...grants.map((each) => `${grant(grantStatement(each), reader)};`),
    '',
    '-- CLICKHOUSE_LOG_USER, which writes the request log. Where the gateway has it, set it for this command too: its endpoints then count.',
    `${create(log, 'log_password')};`,
    ...stored.map((table) => `${grant(`GRANT INSERT ON ${writtenName(database)}.${table}`, log)};`),
    '',
    '-- CLICKHOUSE_VERSIONS_USER, for endpoints that cache until their data changes.',
    `${create(versions, 'versions_password')};`,
    ...versionsGrants(database).map((statement) => `${grant(statement, versions)};`),
    '',
  ].join('\n');
}
