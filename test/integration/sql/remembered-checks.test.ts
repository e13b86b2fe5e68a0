import fc from 'fast-check';

import { connectClickHouse } from '../../../src/gateway/clickhouse/connect-clickhouse.js';
import { createSqlParser } from '../../../src/gateway/clickhouse/sql-parser.js';
import type { AnalyzeSql } from '../../../src/gateway/query/sandboxed-select.js';
import { Abort } from '../../../src/gateway/query/signal.js';
import { createStatementCheck, type CheckStatement } from '../../../src/gateway/tables/check-statement.js';
import { StatementProblem, type SelectStatement } from '../../../src/gateway/tables/statement.js';
import { adminConnection } from '../../support/clickhouse.js';
import { readExampleSelect, textOfSelect } from '../../support/example-statements.js';

/** Pairs of statements of one shape. */
const RUNS = 400;

/** What a statement can have in the place of a literal. */
const LITERALS = [
  ...[
    '0',
    '5',
    '05',
    '1e3',
    '-5',
    '1.5',
    '.5',
    '0x1F',
    '1_000',
    '18446744073709551616',
    '999999999999999999',
  ],
  ...[
    "''",
    "'a'",
    "'5'",
    "'it''s'",
    String.raw`'it\'s'`,
    String.raw`'\\'`,
    String.raw`'\n'`,
    "'é ☃ 𝄞'",
    "'a\nb'",
  ],
  ...["'edge'", "'tables'", "'AggregateFunction(sum, UInt8)'", "'UInt8'", "'Identifier'", "'_q00000000_v0'"],
  ...[
    "', constant_value_type: x'",
    "' FUNCTION id: 3'",
    "'FROM edge'",
    "'--'",
    "'/*'",
    "'{p:String}'",
    "'a%_'",
  ],
  ...[
    '$x$a$x$',
    "x'41'",
    "b'01'",
    '‘a’',
    'NULL',
    'true',
    "DATE '2020-01-01'",
    '{p:String}',
    '[1, 2]',
    '(1, 2)',
  ],
  ...[
    'a',
    '`a`',
    'now()',
    "toDate('2020-01-01')",
    '(SELECT 1)',
    'INTERVAL 1 DAY',
    "'a' || 'b'",
    "'5'::UInt8",
  ],
];

const SHAPES = [
  ...[
    'a = ?',
    'a != ?',
    '? < a',
    'a<=?',
    'a == ?',
    'a <> ? AND b > ?',
    'NOT a = ?',
    'a = ? OR (b = ?)',
    'a = - ?',
  ],
  ...[
    'a IN (?)',
    'a IN (?, ?)',
    'a NOT IN (?, ?, ?)',
    'a IN ?',
    '(a, b) IN ((?, ?), (?, ?))',
    'a IN [?, ?]',
    'a IN (?,)',
  ],
  ...[
    'a BETWEEN ? AND ?',
    'a NOT BETWEEN ? AND ? AND b = ?',
    '(a = ?) BETWEEN ? AND ?',
    'a BETWEEN b = ? AND ?',
  ],
  ...[
    'a LIKE ?',
    'a ILIKE ?',
    'a NOT LIKE ?',
    'a LIKE ? ESCAPE ?',
    'position(? IN a) = ?',
    "POSITION('a' IN (?)) > ?",
  ],
  ...[
    'if(a = ?, ?, ?) = ?',
    'CASE WHEN a = ? THEN ? ELSE ? END = ?',
    'CASE a WHEN ? THEN ? END = ?',
    'a = ? + 1',
  ],
  ...[
    'CAST(? AS String) = ?',
    'CAST(a = ?, ?)',
    "JSONExtract(a, 'b', ?) = ?",
    'a = ?::String',
    'a = ? COLLATE x',
  ],
  ...[
    'a = ? IS NULL',
    'a = ?.1',
    'a = ?[1]',
    'arrayExists(x -> x = ?, [?, ?])',
    'has([?, ?], a = ?)',
    'a = ANY (SELECT ?)',
  ],
  ...[
    'sumIf(a, b = ?) > ?',
    'quantile(?)(a) > ?',
    'dictGet(?, ?, a) = ?',
    'file(?) = ?',
    'a = ? = ?',
    'tuple(?, a = ?).1 = ?',
  ],
  ...[
    'a IN (SELECT b FROM edge(b = ?) WHERE c = ?)',
    'a IN edge',
    '(a = ? AS c)',
    'a = ? AS c',
    'toDate(a) = ? d',
    'a ? b',
  ],
];

