import { isDeepStrictEqual } from 'node:util';

import { concurrently } from '../../../src/endpoint/concurrently.js';
import { VARYING_FUNCTIONS } from '../../../src/gateway/facts/query-facts.js';
import { SettableClock } from '../../support/settable-clock.js';
import { newPrefix, sharedRedisUrl } from '../../support/test-redis.js';
import {
  grantsOfVersionsFile,
  versionedEndpoint,
  VersionedServer,
  type VersionedGateway,
} from '../../support/versioned-gateway.js';

const COLUMNS = 'columns: { n: UInt64 }';
const REASONS = {
  now: ['SELECT count() AS n FROM events WHERE d < today()', 'the query calls today()'],
  clock: ['SELECT count() AS n FROM events WHERE d < @now', 'the query uses @now'],
  dictionary: [
    "SELECT count() AS n FROM events WHERE dictGet('words', 'word', id) != ''",
    'the query calls dictGet()',
  ],
  memory: ['SELECT count() AS n FROM held', 'the query reads logs.held, a table of the engine Memory'],
  merged: ["SELECT count() AS n FROM merge('logs', '^events$')", 'the query reads the table function merge'],
  system: [
    'SELECT count() AS n FROM system.tables',
    'the query reads system.tables, a table of the engine SystemTables',
  ],
  view: ['SELECT count() AS n FROM of_today', 'the view logs.of_today calls now()'],
  own: [
    'SELECT count() AS n FROM events WHERE twice(id) > 0',
    'the query calls twice(), which is no function of ClickHouse itself',
  ],
  'own, of an odd name': [
    'SELECT count() AS n FROM events WHERE "bump-it"(id) > 0',
    'the query calls bump-it(), which is no function of ClickHouse itself',
  ],
  'own, with a dot': [
    'SELECT count() AS n FROM events WHERE "a.größe"(id) > 0',
    'the query calls a.größe(), which is no function of ClickHouse itself',
  ],
  'of an array': [
    'WITH (SELECT groupArray(id) FROM held) AS ids SELECT count() AS n FROM events WHERE has(ids, id)',
    'the query reads logs.held, a table of the engine Memory',
  ],
  'of a tuple': [
    'SELECT count() AS n FROM events WHERE tupleElement((SELECT (count(), max(name)) FROM system.databases), 1) > id',
    'the query reads system.databases, a table of the engine SystemDatabases',
  ],
  'of an array of now': [
    'SELECT count() AS n FROM events WHERE has((SELECT [today()]), d)',
    'the query calls today()',
  ],
  'of a state in a view': [
    'SELECT n FROM summed',
    'the view logs.summed reads logs.held, a table of the engine Memory',
  ],
  'of a long array': [
    'WITH (SELECT groupArray(number) FROM numbers(300000)) AS all SELECT count() AS n FROM events WHERE has(all, id)',
    'a scalar subquery of it has a value of more than 1000000 bytes',
  ],
  'settled by a time': [
    "SELECT if(today() > '2020-01-01', count(), 0) AS n FROM events",
    'the query calls today()',
  ],
  'settled by a table': [
    'SELECT if((SELECT count() FROM held) > 0, count(), 0) AS n FROM events',
    'the query reads logs.held, a table of the engine Memory',
  ],
  random: [
    "SELECT length(structureToCapnProtoSchema('a Int32')) AS n",
    'the query calls structureToCapnProtoSchema()',
  ],
  'of an odd column': [
    'SELECT count() AS n FROM odd WHERE "b, x: c" > 0',
    'parts of logs.odd lack the column b, x: c, whose default is computed at each read: ALTER TABLE logs.odd MATERIALIZE COLUMN b, x: c',
  ],
  'of a column with a line break': [
    'SELECT count() AS n FROM odd WHERE "größe\n  WHERE" > 0',
    'parts of logs.odd lack the column größe\n  WHERE, whose default is computed at each read: ALTER TABLE logs.odd MATERIALIZE COLUMN größe\n  WHERE',
  ],
  'of a name that hides another': [
    'SELECT count() AS n FROM odd WHERE "a, result_type: b" > 0',
    'the query or a view that it reads has a name or a node that ClickHouse’s tree of it does not show whole',
  ],
  alias: ['SELECT count() AS n FROM aliased WHERE age > 0', 'the query calls today()'],
  added: [
    "SELECT count() AS n FROM grown WHERE label != ''",
    'parts of logs.grown lack the column label, whose default is computed at each read: ALTER TABLE logs.grown MATERIALIZE COLUMN label',
  ],
} as const;

