import { Random } from '../../support/random.js';
import { AT_ONCE, ChangingData, type Change } from '../../support/rounds-of-changes.js';
import { versionedEndpoint } from '../../support/versioned-gateway.js';

const ROUNDS = Number(process.env['UNTIL_CHANGED_ROUNDS'] ?? 30);
const SEED = Number(process.env['UNTIL_CHANGED_SEED'] ?? 20960301);

/** How many questions are composed. */
const COMPOSED = Number(process.env['UNTIL_CHANGED_COMPOSED'] ?? 4);

/** A question: the query that has its rows, and their columns. */
interface Question {
  readonly select: string;
  readonly columns: string;
}

const FIXED: Readonly<Record<string, Question>> = {
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
      'SELECT (SELECT max(v) FROM events) AS m, count() AS n FROM names FINAL WHERE id IN (SELECT id FROM others)',
    columns: 'm: Nullable(UInt64), n: UInt64',
  },
};

/** Names of any characters, of tables, columns and aliases; as ClickHouse quotes them. */
const ODD_NAMES = [
  ...[
    'plain',
    'b, x: c',
    'größe',
    'a.b',
    '(n)',
    'x\\n  WHERE',
    'id: 7',
    "it\\'s",
    'q, table_name: z',
    'back\\`quote',
  ],
  ...['r, result_type: UInt8', 'o, final: 1', 'new\\n\\nline, LIST id: 3', ': ,'],
].map((name) => `\`${name}\``);

/** The value of a scalar subquery, and a number that is computed of it. */
const SCALARS: readonly (readonly [value: string, number: (scalar: string) => string])[] = [
  ['max(v)', (scalar) => `ifNull(${scalar}, 0)`],
  ['toString(sum(v))', (scalar) => `toUInt64OrZero(ifNull(${scalar}, ''))`],
  ['arraySort(groupArray(v))', (scalar) => `arraySum(${scalar}) + length(${scalar})`],
  ['groupUniqArray(id)', (scalar) => `countIf(has(${scalar}, id))`],
  ['(max(v), count())', (scalar) => `ifNull(tupleElement(${scalar}, 1), 0) + tupleElement(${scalar}, 2)`],
  ['toLowCardinality(toString(max(v)))', (scalar) => `toUInt64OrZero(toString(${scalar}))`],
  ['sumState(v)', (scalar) => `finalizeAggregation(${scalar})`],
  ['uniqExactState(v)', (scalar) => `finalizeAggregation(${scalar})`],
  ["map('a', sum(v))", (scalar) => `${scalar}['a']`],
  ['[(sum(v), count())]', (scalar) => `tupleElement(${scalar}[1], 1)`],
  ['count()', (scalar) => `if(${scalar} % 2 = 0, 1, 2)`],
  ['count()', (scalar) => `multiIf(${scalar} > 3, 10, ${scalar} > 1, 20, 30)`],
];

const SOURCES = ['events', 'others', 'odd', 'summed'];

/** A question with a scalar subquery, with its view where it is one. */
function composed(random: Random, view: string): Question & { readonly view?: string } {
  const [value, number] = random.of(SCALARS);
  const [name, of] = [random.of(ODD_NAMES), random.of(ODD_NAMES)];
  const scalar = `(SELECT ${value} FROM ${random.of(SOURCES)} AS ${of})`;
  const table = 'FROM (SELECT toUInt64(number) AS id FROM numbers(12)) AS ids';
  const inner = random.of([
    `WITH ${scalar} AS ${name} SELECT toUInt64(any(0) + ${number(name)}) AS n ${table}`,
    `SELECT toUInt64(${number(scalar)} + count() * 0) AS n ${table}`,
    `WITH ${name} AS (SELECT id, toUInt64(1) AS ${of} FROM names FINAL) SELECT toUInt64(sum(${of}) + ${number(scalar)}) AS n FROM ${name} WHERE id < 9`,
    `WITH ${scalar} AS ${name} SELECT count() AS n FROM names FINAL WHERE id * 50 < (SELECT toUInt64(${number(name)} + count() * 0) ${table})`,
  ]);
  const columns = 'n: UInt64';
  return random.below(3) === 0
    ? { select: `SELECT n FROM ${view}`, columns, view: `CREATE VIEW ${view} AS ${inner}` }
    : { select: inner, columns };
}

const TABLE_SETTINGS =
  'enable_block_number_column = 1, enable_block_offset_column = 1, apply_patches_on_merge = 1';
const EVENTS = `(d Date, id UInt64, v UInt64) ENGINE = MergeTree PARTITION BY d ORDER BY id SETTINGS ${TABLE_SETTINGS}`;

const ofSeed = new Random(SEED);
const WITH_SCALARS = Array.from({ length: COMPOSED }, (_, index) => composed(ofSeed, `view_${index}`));
const QUESTIONS: Readonly<Record<string, Question>> = {
  ...FIXED,
  ...Object.fromEntries(WITH_SCALARS.map((question, index) => [`composed-${index}`, question])),
};
const NAMES = Object.keys(QUESTIONS);

/** The rows of all questions, as JSON. */
type State = Readonly<Record<string, string>>;

const VIEWS = ['v < 1000', 'v >= 0', 'v % 2 = 0'].map(
  (condition) =>
    `CREATE OR REPLACE VIEW named AS SELECT e.v AS v, n.name AS name FROM events AS e INNER JOIN names AS n FINAL ON n.id = e.id WHERE e.${condition}`,
) as [string, ...string[]];

