import { openTestRedis, sharedRedisUrl, type TestRedis } from '../../support/test-redis.js';
import { Random } from '../../support/random.js';
import { SettableClock } from '../../support/settable-clock.js';
import {
  versionedEndpoint,
  VersionedServer,
  type VersionedGateway,
} from '../../support/versioned-gateway.js';

const ROUNDS = Number(process.env['PIECES_ROUNDS'] ?? 120);
const SEED = Number(process.env['PIECES_SEED'] ?? 20961127);
/** Seconds for which a result may be late: `check` of the endpoints. */
const CHECK_MS = 1000;
const HOUR = 3_600_000;
const FIRST_DAY = Date.UTC(2026, 0, 1);
const DAYS = 8;

/** A row of the table. */
interface Row {
  /** Milliseconds since 1970. */
  readonly t: number;
  readonly id: number;
  readonly v: number;
}

/** What the tables have while they do not change. */
interface State {
  readonly rows: readonly Row[];
  readonly known: ReadonlySet<number>;
  /** Milliseconds of the test until they changed. */
  until: number;
}

/** The questions: how wide a bucket is, which rows count, and whether the last bucket comes first. */
const QUESTIONS = {
  hourly: { hours: 1, isDescending: false, onlyKnown: false },
  'by-half-day': { hours: 12, isDescending: true, onlyKnown: false },
  // Has rows of two days in one bucket: never composed.
  'by-two-days': { hours: 48, isDescending: false, onlyKnown: false },
  'of-known': { hours: 6, isDescending: false, onlyKnown: true },
} as const;

type Question = keyof typeof QUESTIONS;
const NAMES = Object.keys(QUESTIONS) as readonly Question[];

function endpointOf(name: Question, index: number): string {
  const { hours, isDescending, onlyKnown } = QUESTIONS[name];
  const header = `columns: { bucket: "DateTime('UTC')", n: UInt64, s: UInt64, ids: UInt64 }
parameters:
  from: { kind: timestamp, required: true, description: The begin. }
  to: { kind: timestamp, required: true, description: The end. }
pieces: { table: events, time: t, bucket: bucket${isDescending ? ' desc' : ''}, from: from, to: to, verify: 1 }`;
  const select = `SELECT toStartOfInterval(t, INTERVAL ${hours < 24 ? `${hours} HOUR` : `${hours / 24} DAY`}) AS bucket, count() AS n, sum(v) AS s, uniqExact(id) AS ids
FROM events WHERE t >= @from AND t < @to ${onlyKnown ? 'AND id IN (SELECT id FROM names)' : ''}
GROUP BY bucket ORDER BY bucket ${isDescending ? 'DESC' : ''}`;
  return versionedEndpoint(name, index, header, select);
}

/** The result of a question, computed from the rows of a state. */
function expected(name: Question, { rows, known }: State, from: number, to: number): string {
  const { hours, isDescending, onlyKnown } = QUESTIONS[name];
  const buckets = new Map<number, Row[]>();
  for (const row of rows) {
    if (row.t < from || row.t >= to || (onlyKnown && !known.has(row.id))) continue;
    const bucket = Math.floor(row.t / (hours * HOUR)) * hours * HOUR;
    buckets.set(bucket, [...(buckets.get(bucket) ?? []), row]);
  }
  const result = [...buckets]
    .sort(([a], [b]) => (isDescending ? b - a : a - b))
    .map(([bucket, of]) => ({
      bucket: new Date(bucket).toISOString().replace('.000', ''),
      n: of.length,
      s: of.reduce((sum, { v }) => sum + v, 0),
      ids: new Set(of.map(({ id }) => id)).size,
    }));
  return JSON.stringify(result);
}

const TABLE = `(t DateTime('UTC'), id UInt64, v UInt64) ENGINE = MergeTree PARTITION BY toYYYYMMDD(t) ORDER BY id
  SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1, apply_patches_on_merge = 1`;

