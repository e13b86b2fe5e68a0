import { sharedSqlGateway, type SqlEndpoints } from '../../support/sql-gateway.js';
import {
  applySchema,
  CLUSTER,
  openSharedCluster,
  type ShardedServers,
} from '../../support/sharded-servers.js';
import { fillTables, NOW } from '../sandbox/non-interference/hidden-rows.js';

const HEADER = [
  'parameters: { project: { kind: string, description: Project. } }',
  'columns: { id: UUID, text: String }',
  'tenant: { edge_logs: project, auth_logs: project }',
  ...['tables: true', 'example: {}'],
];
/** No filter: rows of others are hidden by `tenant` alone. */
const UNFILTERED = "[[ AND @project != '' ]]";
const ENDPOINTS: SqlEndpoints = {
  plain: [HEADER, `SELECT id, event_message AS text FROM edge_logs WHERE 1 ${UNFILTERED}`],
  aliased: [HEADER, `SELECT l.id AS id, l.event_message AS text FROM edge_logs AS l WHERE 1 ${UNFILTERED}`],
  nested: [
    HEADER,
    `WITH a AS (SELECT id, event_message AS text FROM auth_logs) SELECT id, text FROM (SELECT * FROM a) WHERE 1 ${UNFILTERED}`,
  ],
  union: [
    HEADER,
    `SELECT id, event_message AS text FROM edge_logs WHERE 1 ${UNFILTERED} UNION ALL SELECT id, event_message FROM auth_logs`,
  ],
  'in-set': [
    HEADER,
    `SELECT id, event_message AS text FROM edge_logs WHERE id GLOBAL IN (SELECT id FROM auth_logs) ${UNFILTERED}`,
  ],
  joined: [
    HEADER,
    `SELECT e.id AS id, a.event_message AS text FROM edge_logs AS e GLOBAL JOIN auth_logs AS a ON e.id = a.id WHERE 1 ${UNFILTERED}`,
  ],
  grouped: [
    HEADER,
    `SELECT max(id) AS id, toString(count()) AS text FROM edge_logs WHERE 1 ${UNFILTERED} GROUP BY event_message`,
  ],
};

let cluster: ShardedServers;
const opened = sharedSqlGateway(
  { CLICKHOUSE_CLUSTER: CLUSTER },
  {
    connect: async () => {
      cluster = await openSharedCluster('sql_on_shards');
      await applySchema(cluster);
      const servers = cluster.shards.map(({ admin }) => admin);
      await fillTables(servers, '_local', 'poisonous');
      return cluster.shards[0].admin;
    },
    endpoints: ENDPOINTS,
    keys: Object.fromEntries(
      ['mine', 'abel', 'zeno', 'nobody'].map((project) => [project, { fixed: { project } }]),
    ),
    clock: () => NOW,
  },
);
afterAll(() => cluster.close());

const sorted = (rows: readonly { id: string; text: string }[]): readonly string[] =>
  rows.map(({ id, text }) => `${id} ${text}`).sort();

async function byRest(endpoint: string, key: string): Promise<readonly string[]> {
  const response = await fetch(`${opened().gateway.url}/api/endpoints/query/${endpoint}`, {
    headers: { 'X-API-KEY': key },
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return sorted((JSON.parse(text) as { result: { id: string; text: string }[] }).result);
}

async function bySql(sql: string, key: string): Promise<readonly string[]> {
  const text = await opened().rows(sql, { key, search: { default_format: 'JSONEachRow' } });
  return sorted(
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { id: string; text: string }),
  );
}

describe.each(['mine', 'abel', 'zeno', 'nobody'])('on two shards, the key of the project %s', (project) => {
  const key = `qg_${project}`;

  it.each(Object.keys(ENDPOINTS))('has the rows that it has by HTTP of %s', async (endpoint) => {
    const expected = await byRest(endpoint, key);
    const table = endpoint.replaceAll('-', '_');
    expect(expected.length > 0).toBe(project !== 'nobody');
    expect(await bySql(`SELECT * FROM ${table}`, key)).toEqual(expected);
    const twice = `SELECT a.id AS id, a.text AS text FROM ${table} AS a JOIN (SELECT id, count() AS n FROM ${table} GROUP BY id) AS b USING id`;
    expect(await bySql(twice, key)).toEqual(expected);
    const inSet = `SELECT * FROM ${table} WHERE id IN (SELECT id FROM ${table}) LIMIT 1000`;
    expect(await bySql(inSet, key)).toEqual(expected);
    const withPlain = `SELECT * FROM ${table} UNION ALL SELECT * FROM plain WHERE id NOT IN (SELECT id FROM plain)`;
    expect(await bySql(withPlain, key)).toEqual(expected);
  });
});
