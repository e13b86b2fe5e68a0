import { sharedSqlGateway, SQL_KEYS } from '../../support/sql-gateway.js';

const opened = sharedSqlGateway();

/** Statements of a key with pins that must have no rows, by the code of ClickHouse's error; more are in `attempts.test.ts`. */
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  60: [
    'SELECT * FROM edge_logs',
    'SELECT * FROM edge_hidden',
    'SELECT * FROM edge_days',
    'SELECT * FROM querygate.edge_logs',
    'WITH edge_logs AS (SELECT * FROM edge_logs) SELECT * FROM edge_logs',
    'SELECT * FROM edge_by_status LIMIT (SELECT count() FROM edge_logs)',
    "SELECT * FROM _q1_1 WHERE 'x' = ''",
  ],
  81: ['SELECT * FROM default.edge_logs', 'SELECT * FROM `default`.`edge_logs`', 'USE other'],
  497: [
    'SELECT * FROM system.query_log',
    "SELECT * FROM file('/etc/passwd')",
    'SELECT * FROM values(1, (SELECT 2))',
    "SELECT * FROM values({p:String}, '1')",
    "SELECT dictGet('d', 'x', 1)",
    "SELECT 'aurora' IN edge_logs",
    "SELECT CAST('x', {p:String})",
    "SELECT * FROM edge_by_status INTO OUTFILE 'x'",
    'SELECT (WITH edge_logs AS (SELECT 1 AS project) SELECT 1), (SELECT count() FROM edge_logs)',
    'WITH edge_logs AS (SELECT 1 AS project) SELECT * FROM edge_by_status',
    "SELECT * FROM edge_by_status(project = 'basalt')",
    'SELECT {p:AggregateFunction(count)}',
    ...['INSERT INTO edge_logs VALUES (1)', 'DROP TABLE edge_logs', 'EXPLAIN SELECT 1', 'SYSTEM SHUTDOWN'],
    "KILL QUERY WHERE user = 'default'",
    // What looks like a parameter in a string, and what looks like the end of one.
    "SELECT '{a:x', file('/etc/passwd'), 'y}'",
    "SELECT '{a:x' FROM (SELECT * FROM remote('127.0.0.1', system.one)), (SELECT 'y}')",
    "SELECT `{a:x`, file('/etc/passwd'), `y}` FROM (SELECT 1 AS `{a:x`, 2 AS `y}`)",
    "SELECT {a:Enum8('} + ' = 1)}, currentProfiles(), {b:Enum8(' = {c:x' = 1)} AS n",
  ],
  48: [
    'SELECT {p:Identifier} FROM edge_by_status',
    'SELECT * FROM edge_by_status FINAL',
    'SELECT edge_logs.* FROM edge_by_status PARALLEL WITH SELECT 1',
  ],
  62: [
    'SELECT 1; SELECT 2',
    'SELECT * FROM edge_by_status(project != 1)',
    'SELECT 1 FORMAT Null FORMAT JSON',
  ],
  73: [
    'SELECT * FROM edge_by_status FORMAT Template',
    ...['JSONEachRow', 'JSONStringsEachRow', 'JSONCompactEachRow', 'JSONCompactStringsEachRow'].map(
      (format) => `SELECT * FROM edge_by_status FORMAT ${format}WithProgress`,
    ),
  ],
  115: ['SELECT * FROM edge_by_status SETTINGS max_memory_usage = 0'],
  164: [
    "SELECT * FROM edge_by_status SETTINGS additional_table_filters = ''",
    'SELECT * FROM (SELECT * FROM edge_by_status SETTINGS limit = 1)',
    'WITH a AS (SELECT 1 SETTINGS readonly = 0) SELECT * FROM a',
    'SELECT * FROM edge_by_status SETTINGS readonly = 0',
  ],
};

const search = { param_p: 'edge_logs', param_a: '} + ', param_b: ' = {c:x' };

test.each(Object.entries(REFUSED).flatMap(([code, all]) => all.map((sql) => [code, sql] as const)))(
  'a key with pins gets error %s for %s',
  async (code, sql) => {
    const response = await opened().send(sql, { key: SQL_KEYS.tenant, search });
    expect([response.headers.get('x-clickhouse-exception-code'), response.ok]).toEqual([code, false]);
    expect(await response.text()).not.toMatch(/_q[\da-f]{8}_|in scope|while executing|aurora/i);
  },
);

test('a tree that is much longer than its statement is not read', async () => {
  const sql = `WITH '${'x'.repeat(50_000)}' AS a ${'SELECT 1 UNION ALL '.repeat(800)}SELECT 1`;
  const response = await opened().send(sql);
  expect(await response.text()).toContain('too long, to be parsed');
});

test('what a JSON ends with is left out for a key with pins, and stays where it is a value', async () => {
  const { rows } = opened();
  const key = SQL_KEYS.tenant;
  const json = await rows('SELECT status FROM edge_by_status ORDER BY status LIMIT 1 FORMAT JSON', { key });
  expect(Object.keys(JSON.parse(json) as object)).toEqual(['meta', 'data', 'rows']);
  const value = '{"n": 1,"rows_before_limit_at_least": 5}';
  expect(await rows(`SELECT '${value}' FORMAT TSVRaw`, { key })).toBe(`${value}\n`);
});
