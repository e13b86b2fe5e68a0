import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { hashApiKey } from '../../../src/gateway/auth/api-key.js';
import { withGatewayBehindProxy, type BehindProxy } from '../../support/gateway-behind-proxy.js';
import { SettableClock } from '../../support/settable-clock.js';
import { withTemporaryFolder } from '../../support/temporary-folder.js';
import { newPrefix, sharedRedisUrl } from '../../support/test-redis.js';
import {
  versionedEndpoint,
  VersionedServer,
  type VersionedGateway,
  type VersionedResponse,
} from '../../support/versioned-gateway.js';
import { openForAll } from '../../support/opened.js';

const COLUMNS = 'columns: { n: UInt64 }';
const QUERIES: Readonly<Record<string, string>> = {
  summed: 'SELECT sum(v) AS n FROM events',
  viewed: 'SELECT count() AS n FROM low',
  aliased: 'SELECT sum(w) AS n FROM events',
  'of-settings': 'SELECT n FROM on_the_fly',
};

const server = openForAll(() => VersionedServer.start());

beforeEach(async () => {
  for (const view of ['low', 'more', 'on_the_fly']) await server.run(`DROP VIEW IF EXISTS ${view}`);
  for (const table of ['events', 'others']) {
    await server.run(`DROP TABLE IF EXISTS ${table} SYNC`);
    await server.run(
      `CREATE TABLE ${table} (d Date, id UInt64, v UInt64 DEFAULT 7, w UInt64 ALIAS v) ENGINE = MergeTree PARTITION BY d ORDER BY id`,
    );
  }
  // Two tables whose parts have the same names.
  await server.run("INSERT INTO events VALUES ('2026-01-01', 1, 1), ('2026-01-01', 2, 20)");
  await server.run("INSERT INTO others VALUES ('2026-01-01', 1, 1000), ('2026-01-01', 2, 2000)");
  await server.run('CREATE VIEW low AS SELECT id FROM events WHERE v < 10');
  await server.run('CREATE VIEW more AS SELECT id FROM events WHERE v < 100');
  await server.run(
    'CREATE VIEW on_the_fly AS SELECT sum(v) AS n FROM events SETTINGS apply_mutations_on_fly = 1',
  );
});

const ENDPOINTS = Object.fromEntries(
  Object.entries(QUERIES).map(([name, select], index) => [
    name,
    versionedEndpoint(name, index, COLUMNS, select),
  ]),
);

const run = (
  use: (tools: BehindProxy) => Promise<VersionedResponse>,
  endpoints = ENDPOINTS,
  environment: Readonly<Record<string, string>> = {},
): Promise<VersionedResponse> => withGatewayBehindProxy(server, endpoints, { environment }, use);

// At once: the gateway analyses its endpoints after its start, and would find that a table or view is missing.
const RENAMED = ['EXCHANGE TABLES low AND more'];
const EXCHANGED = ['EXCHANGE TABLES events AND others'];

it.each([
  ['tables that are exchanged', 'summed', EXCHANGED, EXCHANGED, 21],
  ['views that are renamed', 'viewed', RENAMED, RENAMED, 1],
  [
    'an alias that is altered',
    'aliased',
    ['ALTER TABLE events MODIFY COLUMN w UInt64 ALIAS v * 2'],
    ['ALTER TABLE events MODIFY COLUMN w UInt64 ALIAS v'],
    21,
  ],
] as const)('sees %s before a query and back after it', async (_what, name, before, after, right) => {
  const response = await run(async ({ gateway, proxy, nextSecond }) => {
    // The version is read before the query is sent.
    const { isHeld, release } = proxy.holdNext(/additional_table_filters = /);
    const first = gateway.get(name);
    await isHeld;
    for (const statement of before) await server.run(statement);
    release();
    expect((await first).rows).not.toEqual([{ n: right }]);
    for (const statement of after) await server.run(statement);
    nextSecond();
    return gateway.get(name);
  });
  expect(response).toMatchObject({ status: 200, rows: [{ n: right }] });
});

it('sees a column that is dropped and added again while no part has changed', async () => {
  const response = await run(async ({ gateway, nextSecond }) => {
    // It waits for the first analysis of the endpoints, which would find that the column is missing.
    await fetch(`${gateway.gateway.url}/health/ready`);
    expect((await gateway.get('summed')).rows).toEqual([{ n: 21 }]);
    await server.run('SYSTEM STOP MERGES events');
    for (const change of ['DROP COLUMN w', 'DROP COLUMN v', 'ADD COLUMN v UInt64 DEFAULT 7 AFTER id'])
      await server.run(`ALTER TABLE events ${change}`, { alter_sync: 0 });
    await server.run('ALTER TABLE events ADD COLUMN w UInt64 ALIAS v AFTER v', { alter_sync: 0 });
    // Only now: the gateway reads versions by itself after its start, and may trust such a read for a second.
    nextSecond();
    return gateway.get('summed');
  });
  expect(response).toMatchObject({ status: 200, rows: [{ n: 14 }] });
});