const FRAMES = [
  'SELECT a FROM edge WHERE #',
  'SELECT #, # FROM edge(a = ?, b = ?) AS e WHERE # LIMIT ?',
  'SELECT * FROM edge LEFT JOIN usage_paths ON # WHERE # ORDER BY ? LIMIT ? BY # SETTINGS limit = 1',
  'WITH ? AS x, c AS (SELECT a FROM edge WHERE #) SELECT count() FROM c GROUP BY # HAVING # ORDER BY # DESC',
  'SELECT a = ? FROM edge UNION ALL SELECT a FROM edge WHERE #',
  'SELECT a FROM numbers(?) WHERE #',
  'SELECT a FROM VALUES(?, (?, ?)) WHERE #',
  'SELECT toTypeName(?), formatRow(?, a), # FROM edge WHERE # FORMAT JSON',
];

/** A shape with places for literals, and two sets of literals for it: mostly alike, so that one is remembered for the other. */
const pair = fc
  .tuple(fc.constantFrom(...FRAMES), fc.infiniteStream(fc.constantFrom(...SHAPES)))
  .map(([frame, shapes]) => frame.replaceAll('#', () => String(shapes.next().value)))
  .chain((shape) => {
    const places = shape.split('?').length - 1;
    const literals = fc.array(fc.constantFrom(...LITERALS), { minLength: places, maxLength: places });
    const plain = fc.array(fc.constantFrom('0', '5', "'a'", "'FROM edge'", "'é ☃ 𝄞'"), {
      minLength: places,
      maxLength: places,
    });
    const either = fc.oneof(literals, plain, plain);
    return fc.tuple(either, either).map((sets) => sets.map((set) => filled(shape, set)));
  });

const filled = (shape: string, literals: readonly string[]): string => {
  let at = 0;
  return shape.replaceAll('?', () => literals[at++] ?? '');
};

const client = connectClickHouse(adminConnection('default'), {
  maxOpenConnections: 2,
  requestTimeoutMs: 60_000,
});
afterAll(() => client.close());
const parser = createSqlParser(client);
let analyses = 0;
const analyzeSql: AnalyzeSql = (_request, analyse) => {
  analyses += 1;
  return analyse(parser, new AbortController().signal);
};

function read(sql: string): SelectStatement | undefined {
  try {
    return readExampleSelect(sql);
  } catch (error) {
    if (error instanceof StatementProblem) return undefined;
    throw error;
  }
}

async function verdict(check: CheckStatement, statement: SelectStatement): Promise<unknown> {
  try {
    return await check(statement, [], { signal: new Abort() });
  } catch (error) {
    // Bytes are those of the text with internal names.
    if (error instanceof StatementProblem) return [error.number, error.message.replace(/byte \d+/, 'byte N')];
    throw error;
  }
}

test('what is remembered of a statement with other literals is what a new check says', async () => {
  const [remembering, counts] = [createStatementCheck(analyzeSql), { allowed: 0, refused: 0, remembered: 0 }];
  for (const sqls of fc.sample(pair, { numRuns: RUNS, seed: 3 })) {
    for (const sql of sqls) {
      const statement = read(sql);
      if (!statement) continue;
      analyses = 0;
      const actual = await verdict(remembering, statement);
      counts.remembered += analyses === 0 ? 1 : 0;
      const template = textOfSelect(statement);
      const whole = { ...statement, template, literals: new Map() };
      const expected = await verdict(createStatementCheck(analyzeSql), whole);
      expect({ sql, actual }).toEqual({ sql, actual: expected });
      counts[Array.isArray(expected) ? 'refused' : 'allowed'] += 1;
    }
  }
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(RUNS / 10);
}, 300_000);

test.each([
  [
    "SELECT a FROM edge WHERE a = 'x' AND b >= 10 AND c IN ('x', 'y')",
    "SELECT a FROM edge WHERE a = 'other' AND b >= 7 AND c IN ('z', '')",
  ],
  ['SELECT a FROM edge(b = 1) WHERE a BETWEEN 1 AND 2', 'SELECT a FROM edge(b = 2) WHERE a BETWEEN 3 AND 44'],
])('a filter that is dragged is checked once: %s', async (one, other) => {
  const check = createStatementCheck(analyzeSql);
  await verdict(check, readExampleSelect(one));
  analyses = 0;
  expect(await verdict(check, readExampleSelect(other))).toMatchObject({ varies: false });
  expect(analyses).toBe(0);
});

test.each([
  "SELECT CAST(a AS Enum8('x' = 1, 'y' = 2)) FROM edge WHERE b = 5",
  "SELECT a::Array(Enum('x' = 7)) FROM edge",
  'SELECT CAST(a AS JSON(max_dynamic_paths = 5)) FROM edge',
])('a number of a type stays: %s', async (sql) => {
  const statement = readExampleSelect(sql);
  const whole = { ...statement, template: textOfSelect(statement), literals: new Map() };
  const check = createStatementCheck(analyzeSql);
  expect(await verdict(check, statement)).toEqual(await verdict(check, whole));
  expect(await verdict(check, whole)).toMatchObject({ varies: false });
});
