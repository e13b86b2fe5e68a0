import { Random } from '../../support/random.js';
import { openTestRedis, sharedRedisUrl, type TestRedis } from '../../support/test-redis.js';
import { SettableClock } from '../../support/settable-clock.js';
import {
  versionedEndpoint,
  VersionedServer,
  type VersionedGateway,
} from '../../support/versioned-gateway.js';

const ROUNDS = Number(process.env['UNTIL_CHANGED_ROUNDS'] ?? 300);
const SEED = Number(process.env['UNTIL_CHANGED_SEED'] ?? 20960301);
/** Seconds for which a result may be late: `check` of the endpoints. */
const CHECK_MS = 1000;

/** The questions, each with the query that has its rows, and the target that asks it. */
const QUESTIONS = {
  'by-day': {
    select: 'SELECT toString(d) AS day, count() AS n, sum(v) AS s FROM events GROUP BY d ORDER BY d',
    columns: 'day: String, n: UInt64, s: UInt64',
  },
  joined: {
    select: 'SELECT name, sum(v) AS s FROM named GROUP BY name ORDER BY name',
    columns: 'name: String, s: UInt64',
  },
  scalar: {
    select:
      'SELECT (SELECT max(v) FROM events) AS m, count() AS n FROM names FINAL WHERE id IN (SELECT id FROM events)',
    columns: 'm: Nullable(UInt64), n: UInt64',
  },
} as const;

const TABLE_SETTINGS =
  'enable_block_number_column = 1, enable_block_offset_column = 1, apply_patches_on_merge = 1';
const EVENTS = `(d Date, id UInt64, v UInt64) ENGINE = MergeTree PARTITION BY d ORDER BY id SETTINGS ${TABLE_SETTINGS}`;

type Question = keyof typeof QUESTIONS;
const NAMES = Object.keys(QUESTIONS) as readonly Question[];

/** The rows of all questions while the tables do not change. */
interface State {
  readonly rows: Readonly<Record<Question, string>>;
  /** Milliseconds of the test until they changed. */
  until: number;
}

let server: VersionedServer;
let redis: TestRedis;
let gateways: readonly [VersionedGateway, VersionedGateway];
const time = new SettableClock();

beforeAll(async () => {
  server = await VersionedServer.start();
  redis = await openTestRedis();
  await server.run(`CREATE TABLE events ${EVENTS}`);
  await server.run(`CREATE TABLE others ${EVENTS}`);
  await server.run('CREATE TABLE names (id UInt64, name String) ENGINE = ReplacingMergeTree ORDER BY id');
  await server.run(VIEWS[0]);
  const endpoints = Object.fromEntries(
    NAMES.map((name, index) => {
      const { select, columns } = QUESTIONS[name];
      return [name, versionedEndpoint(name, index, `columns: { ${columns} }`, select)];
    }),
  );
  const environment = { REDIS_URL: sharedRedisUrl(), CACHE_KEY_PREFIX: redis.prefix };
  const options = { clock: time.clock, environment };
  gateways = [await server.openGateway(endpoints, options), await server.openGateway(endpoints, options)];
}, 120_000);

afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.close()));
  redis.close();
  await server.stop();
}, 120_000);

const VIEWS = ['v < 1000', 'v >= 0', 'v % 2 = 0'].map(
  (condition) =>
    `CREATE OR REPLACE VIEW named AS SELECT e.v AS v, n.name AS name FROM events AS e INNER JOIN names AS n FINAL ON n.id = e.id WHERE e.${condition}`,
) as [string, ...string[]];