/** A table and columns with odd names, behind views of plain ones. */
const [ODD_TABLE, ODD_V] = [ofSeed.of(ODD_NAMES), ofSeed.of(ODD_NAMES)];
const WITH_ODD = [
  `ALTER TABLE ${ODD_TABLE} ADD COLUMN ${ODD_V} UInt64 DEFAULT v + 1`,
  `CREATE VIEW odd AS SELECT id, ${ODD_V} AS v FROM ${ODD_TABLE} AS ${ofSeed.of(ODD_NAMES)}`,
  'CREATE VIEW summed AS WITH (SELECT sumState(v) FROM events) AS s SELECT toUInt64(1) AS id, finalizeAggregation(s) AS v',
];

let data: ChangingData;

beforeAll(async () => {
  const endpoints = Object.fromEntries(
    Object.entries(QUESTIONS).map(([name, { select, columns }], index) => {
      return [name, versionedEndpoint(name, index, `columns: { ${columns} }`, select)];
    }),
  );
  data = await ChangingData.start(
    [
      `CREATE TABLE events ${EVENTS}`,
      `CREATE TABLE others ${EVENTS}`,
      'CREATE TABLE names (id UInt64, name String) ENGINE = ReplacingMergeTree ORDER BY id',
      VIEWS[0],
      `CREATE TABLE ${ODD_TABLE} ${EVENTS}`,
      ...WITH_ODD,
      ...WITH_SCALARS.flatMap(({ view }) => view ?? []),
    ],
    endpoints,
  );
}, 120_000);

afterAll(() => data.stop(), 120_000);

function changes(random: Random): Readonly<Record<string, Change>> {
  const id = random.below(12);
  const v = random.below(2000);
  const day = `2026-01-0${1 + random.below(4)}`;
  const row = `(toDate('${day}'), ${id}, ${v})`;
  // Of a mutation of several parts a reader can see some: of merged partitions it changes each at once.
  const inOnePart = async (table: string, statement: string): Promise<void> => {
    await data.server.run(`OPTIMIZE TABLE ${table} FINAL`);
    await data.server.run(statement, AT_ONCE);
  };
  return {
    insert: () => data.server.run(`INSERT INTO events VALUES ${row}`),
    'insert into the odd table': () => data.server.run(`INSERT INTO ${ODD_TABLE} (d, id, v) VALUES ${row}`),
    'delete of the odd table': () =>
      inOnePart(ODD_TABLE, `DELETE FROM ${ODD_TABLE} WHERE id = ${id} AND d = '${day}'`),
    'insert again': () => data.server.run(`INSERT INTO events VALUES ${row}`),
    'asynchronous insert': () =>
      data.server.run(`INSERT INTO events VALUES ${row}`, { async_insert: 1, wait_for_async_insert: 1 }),
    'insert a name': () => data.server.run(`INSERT INTO names VALUES (${id}, 'name ${v % 5}')`),
    'lightweight delete': () => inOnePart('names', `DELETE FROM names WHERE id = ${id}`),
    'insert and drop': async () => {
      await data.server.run(`INSERT INTO events VALUES (toDate('2027-01-01'), ${id}, ${v})`);
    },
    'drop what was inserted': () =>
      data.server.run("ALTER TABLE events DROP PARTITION '2027-01-01'", AT_ONCE),
    update: () => inOnePart('names', `ALTER TABLE names UPDATE name = 'name ${v % 5}' WHERE id = ${id}`),
    'lightweight update': () =>
      data.server.run(`UPDATE others SET v = ${v} WHERE id = ${id}`, {
        ...AT_ONCE,
        enable_lightweight_update: 1,
      }),
    merge: () => data.server.run(`OPTIMIZE TABLE ${random.of(['events', 'names', 'others'])} FINAL`),
    'drop a partition': () => data.server.run(`ALTER TABLE events DROP PARTITION '${day}'`, AT_ONCE),
    truncate: () => data.server.run('TRUNCATE TABLE others'),
    detach: () => data.server.run(`ALTER TABLE events DETACH PARTITION '${day}'`, AT_ONCE),
    attach: () => data.attachPart('events', day),
    replace: () => data.server.run(`ALTER TABLE others REPLACE PARTITION '${day}' FROM events`, AT_ONCE),
    exchange: () => data.server.run('EXCHANGE TABLES events AND others'),
    'another view': () => data.server.run(random.of(VIEWS)),
    'add and drop a column': async () => {
      await data.server.run(`ALTER TABLE events ADD COLUMN IF NOT EXISTS w UInt64 DEFAULT ${v}`, AT_ONCE);
      await data.server.run('ALTER TABLE events DROP COLUMN IF EXISTS w', AT_ONCE);
    },
    'delete events': () => inOnePart('events', `DELETE FROM events WHERE id = ${id} AND d = '${day}'`),
  };
}

async function stateNow(): Promise<State> {
  const rows = await Promise.all(
    NAMES.map(
      async (name) => [name, JSON.stringify(await data.server.rows(QUESTIONS[name]?.select ?? ''))] as const,
    ),
  );
  return Object.fromEntries(rows);
}

it(
  `returns for ${ROUNDS} rounds of changes and requests only rows that the tables had within the last second`,
  async () => {
    const { counts, wrong } = await data.play<State>({
      ...{ count: ROUNDS, seed: SEED, changes, stateNow },
      question: (random) => {
        const name = random.of(NAMES);
        return { target: name, isRightIn: (state, { rows }) => state[name] === JSON.stringify(rows) };
      },
    });
    expect(wrong).toEqual([]);
    // The test would show nothing if nothing were kept.
    expect(counts['confirmed']).toBeGreaterThan(ROUNDS / 20);
  },
  60_000 + ROUNDS * 2000,
);
