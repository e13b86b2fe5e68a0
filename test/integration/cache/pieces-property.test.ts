import { Random } from '../../support/random.js';
import { AT_ONCE, ChangingData, type Change } from '../../support/rounds-of-changes.js';
import { versionedEndpoint } from '../../support/versioned-gateway.js';

const ROUNDS = Number(process.env['PIECES_ROUNDS'] ?? 20);
const SEED = Number(process.env['PIECES_SEED'] ?? 20961127);
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
}

/** How many questions have composed bounds. */
const COMPOSED = Number(process.env['PIECES_COMPOSED'] ?? 4);

/** An end of the range, as SQL, and the first millisecond from which on rows count, or do not count any more. */
interface Bound {
  readonly sql: string;
  readonly at: (ms: number) => number;
  /** Of WITH. */
  readonly name?: string;
}

/** How wide a bucket is, which rows count, whether the last bucket comes first, and how the range is bounded. */
interface Question {
  readonly hours: number;
  readonly isDescending: boolean;
  readonly onlyKnown: boolean;
  readonly lower?: Bound;
  readonly upper?: Bound;
}

const same = (ms: number): number => ms;
const DAY = 24 * HOUR;
const toDay = (ms: number): number => Math.floor(ms / DAY) * DAY;
const SECOND = 1000;
const after = (ms: number): number => Math.floor(ms / SECOND) * SECOND + SECOND;
const NAMES_OF_WITH = [
  'begin',
  '`b, x: c`',
  '`größe`',
  '`a.b`',
  '`x\\n  WHERE`',
  '`it\\`s (1)`',
  '`t, column_name: t`',
];

/** Ends that are a parameter themselves, and others. */
const endsOf = (parameter: string, plain: string, excluded: string): readonly Bound[] => [
  { sql: `${plain} ${parameter}`, at: same },
  { sql: `${excluded} ${parameter}`, at: after },
  { sql: `${plain} (${parameter})`, at: same },
  { sql: `${plain} ${parameter} + INTERVAL 6 HOUR`, at: (ms) => ms + 6 * HOUR },
  { sql: `${plain} ${parameter} - toIntervalMinute(90)`, at: (ms) => ms - 1.5 * HOUR },
  { sql: `${plain} addDays(${parameter}, 1)`, at: (ms) => ms + DAY },
  { sql: `${plain} ${parameter}::Date`, at: toDay },
  { sql: `${plain} CAST(${parameter} AS DateTime('UTC'))`, at: same },
  { sql: `${plain} toStartOfHour(${parameter})`, at: (ms) => Math.floor(ms / HOUR) * HOUR },
  { sql: `${plain} (SELECT ${parameter} + INTERVAL 1 HOUR)`, at: (ms) => ms + HOUR },
  ...NAMES_OF_WITH.flatMap((name): Bound[] => [
    { sql: `${plain} ${name}`, at: same, name: `${parameter} AS ${name}` },
    { sql: `${plain} ${name}`, at: (ms) => ms + DAY, name: `${parameter} + INTERVAL 1 DAY AS ${name}` },
  ]),
];
const LOWER = endsOf('@from', 't >=', 't >');
const UPPER = endsOf('@to', 't <', 't <=');

function composed(random: Random): Question {
  const [lower, upper] = [random.of(LOWER), random.of(UPPER)];
  // Of one name there is one value.
  const isOfOne = lower.name !== undefined && lower.sql.slice(5) === upper.sql.slice(4);
  return {
    ...{
      hours: random.of([1, 3, 12]),
      isDescending: random.of([true, false]),
      onlyKnown: random.of([true, false]),
    },
    ...{ lower, ...(!isOfOne && { upper }) },
  };
}

