import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { runFirstQuery } from '../../src/commands/check/first-query.js';
import { concurrently } from '../../src/endpoint/concurrently.js';
import { EmbeddedServer } from '../../src/commands/embedded/embedded-server.js';
import { connectClickHouse, type QueryClient } from '../../src/gateway/clickhouse/connect-clickhouse.js';
import type { ClickHouseConnection } from '../../src/gateway/clickhouse/connection.js';
import { decidesRows } from '../../src/gateway/clickhouse/row-settings.js';
import { readConfig } from '../../src/gateway/config/config.js';
import { openGateway, type Gateway } from '../../src/gateway/server/compose.js';
import { contraryValue, type KnownSetting } from '../support/contrary-settings.js';
import { variablesOf } from '../support/demo-database.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { QUERIES, TABLES, usersXml, writeEndpoints } from '../support/settings-of-others.js';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

const FORMATS = ['json', 'json-table', 'ndjson', 'csv', 'tsv', 'parquet', 'arrow'];

let folder: TemporaryFolder;
let server: EmbeddedServer;
let admin: QueryClient;
let first: readonly KnownSetting[];

const CUTTING = [
  ['max_rows_to_group_by', '1000'],
  ['group_by_overflow_mode', 'any'],
  ['limit', '2'],
  ['join_use_nulls', '1'],
] as const;

const as = (username: string): ClickHouseConnection => ({
  ...server.adminConnection,
  ...{ username, password: 'secret', database: 'default' },
});
const connect = (username: string): QueryClient =>
  connectClickHouse(as(username), { maxOpenConnections: 4, requestTimeoutMs: 20_000 });

/** Runs a test's body with a gateway that queries as a user. */
async function withGateway(
  username: string,
  use: (gateway: Gateway, logger: RecordingLogger) => Promise<void>,
): Promise<void> {
  const logger = new RecordingLogger();
  const versions = { CLICKHOUSE_VERSIONS_USER: username, CLICKHOUSE_VERSIONS_PASSWORD: 'secret' };
  const environment = {
    ...{ PORT: '0', SQL_PORT: '0' },
    PROJECT_DIR: folder.path,
    ...variablesOf(as(username)),
    ...versions,
  };
  const config = readConfig({ ...environment, API_KEY: 'qg_settings_of_others' });
  const gateway = await openGateway(config, { logger, clock: () => new Date() });
  try {
    await use(gateway, logger);
  } finally {
    await gateway.close(0);
  }
}

const call = (gateway: Gateway, target: string): Promise<Response> =>
  fetch(`${gateway.url}/api/endpoints/query/${target}`, {
    headers: { Authorization: 'Bearer qg_settings_of_others' },
  });

async function bodyOf(gateway: Gateway, target: string): Promise<string> {
  const response = await call(gateway, target);
  const body = Buffer.from(await response.arrayBuffer()).toString('latin1');
  return `${response.status} ${body.replace(/"elapsed":[\d.e-]+/, '')}`;
}

async function everyBody(gateway: Gateway, formats = FORMATS): Promise<ReadonlyMap<string, string>> {
  const targets = Object.keys(QUERIES).flatMap((name) => [
    ...formats.map((format) => `${name}?format=${format}`),
    `${name}?format=csv&export=1`,
  ]);
  const sql = encodeURIComponent('SELECT n, s FROM result ORDER BY n');
  const page = await call(gateway, 'rows');
  const cursor = encodeURIComponent(page.headers.get('x-next-cursor') ?? '');
  const all = [...targets, `rows?sql=${sql}`, `rows?cursor=${cursor}`];
  const bodies = new Map<string, string>();
  // A few at a time: the queue of exports is short.
  await concurrently(all, 4, async (target) => {
    bodies.set(target.replace(/cursor=.*/, 'cursor'), await bodyOf(gateway, target));
  });
  return bodies;
}

