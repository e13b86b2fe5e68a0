import type { Random } from '../../support/random.js';
import { AT_ONCE, ChangingData, type Change } from '../../support/rounds-of-changes.js';
import { versionedEndpoint } from '../../support/versioned-gateway.js';

const ROUNDS = Number(process.env['UNTIL_CHANGED_ROUNDS'] ?? 120);
const SEED = Number(process.env['UNTIL_CHANGED_SEED'] ?? 20960301);

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
      'SELECT (SELECT max(v) FROM events) AS m, count() AS n FROM names FINAL WHERE id IN (SELECT id FROM others)',
    columns: 'm: Nullable(UInt64), n: UInt64',
  },
} as const;

const TABLE_SETTINGS =
  'enable_block_number_column = 1, enable_block_offset_column = 1, apply_patches_on_merge = 1';
const EVENTS = `(d Date, id UInt64, v UInt64) ENGINE = MergeTree PARTITION BY d ORDER BY id SETTINGS ${TABLE_SETTINGS}`;

type Question = keyof typeof QUESTIONS;
const NAMES = Object.keys(QUESTIONS) as readonly Question[];

/** The rows of all questions, as JSON. */
type State = Readonly<Record<Question, string>>;

const VIEWS = ['v < 1000', 'v >= 0', 'v % 2 = 0'].map(
  (condition) =>
    `CREATE OR REPLACE VIEW named AS SELECT e.v AS v, n.name AS name FROM events AS e INNER JOIN names AS n FINAL ON n.id = e.id WHERE e.${condition}`,
) as [string, ...string[]];

let data: ChangingData;

beforeAll(async () => {
  const endpoints = Object.fromEntries(
    NAMES.map((name, index) => {
      const { select, columns } = QUESTIONS[name];
      return [name, versionedEndpoint(name, index, `columns: { ${columns} }`, select)];
    }),
  );
  data = await ChangingData.start(
    [
      `CREATE TABLE events ${EVENTS}`,
      `CREATE TABLE others ${EVENTS}`,
      'CREATE TABLE names (id UInt64, name String) ENGINE = ReplacingMergeTree ORDER BY id',
      VIEWS[0],
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
  return {
    insert: () => data.server.run(`INSERT INTO events VALUES ${row}`),
    'insert again': () => data.server.run(`INSERT INTO events VALUES ${row}`),
    'asynchronous insert': () =>
      data.server.run(`INSERT INTO events VALUES ${row}`, { async_insert: 1, wait_for_async_insert: 1 }),
    'insert a name': () => data.server.run(`INSERT INTO names VALUES (${id}, 'name ${v % 5}')`),
    'lightweight delete': () => data.server.run(`DELETE FROM names WHERE id = ${id}`, AT_ONCE),
    'insert and drop': async () => {
      await data.server.run(`INSERT INTO events VALUES (toDate('2027-01-01'), ${id}, ${v})`);
    },
    'drop what was inserted': () =>
      data.server.run("ALTER TABLE events DROP PARTITION '2027-01-01'", AT_ONCE),
    update: () =>
      data.server.run(`ALTER TABLE names UPDATE name = 'name ${v % 5}' WHERE id = ${id}`, AT_ONCE),
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
    'delete events': () => data.server.run(`DELETE FROM events WHERE id = ${id}`, AT_ONCE),
  };
}

async function stateNow(): Promise<State> {
  const rows = await Promise.all(
    NAMES.map(
      async (name) => [name, JSON.stringify(await data.server.rows(QUESTIONS[name].select))] as const,
    ),
  );
  return Object.fromEntries(rows) as State;
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