const PLAIN: Readonly<Record<string, Question>> = {
  hourly: { hours: 1, isDescending: false, onlyKnown: false },
  'by-half-day': { hours: 12, isDescending: true, onlyKnown: false },
  // Has rows of two days in one bucket: never composed.
  'by-two-days': { hours: 48, isDescending: false, onlyKnown: false },
  'of-known': { hours: 6, isDescending: false, onlyKnown: true },
};
const PLAIN_COUNT = Object.keys(PLAIN).length;
const ofSeed = new Random(SEED);
const QUESTIONS: readonly (readonly [name: string, question: Question])[] = [
  ...Object.entries(PLAIN),
  ...Array.from({ length: COMPOSED }, (_, index) => [`composed-${index}`, composed(ofSeed)] as const),
];

function endpointOf([name, question]: readonly [string, Question], index: number): string {
  const { hours, isDescending, onlyKnown, lower, upper } = question;
  const names = [lower?.name, upper?.name].filter((of) => of !== undefined);
  const header = `columns: { bucket: "DateTime('UTC')", n: UInt64, s: UInt64, ids: UInt64 }
parameters:
  from: { kind: timestamp, required: true, description: The begin. }
  to: { kind: timestamp, required: true, description: The end. }
pieces: { table: events, time: t, bucket: bucket${isDescending ? ' desc' : ''}, from: from, to: to }`;
  const select = `${names.length > 0 ? `WITH ${names.join(', ')} ` : ''}SELECT toStartOfInterval(t, INTERVAL ${hours < 24 ? `${hours} HOUR` : `${hours / 24} DAY`}) AS bucket, count() AS n, sum(v) AS s, uniqExact(id) AS ids
FROM events WHERE ${lower?.sql ?? 't >= @from'} AND ${upper?.sql ?? 't < @to'} ${onlyKnown ? 'AND id IN (SELECT id FROM names)' : ''}
GROUP BY bucket ORDER BY bucket ${isDescending ? 'DESC' : ''}`;
  return versionedEndpoint(name, index, header, select);
}