/** Changes each of which every reader sees as a whole: of one row, one part or one table. */
function changeOf(random: Random): { readonly name: string; readonly run: () => Promise<void> } {
  const id = random.below(12);
  const v = random.below(2000);
  const day = `2026-01-0${1 + random.below(4)}`;
  const row = `(toDate('${day}'), ${id}, ${v})`;
  const sync = { mutations_sync: '2', alter_sync: '2', lightweight_deletes_sync: '2' };
  const statements: Readonly<Record<string, () => Promise<void>>> = {
    insert: () => server.run(`INSERT INTO events VALUES ${row}`),
    'insert again': () => server.run(`INSERT INTO events VALUES ${row}`),
    'asynchronous insert': () =>
      server.run(`INSERT INTO events VALUES ${row}`, { async_insert: 1, wait_for_async_insert: 1 }),
    'insert a name': () => server.run(`INSERT INTO names VALUES (${id}, 'name ${v % 5}')`),
    'lightweight delete': () => server.run(`DELETE FROM names WHERE id = ${id}`, sync),
    'insert and drop': async () => {
      await server.run(`INSERT INTO events VALUES (toDate('2027-01-01'), ${id}, ${v})`);
    },
    'drop what was inserted': () => server.run("ALTER TABLE events DROP PARTITION '2027-01-01'", sync),
    update: () => server.run(`ALTER TABLE names UPDATE name = 'name ${v % 5}' WHERE id = ${id}`, sync),
    'lightweight update': () =>
      server.run(`UPDATE others SET v = ${v} WHERE id = ${id}`, {
        ...sync,
        enable_lightweight_update: 1,
      }),
    merge: () => server.run(`OPTIMIZE TABLE ${random.of(['events', 'names', 'others'])} FINAL`),
    'drop a partition': () => server.run(`ALTER TABLE events DROP PARTITION '${day}'`, sync),
    truncate: () => server.run('TRUNCATE TABLE others'),
    detach: () => server.run(`ALTER TABLE events DETACH PARTITION '${day}'`, sync),
    attach: () => server.run(`ALTER TABLE events ATTACH PARTITION '${day}'`, sync),
    replace: () => server.run(`ALTER TABLE others REPLACE PARTITION '${day}' FROM events`, sync),
    exchange: () => server.run('EXCHANGE TABLES events AND others'),
    'another view': () => server.run(random.of(VIEWS)),
    'add and drop a column': async () => {
      await server.run(`ALTER TABLE events ADD COLUMN IF NOT EXISTS w UInt64 DEFAULT ${v}`, sync);
      await server.run('ALTER TABLE events DROP COLUMN IF EXISTS w', sync);
    },
    nothing: () => Promise.resolve(),
    'flush Redis': async () => {
      const names = await redis.names();
      if (names.length > 0) await redis.client.unlink(...names);
    },
    ...(random.below(12) === 0 && { 'kill ClickHouse': () => server.kill() }),
  };
  const name = random.of(Object.keys(statements));
  return { name, run: () => statements[name]?.() ?? Promise.resolve() };
}

async function stateNow(): Promise<State> {
  const rows = await Promise.all(
    NAMES.map(async (name) => [name, JSON.stringify(await server.rows(QUESTIONS[name].select))] as const),
  );
  return { rows: Object.fromEntries(rows) as State['rows'], until: Infinity };
}

it(`returns for ${ROUNDS} rounds of changes and requests only rows that the tables had within the last second`, async () => {
  const random = new Random(SEED);
  let elapsed = 0;
  const states: State[] = [await stateNow()];
  const wrong: string[] = [];
  const counts = { HIT: 0, MISS: 0, confirmed: 0, failed: 0 };

  /** Requests a question, and compares it with every state that may be returned. */
  const request = async (round: number, change: string): Promise<void> => {
    const name = random.of(NAMES);
    const since = elapsed - CHECK_MS;
    const response = await random.of(gateways).get(name);
    if (response.status !== 200 || response.cache === 'STALE') {
      counts.failed += 1;
      return;
    }
    counts[response.cache === 'HIT' ? 'HIT' : 'MISS'] += 1;
    if (response.headers.get('cache-status')?.includes('confirmed')) counts.confirmed += 1;
    pending.push(() => {
      const rows = JSON.stringify(response.rows);
      if (states.some((state) => state.until > since && state.rows[name] === rows)) return;
      wrong.push(
        `round ${round} of seed ${SEED}, ${change}: ${name} ${response.headers.get('cache-status') ?? ''} ${rows}`,
      );
    });
  };
  const pending: (() => void)[] = [];

  for (let round = 0; round < ROUNDS; round += 1) {
    const change = changeOf(random);
    const during = [
      change.run().catch((error: unknown) => {
        // A partition that is not there, or a name that another change removed: nothing changed then.
        if (!/PARTITION|UNKNOWN|NO_SUCH|ECONN|socket|Timeout/i.test(String(error))) throw error;
      }),
    ];
    for (let count = random.below(4); count > 0; count -= 1) {
      if (random.below(2) === 0) await Promise.resolve();
      during.push(request(round, change.name));
    }
    await Promise.all(during);
    const state = await stateNow();
    const last = states.at(-1);
    if (last) last.until = elapsed;
    states.push(state);
    await Promise.all(
      Array.from({ length: 1 + random.below(3) }, () => request(round, `after ${change.name}`)),
    );
    for (const compare of pending.splice(0)) compare();
    const step = random.of([0, 0, 100, 400, 700, 1001, 1500, 5000]);
    time.advance(step);
    elapsed += step;
    while (states.length > 1 && (states[0]?.until ?? 0) <= elapsed - CHECK_MS) states.shift();
  }
  process.stdout.write(
    `until-changed: ${ROUNDS} rounds of seed ${SEED}: ${JSON.stringify(counts)}, ${wrong.length} wrong\n`,
  );
  expect(wrong).toEqual([]);
  // The test would show nothing if nothing were kept.
  expect(counts.confirmed).toBeGreaterThan(ROUNDS / 20);
}, 1_200_000);