let plain: ReadonlyMap<string, string>;

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  await writeEndpoints(folder.path);
  server = await EmbeddedServer.start({
    dataDir: path.join(folder.path, 'data'),
    ...{ database: 'default', grants: [], onCrash: () => undefined },
  });
  admin = connectClickHouse(server.adminConnection, { maxOpenConnections: 2, requestTimeoutMs: 20_000 });
  const settings = await admin.query({
    query: "SELECT name, type, default FROM system.settings WHERE alias_for = '' AND NOT is_obsolete",
    format: 'JSONEachRow',
  });
  first = (await settings.json<KnownSetting>()).filter(({ name }) => decidesRows(name));
  for (const query of TABLES) await admin.command({ query });
  const contrary = first
    .filter(({ name }) => name !== 'compatibility')
    .map((known) => [known.name, contraryValue(known)] as const);
  const file = path.join(folder.path, 'data', 'clickhouse', 'users.d', 'tested.xml');
  const users = usersXml(
    {
      plain: [],
      contrary,
      cutting: CUTTING,
      early: [
        ['compatibility', '22.3'],
        ['join_use_nulls', '1'],
      ],
      bound: CUTTING,
      unyielding: [],
    },
    {
      bound: '<constraints><group_by_overflow_mode><readonly/></group_by_overflow_mode></constraints>',
      unyielding:
        '<constraints><os_threads_nice_value_query><max>10</max></os_threads_nice_value_query></constraints>',
    },
  );
  await writeFile(file, users);
  await server.restartWith(['GRANT SELECT ON default.shop']);
  await withGateway('plain', async (gateway, logger) => {
    plain = await everyBody(gateway);
    expect(logger.lines.filter(({ message }) => message.includes('overridden'))).toEqual([]);
  });
}, 120_000);

afterAll(async () => {
  await admin.close();
  await server.stop();
  await folder.remove();
});

it('compares results that are right', () => {
  expect(plain.get('groups?format=json')).toBe('200 {"result":[{"groups":200000,"rows":200000}]}');
  expect([...plain].filter(([, body]) => !body.startsWith('200 '))).toEqual([]);
});

it.each([
  ['contrary', FORMATS],
  ['cutting', ['json', 'arrow']],
  ['early', ['json', 'arrow']],
])(
  'returns the results of a plain user to one whose profile is %s',
  async (user, formats) => {
    await withGateway(user, async (gateway, logger) => {
      const bodies = await everyBody(gateway, formats);
      // A limit of the profile stays: what exceeds it is an error.
      const isLimited = (target: string): boolean => user === 'cutting' && target.startsWith('groups');
      for (const [target, body] of bodies)
        if (isLimited(target)) expect(body).toMatch(/^422 .*QUERY_READS_TOO_MUCH/);
        else expect([target, body]).toEqual([target, plain.get(target)]);
      const [warning] = logger.lines.filter(({ level }) => level === 'warn');
      expect(warning?.message).toBe('the ClickHouse user’s settings that change results are overridden');
      expect((await fetch(`${gateway.url}/health/ready`)).status).toBe(200);
    });
  },
  60_000,
);

it('sends nothing for a plain user, and an empty compatibility with what is left beside it', async () => {
  const [ofPlain, ofEarly] = [connect('plain'), connect('early')];
  await ofPlain.overrides.read();
  expect(ofPlain.overrides.search).toBe('');
  await ofEarly.overrides.read();
  expect(ofEarly.overrides.settings).toEqual({ compatibility: '', join_use_nulls: '0' });
  await Promise.all([ofPlain.close(), ofEarly.close()]);
});

it('overrides every setting that decides rows', async () => {
  const client = connect('contrary');
  await client.overrides.read();
  const names = first.map(({ name }) => name).filter((name) => name !== 'compatibility');
  expect(Object.keys(client.overrides.settings).sort()).toEqual(names.sort());
  await client.close();
});

