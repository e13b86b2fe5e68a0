import { localName } from '../../gateway/schema/cluster-names.js';
import { escapeXml, unescapeXml } from '../xml.js';
import { sortedGrants, type Grant } from '../../gateway/analysis/reads/grant.js';
import { CONSTANT_SETTINGS, QUERY_CEILINGS, RESULT_CEILINGS, type Ceiling } from './reader-profile.js';

/** The environment variable of the ClickHouse server with the reader's password, so that no file contains it. */
export const READER_PASSWORD_VARIABLE = 'QUERYGATE_CLICKHOUSE_PASSWORD';

/** The users file of a project, in its schema folder. */
export const USERS_FILE = 'users.d/querygate.xml';

/** The name of the read-only user, of the embedded server too. */
export const READER_USER = 'querygate';

/**
 * The whole users file of the read-only user.
 *
 * @param user its name: letters, digits, `_` and `-`.
 * @param grants statements without a user, such as `GRANT SELECT ON shop.orders`.
 */
export function readerUserFile(user: string, grants: readonly string[]): string {
  return `${HEAD}${PROFILES}
    <users>
        <${user}>
            <password from_env="${READER_PASSWORD_VARIABLE}"/>
            <networks><ip>::/0</ip></networks>
            <profile>querygate</profile>
            <quota>default</quota>
            <grants>
${grants.map((grant) => `                <query>${escapeXml(grant)}</query>\n`).join('')}            </grants>
        </${user}>
    </users>
</clickhouse>
`;
}

/**
 * The grants, and those on the local tables of a cluster: a shard runs the query as the user that sent it
 * (docs/how-to/scale-clickhouse.md). So one users file serves one server and a cluster.
 */
export function withLocalTables(grants: readonly Grant[]): readonly Grant[] {
  const local = grants
    .filter(({ isStored }) => isStored)
    .map((grant) => ({ ...grant, name: localName(grant.name), isStored: false }));
  return sortedGrants([...grants, ...local]);
}

/** The grants of a users file, as statements without a user. */
export function grantsInUsersFile(text: string): readonly string[] {
  const withoutComments = text.replaceAll(/<!--[^]*?-->/g, '');
  return [...withoutComments.matchAll(/<query>([^]*?)<\/query>/g)].map(([, query = '']) =>
    unescapeXml(query).trim(),
  );
}

const HEAD = `<!--
  The read-only ClickHouse user of the gateway: SELECT on the tables that the endpoints read, with limits that no query
  can raise. Mount this file as /etc/clickhouse-server/users.d/querygate.xml, and set ${READER_PASSWORD_VARIABLE} for the
  server. Written by "querygate grants" with the option xml: run it again when an endpoint reads another table, or for
  another database. Grants on NAME_local are for a cluster.
-->
<clickhouse>
`;

const element = (name: string, content: string | number): string => `<${name}>${content}</${name}>`;
const lines = (indent: number, texts: readonly string[]): string =>
  texts.map((text) => `${' '.repeat(indent)}${text}\n`).join('');
const constraints = (settings: readonly Ceiling[], least: string): string =>
  lines(
    16,
    settings.map(({ name, most }) => element(name, `${least}<max>${most}</max>`)),
  );

const PROFILES = `    <profiles>
        <querygate>
            <!-- 2, not 1: the gateway sets limits and output formats for each query, within the constraints below. -->
            <readonly>2</readonly>
${lines(
  12,
  [...QUERY_CEILINGS, ...RESULT_CEILINGS].map(({ name, usual }) => element(name, usual)),
)}            <constraints>
                <!-- A minimum of 1 because 0 would mean without a limit. -->
${constraints(QUERY_CEILINGS, '<min>1</min>')}                <!-- Not a minimum: ClickHouse sends a shard a subquery without such limits, which would then fail the minimum. -->
${constraints(RESULT_CEILINGS, '<disallowed>0</disallowed>')}${lines(
  16,
  CONSTANT_SETTINGS.map((name) => element(name, '<readonly/>')),
)}            </constraints>
        </querygate>
    </profiles>`;