const VERSIONED = {
  counted: 'SELECT count() AS n FROM events',
  'of-day': 'SELECT count() AS n FROM events WHERE d = @day',
  none: 'SELECT count() AS n FROM empty',
  constant: 'SELECT toUInt64(1) AS n',
};

const time = new SettableClock();
let server: VersionedServer;
let gateway: VersionedGateway;

beforeAll(async () => {
  server = await VersionedServer.start(grantsOfVersionsFile());
  const { run } = server;
  await run('CREATE TABLE events (d Date, id UInt64) ENGINE = MergeTree PARTITION BY d ORDER BY id');
  await run('CREATE TABLE empty (id UInt64) ENGINE = MergeTree ORDER BY id');
  await run('CREATE TABLE held (id UInt64) ENGINE = Memory');
  await run(
    "CREATE TABLE aliased (d Date, age Int32 ALIAS dateDiff('day', d, today())) ENGINE = MergeTree ORDER BY d",
  );
  await run('CREATE TABLE grown (id UInt64) ENGINE = MergeTree ORDER BY id');
  await run('INSERT INTO grown VALUES (1)');
  await run('ALTER TABLE grown ADD COLUMN label String DEFAULT toString(generateUUIDv4())');
  await run('CREATE TABLE odd (id UInt64) ENGINE = MergeTree ORDER BY id');
  await run('INSERT INTO odd VALUES (1)');
  for (const name of ['b, x: c', 'größe\n  WHERE', 'a, result_type: b'])
    await run(`ALTER TABLE odd ADD COLUMN "${name}" DateTime DEFAULT now()`);
  await run('CREATE FUNCTION "bump-it" AS (x) -> x + 1');
  await run('CREATE FUNCTION "a.größe" AS (x) -> x + 1');
  await run(
    'CREATE VIEW summed AS WITH (SELECT sumState(id) FROM held) AS s SELECT count() + finalizeAggregation(s) AS n FROM events',
  );
  await run('CREATE VIEW of_today AS SELECT id FROM events WHERE d < now()');
  await run('CREATE FUNCTION twice AS (x) -> 2 * x');
  await run(
    'CREATE DICTIONARY words (id UInt64, word String) PRIMARY KEY id SOURCE(NULL()) LAYOUT(FLAT()) LIFETIME(0)',
  );
  await run("INSERT INTO events VALUES ('2026-01-01', 1)");
  const texts = Object.entries({
    ...VERSIONED,
    ...Object.fromEntries(Object.entries(REASONS).map(([name, [select]]) => [name, select])),
  });
  const endpoints = Object.fromEntries(
    texts.map(([name, select], index) => [
      nameOf(name),
      versionedEndpoint(
        nameOf(name),
        index,
        select.includes('@day')
          ? `parameters: { day: { kind: date, required: true, description: A day. } }\n${COLUMNS}\nexample: { day: 2026-01-01 }`
          : COLUMNS,
        select,
      ),
    ]),
  );
  const { username, password } = server.server.readerConnection;
  gateway = await server.openGateway(endpoints, {
    clock: time.clock,
    environment: {
      ...{ REDIS_URL: sharedRedisUrl(), CACHE_KEY_PREFIX: newPrefix() },
      // The rights of the users file suffice.
      ...{ CLICKHOUSE_VERSIONS_USER: username, CLICKHOUSE_VERSIONS_PASSWORD: password },
    },
  });
}, 120_000);

afterAll(async () => {
  await gateway.close();
  await server.stop();
});

/** The name of the endpoint of a case. */
function nameOf(which: string): string {
  return which.replaceAll(/\W+/g, '-');
}

/** The next second begins: what was fresh has to be confirmed. */
const nextSecond = (): void => {
  time.advance(1000);
};