it('overrides in every query that the gateway sent', async () => {
  await admin.command({ query: 'SYSTEM FLUSH LOGS' });
  const result = await admin.query({
    query: `SELECT query, Settings['group_by_overflow_mode'] = 'any' OR Settings['limit'] = '2' AS isCut FROM system.query_log
      WHERE user = 'cutting' AND type != 'QueryStart' AND is_initial_query AND query NOT LIKE '%FROM system.settings%'`,
    format: 'JSONEachRow',
  });
  const queries = await result.json<{ readonly query: string; readonly isCut: number }>();
  expect(queries.filter(({ isCut }) => isCut === 1)).toEqual([]);
  // Calls and exports, pages, analyses, own SQL, and versions of tables.
  const kinds = [
    /FORMAT Template/,
    /FORMAT Arrow/,
    /DESCRIBE/,
    /formatQuery/,
    /EXPLAIN QUERY TREE/,
    /system\.parts/,
  ];
  expect(kinds.filter((kind) => !queries.some(({ query }) => kind.test(query)))).toEqual([]);
});

it('is not ready, and runs nothing, where a constraint forbids to override', async () => {
  const reason =
    'The ClickHouse user has settings that change results, and constraints forbid to override them: group_by_overflow_mode. ' +
    'Reset them, or let the user change them.';
  await withGateway('bound', async (gateway, logger) => {
    const ready = await fetch(`${gateway.url}/health/ready`);
    expect(ready.status).toBe(503);
    expect(await ready.json()).toMatchObject({ code: 'NOT_READY', detail: reason });
    expect((await call(gateway, 'groups')).status).toBe(503);
    expect(logger.lines.some(({ level, message }) => level === 'error' && message === reason)).toBe(true);
  });
  const client = connect('bound');
  await expect(runFirstQuery(client, server.adminConnection.url, AbortSignal.timeout(5000))).rejects.toThrow(
    reason,
  );
  await client.close();
});

it.each([
  ['plain', '19'],
  ['unyielding', ''],
])('lets statements and exports of the user %s yield to calls where it may', async (user, niceness) => {
  await withGateway(user, async (gateway) => {
    const statement = {
      body: 'SELECT n FROM rows',
      headers: { 'X-ClickHouse-Key': 'qg_settings_of_others' },
    };
    const responses = [
      await call(gateway, 'rows'),
      await call(gateway, 'rows?format=csv&export=1'),
      await fetch(gateway.sqlUrl ?? '', { method: 'POST', ...statement }),
    ];
    await Promise.all(responses.map((response) => response.text()));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    await admin.command({ query: 'SYSTEM FLUSH LOGS' });
    const niceOf = async ({ headers }: Response): Promise<unknown> => {
      const logged = await admin.query({
        query: `SELECT Settings['os_threads_nice_value_query'] AS nice FROM system.query_log
                WHERE type = 'QueryFinish' AND log_comment = {id:String}`,
        query_params: { id: headers.get('x-request-id') },
        format: 'JSONEachRow',
      });
      return logged.json();
    };
    expect(await Promise.all(responses.map(niceOf))).toEqual([
      [{ nice: '' }],
      [{ nice: niceness }],
      [{ nice: niceness }],
    ]);
  });
});

it('classifies every setting of ClickHouse', async () => {
  const text = await readFile(new URL('../support/settings-of-clickhouse.txt', import.meta.url), 'utf8');
  const [rows = [], bytes = [], cost = []] = text
    .split(/^# .*$/m)
    .slice(1)
    .map((names) => names.match(/\w+/g) ?? []);
  const result = await admin.query({
    query: "SELECT name FROM system.settings WHERE alias_for = '' AND NOT is_obsolete",
    format: 'JSONEachRow',
  });
  const names = (await result.json<{ readonly name: string }>()).map(({ name }) => name);
  const known = [...rows, ...bytes, ...cost];
  expect(names.filter((name) => !known.includes(name))).toEqual([]);
  expect(known.filter((name) => decidesRows(name))).toEqual(rows);
  expect(new Set(known).size).toBe(known.length);
});