let server: VersionedServer;
let redis: TestRedis;
let gateways: readonly [VersionedGateway, VersionedGateway];
const time = new SettableClock();

beforeAll(async () => {
  server = await VersionedServer.start();
  redis = await openTestRedis();
  await server.run(`CREATE TABLE events ${TABLE}`);
  await server.run(`CREATE TABLE others ${TABLE}`);
  await server.run('CREATE TABLE names (id UInt64) ENGINE = MergeTree ORDER BY id');
  for (const table of ['events', 'others']) {
    await server.run(
      `INSERT INTO ${table} SELECT toDateTime('2026-01-01 00:00:00', 'UTC') + number * 5003, number % 12, number FROM numbers(130)`,
    );
  }
  const endpoints = Object.fromEntries(NAMES.map((name, index) => [name, endpointOf(name, index)]));
  const environment = { REDIS_URL: sharedRedisUrl(), CACHE_KEY_PREFIX: redis.prefix };
  const options = { clock: time.clock, environment };
  gateways = [await server.openGateway(endpoints, options), await server.openGateway(endpoints, options)];
}, 120_000);

afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.close()));
  redis.close();
  await server.stop();
}, 120_000);

/** A change; it calls back where readers can see something between what was before and what is after it. */
type Change = (between: () => Promise<void>) => Promise<void>;

/** Changes of which every reader sees each step as a whole: of one row, one part or one table. */
function changeOf(random: Random): { readonly name: string; readonly run: Change } {
  const id = random.below(12);
  const v = random.below(2000);
  const day = `2026010${1 + random.below(DAYS)}`;
  const at = (days: number): string =>
    `toDateTime('2026-01-0${1 + days} 00:00:00', 'UTC') + ${random.of([0, 3600, 86_399, random.below(86_400)])}`;
  const sync = { mutations_sync: '2', alter_sync: '2', lightweight_deletes_sync: '2' };
  const insert = (days: number): (() => Promise<void>) => {
    const row = `(${at(days)}, ${id}, ${v})`;
    return () => server.run(`INSERT INTO events VALUES ${row}`);
  };
  const insertFirst = insert(random.below(DAYS));
  const statements: Readonly<Record<string, Change>> = {
    'insert of the last day': insert(DAYS - 1),
    'another of the last day': insert(DAYS - 1),
    'late insert': insert(random.below(DAYS)),
    'insert and drop of a part': async (between) => {
      await insertFirst();
      await between();
      const [newest] = await server.rows(
        "SELECT name FROM system.parts WHERE database = 'logs' AND table = 'events' AND active AND level = 0 ORDER BY max_block_number DESC LIMIT 1",
      );
      if (newest) await server.run(`ALTER TABLE events DROP PART '${String(newest['name'])}'`, sync);
    },
    'insert a name': () => server.run(`INSERT INTO names VALUES (${id})`),
    'delete a name': () => server.run(`DELETE FROM names WHERE id = ${id}`, sync),
    'lightweight update': () =>
      server.run(`UPDATE events SET v = ${v} WHERE id = ${id} AND toYYYYMMDD(t) = ${day}`, {
        ...sync,
        enable_lightweight_update: 1,
      }),
    'update of others': () => server.run(`ALTER TABLE others UPDATE v = ${v} WHERE id = ${id}`, sync),
    merge: () => server.run('OPTIMIZE TABLE events FINAL'),
    'merge others': () => server.run('OPTIMIZE TABLE others FINAL'),
    'drop a partition': () => server.run(`ALTER TABLE events DROP PARTITION '${day}'`, sync),
    detach: () => server.run(`ALTER TABLE events DETACH PARTITION '${day}'`, sync),
    attach: () => server.run(`ALTER TABLE events ATTACH PARTITION '${day}'`, sync),
    replace: () => server.run(`ALTER TABLE events REPLACE PARTITION '${day}' FROM others`, sync),
    exchange: () => server.run('EXCHANGE TABLES events AND others'),
    nothing: () => Promise.resolve(),
    'flush Redis': async () => {
      const names = await redis.names();
      if (names.length > 0) await redis.client.unlink(...names);
    },
    ...(random.below(12) === 0 && { 'kill ClickHouse': () => server.kill() }),
  };
  const name = random.of(Object.keys(statements));
  return { name, run: (between) => statements[name]?.(between) ?? Promise.resolve() };
}