/** The result of a question, computed from the rows of a state. */
function expected(question: Question, { rows, known }: State, ofCall: { from: number; to: number }): string {
  const { hours, isDescending, onlyKnown, lower, upper } = question;
  const [from, to] = [lower?.at(ofCall.from) ?? ofCall.from, upper?.at(ofCall.to) ?? ofCall.to];
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

let data: ChangingData;
const { random: randomOfProcess } = Math;

beforeAll(async () => {
  // Decides which composed results are verified, and nothing else: here each of them.
  Math.random = () => 0;
  const filled = ['events', 'others'].flatMap((table) => [
    `CREATE TABLE ${table} ${TABLE}`,
    `INSERT INTO ${table} SELECT toDateTime('2026-01-01 00:00:00', 'UTC') + number * 5003, number % 12, number FROM numbers(130)`,
  ]);
  data = await ChangingData.start(
    [...filled, 'CREATE TABLE names (id UInt64) ENGINE = MergeTree ORDER BY id'],
    Object.fromEntries(QUESTIONS.map((question, index) => [question[0], endpointOf(question, index)])),
  );
}, 120_000);

afterAll(async () => {
  Math.random = randomOfProcess;
  await data.stop();
}, 120_000);

function changes(random: Random): Readonly<Record<string, Change>> {
  const id = random.below(12);
  const v = random.below(2000);
  const day = `2026010${1 + random.below(DAYS)}`;
  const at = (days: number): string =>
    `toDateTime('2026-01-0${1 + days} 00:00:00', 'UTC') + ${random.of([0, 3600, 86_399, random.below(86_400)])}`;
  const insert = (days: number): (() => Promise<void>) => {
    const row = `(${at(days)}, ${id}, ${v})`;
    return () => data.server.run(`INSERT INTO events VALUES ${row}`);
  };
  const insertFirst = insert(random.below(DAYS));
  return {
    'insert of the last day': insert(DAYS - 1),
    'another of the last day': insert(DAYS - 1),
    'late insert': insert(random.below(DAYS)),
    'insert and drop of a part': async (between) => {
      await insertFirst();
      await between();
      const [newest] = await data.server.rows(
        "SELECT name FROM system.parts WHERE database = 'logs' AND table = 'events' AND active AND level = 0 ORDER BY max_block_number DESC LIMIT 1",
      );
      if (newest) await data.server.run(`ALTER TABLE events DROP PART '${String(newest['name'])}'`, AT_ONCE);
    },
    'insert a name': () => data.server.run(`INSERT INTO names VALUES (${id})`),
    'delete a name': () => data.server.run(`DELETE FROM names WHERE id = ${id}`, AT_ONCE),
    'lightweight update': () =>
      data.server.run(`UPDATE events SET v = ${v} WHERE id = ${id} AND toYYYYMMDD(t) = ${day}`, {
        ...AT_ONCE,
        enable_lightweight_update: 1,
      }),
    'update of others': () => data.server.run(`ALTER TABLE others UPDATE v = ${v} WHERE id = ${id}`, AT_ONCE),
    merge: () => data.server.run('OPTIMIZE TABLE events FINAL'),
    'merge others': () => data.server.run('OPTIMIZE TABLE others FINAL'),
    'drop a partition': () => data.server.run(`ALTER TABLE events DROP PARTITION '${day}'`, AT_ONCE),
    detach: () => data.server.run(`ALTER TABLE events DETACH PARTITION '${day}'`, AT_ONCE),
    attach: () => data.attachPart('events', day),
    replace: () => data.server.run(`ALTER TABLE events REPLACE PARTITION '${day}' FROM others`, AT_ONCE),
    exchange: () => data.server.run('EXCHANGE TABLES events AND others'),
  };
}

async function stateNow(): Promise<State> {
  const [rows, known] = await Promise.all([
    data.server.rows('SELECT toUnixTimestamp(t) * 1000 AS t, id, v FROM events'),
    data.server.rows('SELECT DISTINCT id FROM names'),
  ]);
  return { rows: rows as unknown as readonly Row[], known: new Set(known.map(({ id }) => Number(id))) };
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

/** How many verifications found equal rows. */
async function verifiedAsEqual(): Promise<number> {
  const pages = await Promise.all(
    data.gateways.map(async ({ gateway: { adminUrl = '' } }) => (await fetch(`${adminUrl}/metrics`)).text()),
  );
  const samples = pages.flatMap((page) => [
    ...page.matchAll(/^querygate_pieces_verifications_total\{.*outcome="equal"\} (\d+)$/gm),
  ]);
  return samples.reduce((sum, [, count]) => sum + Number(count), 0);
}

it(
  `composes for ${ROUNDS} rounds of changes and ranges only results that the tables had within the last second`,
  async () => {
    const { counts, wrong } = await data.play<State>({
      ...{ count: ROUNDS, seed: SEED, changes, stateNow },
      question: (random) => {
        const [name, question] = random.of(
          random.below(2) === 0 ? QUESTIONS.slice(0, PLAIN_COUNT) : QUESTIONS,
        );
        const range = rangeOf(random);
        return {
          target: `${name}?from=${iso(range.from)}&to=${iso(range.to)}`,
          isRightIn: (state, { rows }) => expected(question, state, range) === JSON.stringify(rows),
        };
      },
    });
    expect(wrong).toEqual([]);
    const errors = data.gateways.flatMap(({ logger }) =>
      logger.lines.filter(({ level }) => level === 'error'),
    );
    expect(errors.filter(({ message }) => message.includes('pieces'))).toEqual([]);
    // The test would show nothing if nothing were kept, or nothing verified.
    expect(counts['PARTIAL']).toBeGreaterThan(ROUNDS / 5);
    expect(await verifiedAsEqual()).toBeGreaterThan(ROUNDS / 10);
  },
  60_000 + ROUNDS * 2000,
);
