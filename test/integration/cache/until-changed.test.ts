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
      name,
      versionedEndpoint(
        name,
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

describe('an endpoint whose data has no version', () => {
  it.each(Object.entries(REASONS))(
    'is cached for seconds, and a line says why: %s',
    async (name, [, reason]) => {
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