async function stateNow(): Promise<State> {
  const [rows, known] = await Promise.all([
    server.rows('SELECT toUnixTimestamp(t) * 1000 AS t, id, v FROM events'),
    server.rows('SELECT DISTINCT id FROM names'),
  ]);
  return {
    rows: rows as unknown as readonly Row[],
    known: new Set(known.map(({ id }) => Number(id))),
    until: Infinity,
  };
}

/** A range of whole days, of whole hours, or of anything. */
function rangeOf(random: Random): { readonly from: number; readonly to: number } {
  const unit = random.of([24 * HOUR, HOUR, 1000]);
  const within = random.below(DAYS * 24 * HOUR);
  const from = FIRST_DAY + Math.floor(random.below(3 * 24 * HOUR) / unit) * unit;
  return {
    from,
    to: random.of([
      FIRST_DAY + DAYS * 24 * HOUR,
      Math.max(from, FIRST_DAY + Math.floor(within / unit) * unit),
    ]),
  };
}

const iso = (ms: number): string => encodeURIComponent(new Date(ms).toISOString());

it(`composes for ${ROUNDS} rounds of changes and ranges only results that the tables had within the last second`, async () => {
  const random = new Random(SEED);
  let elapsed = 0;
  const states: State[] = [await stateNow()];
  const wrong: string[] = [];
  const counts: Record<string, number> = {};
  const pending: (() => void)[] = [];

  const noteState = async (): Promise<void> => {
    const state = await stateNow();
    const last = states.at(-1);
    if (last) last.until = elapsed;
    states.push(state);
  };

  /** Requests a question, and compares it with every state that may be returned. */
  const request = async (round: number, change: string): Promise<void> => {
    const name = random.of(NAMES);
    const { from, to } = rangeOf(random);
    const since = elapsed - CHECK_MS;
    const response = await random.of(gateways).get(`${name}?from=${iso(from)}&to=${iso(to)}`);
    const how = response.status === 200 ? String(response.cache) : String(response.status);
    counts[how] = (counts[how] ?? 0) + 1;
    if (response.status !== 200 || response.cache === 'STALE') return;
    pending.push(() => {
      const rows = JSON.stringify(response.rows);
      if (states.some((state) => state.until > since && expected(name, state, from, to) === rows)) return;
      const detail = response.headers.get('cache-status') ?? '';
      wrong.push(
        `round ${round} of seed ${SEED}, ${change}: ${name} ${iso(from)} ${iso(to)} ${detail} ${rows}`,
      );
    });
  };

  for (let round = 0; round < ROUNDS; round += 1) {
    const change = changeOf(random);
    const during = [
      change.run(noteState).catch((error: unknown) => {
        // A partition that is not there, or a name that another change removed: nothing changed then.
        if (!/PARTITION|UNKNOWN|NO_SUCH|ECONN|socket|Timeout|No part/i.test(String(error))) throw error;
      }),
    ];
    for (let count = random.below(4); count > 0; count -= 1) during.push(request(round, change.name));
    await Promise.all(during);
    await noteState();
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
    `pieces: ${ROUNDS} rounds of seed ${SEED}: ${JSON.stringify(counts)}, ${wrong.length} wrong\n`,
  );
  expect(wrong).toEqual([]);
  const errors = gateways.flatMap(({ logger }) => logger.lines.filter(({ level }) => level === 'error'));
  expect(errors.filter(({ message }) => message.includes('pieces'))).toEqual([]);
  // The test would show nothing if nothing were kept.
  expect(counts['PARTIAL']).toBeGreaterThan(ROUNDS / 5);
}, 3_600_000);
