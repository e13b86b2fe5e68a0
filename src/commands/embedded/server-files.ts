import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';

import { ifPresent } from '../../files/if-present.js';
import { replaceFile } from '../../files/replace-file.js';
import { escapeXml } from '../xml.js';
import { grantsInUsersFile, READER_USER, readerUserFile, USERS_FILE } from '../grants/reader-user-file.js';

/** The environment variable with the administrator's password, so that no file contains it. */
export const ADMIN_PASSWORD_VARIABLE = 'QUERYGATE_CLICKHOUSE_ADMIN_PASSWORD';

export const ADMIN_USER = 'querygate_admin';

export interface ServerFilesOptions {
  readonly port: number;
  /** Rights of the read-only user, who has no others: statements without a user. */
  readonly grants: readonly string[];
  readonly extraConfig?: string;
}

/**
 * Writes the embedded server's configuration into a folder, readable by its owner only, and removes its log of queries.
 *
 * @returns path of the configuration file.
 */
export async function writeServerFiles(
  folder: string,
  { port, grants, extraConfig }: ServerFilesOptions,
): Promise<string> {
  const files = {
    [CONFIG_FILE]: configXml(folder, port),
    'users.xml': USERS_XML,
    // The profile of the reader is the same as in production.
    [USERS_FILE]: readerUserFile(READER_USER, grants),
    ...(extraConfig !== undefined && { 'config.d/extra.xml': extraConfig }),
  };
  // The engine keeps the rows of its own tables without their definitions, and could not create the tables again.
  await rm(path.join(folder, 'data', 'data', 'system'), { recursive: true, force: true });
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await replaceFile(file, text, 0o600);
  }
  return path.join(folder, CONFIG_FILE);
}

/** The rights of the read-only user in the files of a folder, so that a start with the same rights need not restart the server; none in a new folder. */
export async function grantsOfLastStart(folder: string): Promise<readonly string[]> {
  return grantsInUsersFile((await ifPresent(readFile(path.join(folder, USERS_FILE), 'utf8'))) ?? '');
}

const CONFIG_FILE = 'config.xml';

const configXml = (folder: string, port: number): string => `<clickhouse>
    <path>${escapeXml(path.join(folder, 'data'))}/</path>
    <tmp_path>${escapeXml(path.join(folder, 'tmp'))}/</tmp_path>
    <user_files_path>${escapeXml(path.join(folder, 'user_files'))}/</user_files_path>
    <format_schema_path>${escapeXml(path.join(folder, 'format_schemas'))}/</format_schema_path>
    <http_port>${port}</http_port>
    <listen_host>127.0.0.1</listen_host>
    <keep_alive_timeout>10</keep_alive_timeout>
    <user_directories>
        <users_xml><path>${escapeXml(path.join(folder, 'users.xml'))}</path></users_xml>
    </user_directories>
    <access_control_improvements>
        <select_from_system_db_requires_grant>true</select_from_system_db_requires_grant>
        <select_from_information_schema_requires_grant>true</select_from_information_schema_requires_grant>
    </access_control_improvements>
    <http_authentication_servers>
        <own_session>
            <uri from_env="QUERYGATE_OWN_SESSION_URL"/>
            <connection_timeout_ms>30000</connection_timeout_ms>
            <receive_timeout_ms>30000</receive_timeout_ms>
            <send_timeout_ms>30000</send_timeout_ms>
            <max_tries>1</max_tries>
        </own_session>
    </http_authentication_servers>
    <query_log>
        <database>system</database>
        <table>query_log</table>
        <partition_by>toYYYYMM(event_date)</partition_by>
        <ttl>event_date + INTERVAL 7 DAY DELETE</ttl>
        <flush_interval_milliseconds>7500</flush_interval_milliseconds>
    </query_log>
</clickhouse>
`;

// The engine starts with the defaults of clickhouse-local; the first two settings restore those of a server.
const USERS_XML = `<clickhouse>
    <profiles>
        <default>
            <implicit_select>0</implicit_select>
            <allow_introspection_functions>0</allow_introspection_functions>
        </default>
    </profiles>
    <users>
        <default>
            <http_authentication><server>own_session</server><scheme>basic</scheme></http_authentication>
            <networks><ip>127.0.0.1</ip></networks>
            <profile>default</profile>
            <quota>default</quota>
        </default>
        <${ADMIN_USER}>
            <password from_env="${ADMIN_PASSWORD_VARIABLE}"/>
            <networks><ip>127.0.0.1</ip></networks>
            <profile>default</profile>
            <quota>default</quota>
        </${ADMIN_USER}>
    </users>
    <quotas><default/></quotas>
</clickhouse>
`;