describe('a result that is cached until its data changes', () => {
  it('is a hit without a query for as long as nothing changes, and says that it was confirmed', async () => {
    const first = await gateway.get('counted');
    expect([first.cache, first.rows]).toEqual(['MISS', [{ n: 1 }]]);
    expect(first.headers.get('cache-control')).toBe('private, max-age=1');
    expect((await gateway.get('counted')).headers.get('cache-status')).toBe('querygate; hit; ttl=1');
    for (let second = 0; second < 3; second += 1) {
      nextSecond();
      const { headers, cache } = await gateway.get('counted');
      expect([cache, headers.get('cache-status'), headers.get('age')]).toEqual([
        'HIT',
        'querygate; hit; ttl=1; detail=confirmed',
        '0',
      ]);
      expect(headers.get('etag')).toBe(first.headers.get('etag'));
      expect(headers.get('server-timing')).not.toContain('clickhouse');
    }
  });

  it('is computed again after an insert, also into another partition', async () => {
    await server.run("INSERT INTO events VALUES ('2025-12-31', 2)");
    nextSecond();
    const { cache, rows, headers } = await gateway.get('counted');
    expect([cache, rows]).toEqual(['MISS', [{ n: 2 }]]);
    expect(headers.get('cache-status')).toBe('querygate; fwd=stale; stored; ttl=1');
    nextSecond();
    expect((await gateway.get('counted')).cache).toBe('HIT');
  });

  it('is 304 for a client that has it', async () => {
    const tag = (await gateway.get('counted')).headers.get('etag') ?? '';
    nextSecond();
    expect((await gateway.get('counted', { 'If-None-Match': tag })).status).toBe(304);
  });

  it.each(['none', 'constant'])('of a query without a row in a table has a version too: %s', async (name) => {
    await gateway.get(name);
    nextSecond();
    expect((await gateway.get(name)).cache).toBe('HIT');
  });

  it('is another one for other parameters, of the same version', async () => {
    expect((await gateway.get('of-day?day=2026-01-01')).rows).toEqual([{ n: 1 }]);
    expect((await gateway.get('of-day?day=2026-01-02')).rows).toEqual([{ n: 0 }]);
    nextSecond();
    const hits = await Promise.all(['01', '02'].map((day) => gateway.get(`of-day?day=2026-01-${day}`)));
    expect(hits.map(({ cache }) => cache)).toEqual(['HIT', 'HIT']);
  });

  it('is not used after its longest life', async () => {
    await gateway.get('none');
    time.advance(86_400_000);
    expect((await gateway.get('none')).cache).toBe('MISS');
  });
});

/** Arguments with which functions are tried. */
const ARGUMENTS = ['', "'a Int32'"];

it('knows every function whose value differs from query to query, of those that take no or one such argument', async () => {
  const names = await server.rows(
    `SELECT name FROM system.functions WHERE origin = 'System' AND NOT is_aggregate AND name NOT LIKE 'sleep%' AND name NOT IN (SELECT name FROM (${VARYING_FUNCTIONS}))`,
  );
  const calls = names.flatMap(({ name }) => ARGUMENTS.map((argument) => `"${String(name)}"(${argument})`));
  const valueOf = (call: string): Promise<unknown> =>
    server.rows(`SELECT hex(toString(${call})) AS value`).catch(() => undefined);
  const different: string[] = [];
  await concurrently(calls, 8, async (call) => {
    const value = await valueOf(call);
    if (value && !isDeepStrictEqual(value, await valueOf(call))) different.push(call);
  });
  expect(different).toEqual([]);
}, 120_000);

describe('an endpoint whose data has no version', () => {
  it.each(Object.entries(REASONS))(
    'is cached for seconds, and a line says why: %s',
    async (which, [, reason]) => {
      const name = nameOf(which);
      expect((await gateway.get(name)).status).toBe(200);
      expect((await gateway.get(name)).cache).toBe('HIT');
      nextSecond();
      expect((await gateway.get(name)).cache).toBe('MISS');
      const warnings = gateway.logger.lines.filter(
        ({ level, fields }) => level !== 'info' && fields['endpoint'] === name,
      );
      expect(warnings.map(({ level, fields }) => [level, fields['seconds'], fields['reason']])).toEqual([
        ['warn', 1, reason],
      ]);
    },
  );
});