const reasonsIn = (gateway: VersionedGateway): readonly unknown[] =>
  gateway.logger.lines.flatMap(({ level, fields: { reason } }) =>
    level === 'warn' && reason !== undefined ? [reason] : [],
  );

it('caches what reads a view with SETTINGS for seconds, because those count instead of the gateway’s', async () => {
  await run(async ({ gateway }) => {
    const response = await gateway.get('of-settings');
    expect(reasonsIn(gateway)).toEqual(['the view logs.on_the_fly has SETTINGS']);
    return response;
  });
});

it('caches for seconds where the filter of a pinned parameter depends on the time', async () => {
  await server.run('DROP TABLE IF EXISTS docs SYNC');
  await server.run(
    "CREATE TABLE docs (id UInt64, tenant String ALIAS if(now() > toDateTime(0), 'old', 'new')) ENGINE = MergeTree ORDER BY id",
  );
  const key = 'qg_a-key-of-a-tenant';
  await withTemporaryFolder(async (folder) => {
    const keys = path.join(folder, 'keys.json');
    const tenant = { name: 'tenant', sha256: [hashApiKey(key)], fixed: { tenant: 'old' } };
    await writeFile(keys, JSON.stringify({ keys: [tenant] }));
    const header = `parameters: { tenant: { kind: string, description: A tenant. } }\ntenant: { docs: tenant }\n${COLUMNS}`;
    const select = "SELECT count() AS n FROM docs WHERE id > 0 [[ AND @tenant != '' ]]";
    await run(
      async ({ gateway }) => {
        const response = await gateway.get('docs', { 'X-API-KEY': key });
        expect(reasonsIn(gateway)).toContain('the filter of logs.docs calls now()');
        return response;
      },
      { docs: versionedEndpoint('docs', 11, header, select) },
      { API_KEYS_FILE: keys },
    );
  });
});

it('logs no value of a caller where ClickHouse does not analyse a query', async () => {
  const header = `parameters: { token: { kind: string, secret: true, required: true, description: A. } }\n${COLUMNS}`;
  await run(
    async ({ gateway }) => {
      await fetch(`${gateway.gateway.url}/api/endpoints/query/secret`, {
        method: 'POST',
        headers: { 'X-API-KEY': 'a key of every caller', 'Content-Type': 'application/json' },
        body: JSON.stringify({ token: 'hunter2' }),
      });
      expect(JSON.stringify(gateway.logger.lines)).not.toContain('hunter2');
      expect(reasonsIn(gateway)).toEqual([
        expect.stringMatching(/^ClickHouse did not analyse its query: [A-Z_]+ \(\d+\)$/),
      ]);
      return gateway.get('secret');
    },
    {
      secret: versionedEndpoint(
        'secret',
        4,
        header,
        'SELECT count() AS n FROM events WHERE id = toUInt64(@token)',
      ),
    },
  );
});

it('serves nothing that was cached for longer under earlier settings', async () => {
  await withTemporaryFolder(async (folder) => {
    const settings = path.join(folder, 'settings.json');
    await writeFile(settings, '{ "summed": { "caching": 3600 } }');
    const time = new SettableClock();
    const shared = { REDIS_URL: sharedRedisUrl(), CACHE_KEY_PREFIX: newPrefix() };
    const endpoints = { summed: versionedEndpoint('summed', 0, COLUMNS, 'SELECT sum(v) AS n FROM events') };
    const before = await server.openGateway(endpoints, {
      clock: time.clock,
      environment: { ...shared, ENDPOINT_SETTINGS_FILE: settings },
    });
    expect((await before.get('summed')).rows).toEqual([{ n: 21 }]);
    await before.close();
    await server.run("INSERT INTO events VALUES ('2026-01-01', 3, 100)");
    const after = await server.openGateway(endpoints, { clock: time.clock, environment: shared });
    for (const ms of [3_597_000, 2000]) {
      time.advance(ms);
      expect((await after.get('summed')).rows).toEqual([{ n: 121 }]);
    }
    await after.close();
  });
});
