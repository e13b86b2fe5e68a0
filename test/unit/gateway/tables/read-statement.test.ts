import { readStatement } from '../../../../src/gateway/tables/read-statement.js';
import { StatementProblem, type Statement } from '../../../../src/gateway/tables/statement.js';
import { tableNames } from '../../../support/table-names.js';

const names = tableNames('querygate', ['edge', 'usage_paths', 'by_status', 'usage_edge_rows', 'tables']);
const context = { user: 'querygate', database: 'querygate', isUsed: () => false };

const read = (sql: string): Statement => readStatement(sql, names, context);

/** A text without the WITH queries that those of its tables replace. */
const withoutSlots = (text: string, slot: string): string =>
  text.replaceAll(`WITH ${slot}, `, 'WITH ').replaceAll(`WITH ${slot} `, '');

/** A statement as one line: its text with tables in the place of internal names, and what else it has. */
function shown(sql: string): string {
  try {
    const statement = read(sql);
    if (statement.kind === 'kill') return `kill ${statement.queryId}`;
    const settings = [...statement.settings].map(([name, value]) => ` ${name}=${value}`).join('');
    if (statement.kind === 'nothing') return `nothing${settings}`;
    const { text, reads, format } = statement;
    const slots = statement.slot === undefined ? text : withoutSlots(text, statement.slot);
    const written = reads.reduce((all, { internal, table }) => all.replaceAll(internal, `<${table}>`), slots);
    const prefix = statement.kind === 'describe' ? 'describe ' : '';
    return `${prefix}${written}${format === undefined ? '' : ` FORMAT ${format}`}${settings}`;
  } catch (error) {
    if (!(error instanceof StatementProblem)) throw error;
    return `${error.number} ${error.message}`;
  }
}

describe('readStatement', () => {
  it.each([
    ['SELECT * FROM edge', 'SELECT * FROM <querygate.edge> AS `edge`'],
    ['SELECT * FROM"querygate"."edge"WHERE 1', 'SELECT * FROM <querygate.edge> AS `edge`WHERE 1'],
    ['SELECT * FROM `edge`e', 'SELECT * FROM <querygate.edge> e'],
    [
      'SELECT 1 FROM edge AS `final` JOIN usage_paths p',
      'SELECT 1 FROM <querygate.edge> AS `final` JOIN <querygate.usage_paths> p',
    ],
    [
      'SELECT 1 FROM edge LEFT JOIN usage_paths ON 1',
      'SELECT 1 FROM <querygate.edge> AS `edge` LEFT JOIN <querygate.usage_paths> AS `usage_paths` ON 1',
    ],
    ['FROM edge SELECT a, b', 'FROM <querygate.edge> AS `edge` SELECT a, b'],
    [
      'SELECT a, FROM edge, usage_paths u, (SELECT 1) AS t',
      'SELECT a, FROM <querygate.edge> AS `edge` , <querygate.usage_paths> u, (SELECT 1) AS t',
    ],
    [
      'SELECT 1 FROM (edge AS a CROSS JOIN usage_paths)',
      'SELECT 1 FROM (<querygate.edge> AS a CROSS JOIN <querygate.usage_paths> AS `usage_paths`)',
    ],
    [
      'SELECT 1 FROM edge ARRAY JOIN tags, edge JOIN usage_paths USING a, edge',
      'SELECT 1 FROM <querygate.edge> AS `edge` ARRAY JOIN tags, edge JOIN <querygate.usage_paths> AS `usage_paths` USING a, edge',
    ],
    [
      'SELECT 1 FROM edge JOIN usage_paths USING (a), edge AS b',
      'SELECT 1 FROM <querygate.edge> AS `edge` JOIN <querygate.usage_paths> AS `usage_paths` USING (a), <querygate.edge> AS b',
    ],
    [
      'SELECT x IN querygate.edge FROM edge',
      'SELECT x IN (<querygate.edge> AS `querygate.edge`) FROM <querygate.edge> AS `edge`',
    ],
    [
      'SELECT x GLOBAL NOT IN (querygate.edge)',
      'SELECT x GLOBAL NOT IN ((<querygate.edge> AS `querygate.edge`))',
    ],
    ['SELECT x IN (edge, 1), x IN t.edge, x IN names', 'SELECT x IN (edge, 1), x IN t.edge, x IN names'],
    ['WITH [1] AS edge SELECT x IN edge', 'WITH [1] AS edge SELECT x IN edge'],
    [
      "SELECT extract(day FROM edge), trim(BOTH 'x' FROM edge), substring(a FROM edge), position('a' IN edge)",
      "SELECT extract(day FROM edge), trim(BOTH 'x' FROM edge), substring(a FROM edge), position('a' IN edge)",
    ],
    [
      'SELECT a IS NOT DISTINCT FROM edge FROM edge ORDER BY a WITH FILL FROM edge TO 3',
      'SELECT a IS NOT DISTINCT FROM edge FROM <querygate.edge> AS `edge` ORDER BY a WITH FILL FROM edge TO 3',
    ],
    ['SELECT 1 AS fill FROM edge', 'SELECT 1 AS fill FROM <querygate.edge> AS `edge`'],
    [
      "SELECT 'FROM edge', $x$ FROM edge $x$ /* FROM edge */ FROM edge -- FROM edge",
      "SELECT 'FROM edge', $x$ FROM edge $x$ FROM <querygate.edge> AS `edge`",
    ],
    [
      'SELECT (SELECT max(a) FROM edge WHERE EXISTS (SELECT 1 FROM usage_paths))',
      'SELECT (SELECT max(a) FROM <querygate.edge> AS `edge` WHERE EXISTS (SELECT 1 FROM <querygate.usage_paths> AS `usage_paths` ))',
    ],
    [
      '(SELECT 1 FROM edge) UNION ALL ((SELECT 2 FROM edge))',
      '(SELECT 1 FROM <querygate.edge> AS `edge` ) UNION ALL ((SELECT 2 FROM <querygate.edge> AS `edge` ))',
    ],
    [
      "SELECT 1 FROM (VALUES (1, 2)) AS t, values('a Int8', 1)",
      "SELECT 1 FROM (VALUES (1, 2)) AS t, values('a Int8', 1)",
    ],
    [
      "SELECT [[1], [2]], {'a': 1}, -x.1 FROM edge AS t(a, b)",
      "SELECT [[1], [2]], {'a': 1}, -x.1 FROM <querygate.edge> AS t(a, b)",
    ],
  ])('gives tables internal names: %s', (sql, expected) => {
    expect(shown(sql).replaceAll(/ (?=[),])/g, '')).toBe(expected.replaceAll(/ (?=[),])/g, ''));
  });

  it.each([
    ['WITH edge AS (SELECT 1) SELECT * FROM edge', 'WITH edge AS (SELECT 1) SELECT * FROM edge'],
    [
      'WITH edge AS (SELECT 1) SELECT * FROM querygate.edge',
      'WITH edge AS (SELECT 1) SELECT * FROM <querygate.edge> AS `edge`',
    ],
    [
      'WITH edge AS (SELECT * FROM edge) SELECT * FROM edge',
      'WITH edge AS (SELECT * FROM <querygate.edge> AS `edge`) SELECT * FROM edge',
    ],
    [
      'WITH a AS (SELECT * FROM edge), edge(x) AS MATERIALIZED (SELECT 1) SELECT * FROM a',
      'WITH a AS (SELECT * FROM edge), edge(x) AS MATERIALIZED (SELECT 1) SELECT * FROM a',
    ],
    [
      'WITH RECURSIVE edge AS (SELECT * FROM edge) SELECT 1',
      'WITH RECURSIVE edge AS (SELECT * FROM edge) SELECT 1',
    ],
    [
      '(WITH edge AS (SELECT 1) SELECT 1) UNION ALL SELECT * FROM edge',
      '(WITH edge AS (SELECT 1) SELECT 1) UNION ALL SELECT * FROM edge',
    ],
    [
      'WITH edge AS (SELECT 1) SELECT * FROM (WITH edge AS (SELECT * FROM edge) SELECT * FROM edge)',
      'WITH edge AS (SELECT 1) SELECT * FROM (WITH edge AS (SELECT * FROM edge) SELECT * FROM edge)',
    ],
  ])('leaves the names of WITH queries: %s', (sql, expected) => {
    expect(shown(sql)).toBe(expected);
  });

  it.each([
    [
      'SELECT querygate.edge.a, `querygate`.`edge`.*, edge.b FROM querygate.edge',
      'SELECT `edge`.a, `edge`.*, edge.b FROM <querygate.edge> AS `edge`',
    ],
    ['SELECT querygate.edge.a FROM edge AS e', 'SELECT `e`.a FROM <querygate.edge> AS e'],
    [
      'SELECT "usage.edge-rows".a, `querygate`.`usage`.`edge-rows`.`a` FROM querygate.`usage.edge-rows`',
      'SELECT `usage_edge_rows`.a, `usage_edge_rows`.`a` FROM <querygate.usage_edge_rows> AS `usage_edge_rows`',
    ],
    [
      'SELECT system.tables.name, tables.a FROM system.tables',
      'SELECT `tables`.name, tables.a FROM <system.tables> AS `tables`',
    ],
    [
      'SELECT querygate.edge.a, querygate.c FROM edge JOIN t2(x = 1) AS querygate',
      '60 There is no table t2. ',
    ],
    [
      'SELECT querygate.edge.a FROM edge AS x, usage_paths AS querygate',
      'SELECT querygate.edge.a FROM <querygate.edge> AS x, <querygate.usage_paths> AS querygate',
    ],
    [
      'SELECT querygate.usage_paths.a FROM edge',
      'SELECT querygate.usage_paths.a FROM <querygate.edge> AS `edge`',
    ],
    ['SELECT querygate.edge.a FROM edge, usage_paths AS edge', '207 edge can mean several tables. '],
    ['SELECT querygate.edge.a FROM edge AS a, edge AS b', '207 querygate.edge.a can mean several tables. '],
    [
      'WITH edge AS (SELECT 1) SELECT querygate.edge.a FROM querygate.edge WHERE (SELECT 1 FROM edge)',
      '207 querygate.edge.a can mean several tables. ',
    ],
    [
      'SELECT querygate.tables.a FROM querygate.tables WHERE (SELECT 1 FROM system.tables)',
      '207 querygate.tables.a can mean several tables. ',
    ],
  ])('takes the database from columns: %s', (sql, expected) => {
    expect(shown(sql).slice(0, /^\d/.test(expected) ? expected.length : undefined)).toBe(expected);
  });

  it.each([
    ['SELECT 1', 'SELECT 1'],
    ['SELECT 1 FROM edge', 'WITH # SELECT 1 FROM'],
    ['FROM edge SELECT 1', 'WITH # FROM SELECT 1'],
    ['WITH a AS (SELECT 1) SELECT 1 FROM edge', 'WITH #, a AS (SELECT 1) SELECT 1 FROM'],
    ['WITH RECURSIVE a AS (SELECT 1) SELECT 1 FROM edge', 'WITH RECURSIVE #, a AS (SELECT 1) SELECT 1 FROM'],
    ['WITH recursive AS (SELECT 1) SELECT 1 FROM edge', 'WITH #, recursive AS (SELECT 1) SELECT 1 FROM'],
    ['SELECT 1 FROM edge UNION ALL SELECT 2', 'WITH # SELECT 1 FROM UNION ALL SELECT 2'],
    ['(SELECT 1 FROM edge) EXCEPT (SELECT 2)', '(WITH # SELECT 1 FROM) EXCEPT (SELECT 2)'],
    [
      'SELECT 1 FROM edge INTERSECT DISTINCT WITH b AS (SELECT 1) SELECT 2',
      'WITH # SELECT 1 FROM INTERSECT DISTINCT WITH #, b AS (SELECT 1) SELECT 2',
    ],
    [
      '((SELECT 1 FROM edge) EXCEPT SELECT 2) UNION ALL (SELECT 3) UNION ALL SELECT 4',
      '((WITH # SELECT 1 FROM) EXCEPT SELECT 2) UNION ALL (WITH # SELECT 3) UNION ALL WITH # SELECT 4',
    ],
    [
      'SELECT 1 FROM edge UNION ALL (SELECT 2 EXCEPT (WITH c AS (SELECT 1) SELECT 3))',
      'WITH # SELECT 1 FROM UNION ALL (SELECT 2 EXCEPT (WITH #, c AS (SELECT 1) SELECT 3))',
    ],
  ])('keeps a place for the WITH queries of tables wherever they must be known: %s', (sql, expected) => {
    const statement = read(sql);
    if (!('text' in statement)) throw new Error('no SELECT');
    const { text, slot = '-', reads } = statement;
    expect(slot === '-').toBe(reads.length === 0);
    const table = ` ${reads[0]?.internal ?? ''} AS \`edge\``;
    expect(text.replaceAll(slot, '#').replaceAll(table, '')).toBe(expected);
  });

  it('reads the arguments of a table', () => {
    const statement = read(
      String.raw`SELECT 1 FROM edge(project = 'it''s \'\d', n = -1.5, "on" = true, list = ['a', 2], x = NULL, p = {i:Array(String)}, h = $$a$$)`,
    );
    expect(statement).toMatchObject({ parameters: new Set() });
    expect('reads' in statement && [...(statement.reads[0]?.args ?? [])]).toEqual([
      ['project', { kind: 'text', text: String.raw`it's '\d` }],
      ['n', { kind: 'text', text: '-1.5' }],
      ['on', { kind: 'text', text: 'true' }],
      ['list', { kind: 'items', items: ['a', '2'] }],
      ['p', { kind: 'parameter', name: 'i' }],
      ['h', { kind: 'text', text: 'a' }],
    ]);
  });

  it.each([
    ["edge('x')", 'An argument of a table is not supported'],
    ['edge(a = 1, 2)', 'An argument of a table is not supported'],
    ['edge(a = 1, a = 2)', 'The argument a, which must be given once,'],
    ['edge(a = b)', 'The argument a is not supported'],
    ['edge(a = 1 + 1)', 'The argument a is not supported'],
    ['edge(a = - - 1)', 'The argument a is not supported'],
    ['edge(a = [NULL])', 'The argument a is not supported'],
    ["edge(a = x'41')", 'The argument a is not supported'],
    ['edge(a = (SELECT 1))', 'The argument a is not supported'],
    ['edge(a = {x:Identifier})', '{x:Identifier} is not supported'],
    ['numbers(1, 2, 3)', 'numbers() has one or two arguments'],
    ['numbers(x)', 'numbers() has one or two arguments'],
    ['numbers()', 'numbers() has one or two arguments'],
    ["url('http://x')", 'The table function url is not allowed'],
  ])('refuses FROM %s', (table, sentence) => {
    expect(shown(`SELECT 1 FROM ${table}`)).toMatch(/^(48|62|497) /);
    expect(shown(`SELECT 1 FROM ${table}`)).toContain(sentence);
  });

  it('reads numbers as a table with an offset and a length', () => {
    const statement = read('SELECT number FROM numbers(10), numbers(5, 10) AS n');
    expect('reads' in statement && statement.reads.map(({ table, args }) => [table, ...args])).toEqual([
      ['system.numbers', ['length', { kind: 'text', text: '10' }]],
      ['system.numbers', ['offset', { kind: 'text', text: '5' }], ['length', { kind: 'text', text: '10' }]],
    ]);
  });

  it('shares an internal name between equal reads only', () => {
    const statement = read(
      'SELECT 1 FROM edge, querygate.edge AS b, edge(a = 1) AS c, edge(a = 1) AS d, edge(a = 2) AS e, edge(b = 2, a = 1) AS f, edge(a = 1, b = 2) AS g',
    );
    expect('reads' in statement && statement.reads.map(({ args }) => [...args.keys()])).toEqual([
      [],
      ['a'],
      ['a'],
      ['b', 'a'],
    ]);
    expect('reads' in statement && new Set(statement.reads.map(({ internal }) => internal)).size).toBe(4);
  });

  it('names tables by the statement without its comments, and by nothing that occurs in it', () => {
    const nameIn = (sql: string, isUsed = (_: string) => false): string => {
      const statement = readStatement(sql, names, { ...context, isUsed });
      return 'reads' in statement ? (statement.reads[0]?.internal ?? '') : '';
    };
    const name = nameIn('SELECT a FROM edge');
    expect(name).toMatch(/^_q[\da-f]{8}_1$/);
    expect(nameIn('/* b */ SELECT\n a FROM -- c\n edge FORMAT JSON')).toBe(name);
    expect(nameIn('SELECT b FROM edge')).not.toBe(name);
    expect(nameIn('SELECT a FROM edge(x = 1)')).not.toBe(nameIn('SELECT a FROM edge(x = 2)'));
    expect(nameIn('SELECT a FROM edge', (beginning) => name.startsWith(beginning))).not.toBe(name);
  });

  it.each([
    [
      'SELECT currentUser(), upper(USER()) AS u, hostName() FROM edge',
      "SELECT 'querygate' AS `currentUser()`, upper('querygate') AS u, 'querygate' AS `hostName()` FROM <querygate.edge> AS `edge`",
    ],
    [
      'SELECT DATABASE() AS d, currentDatabase(1), x.user(), CURRENTUSER()',
      "SELECT 'querygate' AS d, currentDatabase(1), x.user(), CURRENTUSER()",
    ],
    ['SELECT version(), timezone(), revision()', 'SELECT version(), timezone(), revision()'],
  ])('writes constants for calls that tell of the server: %s', (sql, expected) => {
    expect(shown(sql)).toBe(expected);
  });

  it.each([
    ['SELECT 1 FORMAT JSON', 'SELECT 1 FORMAT JSON'],
    ["SELECT 1 settings a = 1, b = 'x', c = -2 format TSV;", 'SELECT 1 FORMAT TSV a=1 b=x c=-2'],
    ['SELECT 1 FORMAT JSON SETTINGS a = true -- b', 'SELECT 1 FORMAT JSON a=true'],
    ['SELECT 1 SETTINGS a = 1 FORMAT JSON SETTINGS a = 2', 'SELECT 1 FORMAT JSON a=2'],
    ['SELECT 1 AS format, format FROM edge', 'SELECT 1 AS format, format FROM <querygate.edge> AS `edge`'],
    [
      'SHOW DATABASES FORMAT TSV',
      'SELECT name FROM <system.databases> AS `databases` ORDER BY name FORMAT TSV',
    ],
    ['SELECT 1 SETTINGS a = b(1)', '62 A setting is not supported.'],
    ['SELECT (SELECT 1 SETTINGS a = 1)', '164 SETTINGS can stand only at the end'],
    ['SELECT 1 SETTINGS a = 1 UNION ALL SELECT 2', '164 SETTINGS can stand only at the end'],
    ['SELECT 1 FROM edge(a = 1, SETTINGS b = 1)', '164 SETTINGS can stand only at the end'],
    ['SELECT settings FROM edge', '164 SETTINGS can stand only at the end'],
    [
      'SELECT edge.settings, `settings` FROM edge',
      'SELECT edge.settings, `settings` FROM <querygate.edge> AS `edge`',
    ],
  ])('reads FORMAT and SETTINGS at the end: %s', (sql, expected) => {
    expect(shown(sql).slice(0, /^\d/.test(expected) ? expected.length : undefined)).toBe(expected);
  });

  it('knows the parameters, the words, and whether columns are read that it does not name', () => {
    const statement = read("SELECT a, `b c`, 2 * d, {p:UInt8} FROM edge(x = {q:String}) WHERE e = 'f'");
    expect(statement).toMatchObject({ parameters: new Set(['p']), hasMatcher: false });
    const words = 'words' in statement ? statement.words : new Set();
    expect(['a', 'b c', 'd', 'e', 'f'].map((word) => words.has(word))).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
    for (const sql of [
      'SELECT * FROM edge',
      'SELECT 1, edge.* FROM edge',
      "SELECT COLUMNS('a') FROM edge",
      "SELECT edge.COLUMNS('a') FROM edge",
      'SELECT 1 IN querygate.edge',
      'SELECT 1 FROM edge NATURAL JOIN usage_paths',
    ])
      expect(read(sql)).toMatchObject({ hasMatcher: true });
  });

  it.each([
    ['SELECT 1 FROM edges', '60 There is no table edges. Did you mean edge?'],
    [
      'SELECT 1 FROM querygate.usage.edge-rows',
      '60 There is no table querygate.usage.edge. Did you mean usage_edge_rows?',
    ],
    ['SELECT 1 FROM zzz', '60 There is no table zzz. The tables of the database'],
    ['SELECT 1 FROM logs.edge', '81 There is no database logs.'],
    ['SELECT 1 FROM system.users', '497 The table system.users cannot be read here.'],
    ['SELECT 1 FROM edge FINAL', '48 FINAL after a table is not supported.'],
    ['SELECT 1 FROM edge AS e SAMPLE 0.1', '48 SAMPLE after a table is not supported.'],
    ['SELECT 1 FROM (SELECT 1) AS e FINAL', '48 FINAL after a table is not supported.'],
    ["SELECT 1 FROM 'edge'", '62 After FROM, JOIN or a comma'],
    ['SELECT 1 FROM {t:Identifier}', '62 After FROM, JOIN or a comma'],
    ['SELECT {t:Identifier} FROM edge', '48 {t:Identifier} is not supported.'],
    ['SELECT 1 FROM edge,', '62 After FROM, JOIN or a comma'],
    ["SELECT 1 INTO OUTFILE 'x'", '497 INTO OUTFILE is not allowed'],
    ['SELECT 1 PARALLEL WITH SELECT 2', '48 PARALLEL WITH is not supported'],
    [
      'SELECT 1 IN edge',
      '48 Right of IN, edge can be a table or a column. Write querygate.edge for the table.',
    ],
    ['SELECT 1; SELECT 2', '62 A second statement begins here.'],
    ['SELECT (1', '62 ( is not closed.'],
    ["SELECT 'a", "62 ' is not closed."],
    ['', '62 The statement is empty.'],
    ['EXPLAIN SELECT 1', '497 EXPLAIN is not allowed.'],
    ['INSERT INTO edge VALUES (1)', '497 INSERT is not allowed.'],
    ['DROP TABLE edge', '497 DROP is not allowed.'],
    ['BEGIN TRANSACTION', '48 BEGIN is not supported'],
    ['COMMIT', '48 COMMIT is not supported'],
    ['hello', '62 The statement does not begin'],
    ['EXISTS (SELECT 1)', '62 EXISTS is not written in a form that is supported.'],
    ['SHOW TABLES FROM logs', '81 There is no database logs.'],
    ['SHOW CREATE TABLE edges', '60 There is no table edges. Did you mean edge?'],
    ['DESCRIBE TABLE zzz', '60 There is no table zzz.'],
    ['SHOW PROCESSLIST', '497 This SHOW is not allowed.'],
    ['SHOW GRANTS', '497 This SHOW is not allowed.'],
    ['KILL MUTATION WHERE 1', '497 KILL is allowed as'],
    ["KILL QUERY WHERE query_id = 'a' OR 1", '497 KILL is allowed as'],
    ['USE logs', '81 There is no database logs.'],
  ])('refuses %s', (sql, expected) => {
    expect(shown(sql).slice(0, expected.length)).toBe(expected);
  });

  it.each([
    ["KILL QUERY WHERE query_id = 'a''b' ASYNC", "kill a'b"],
    ["SET a = 1, b = 'x';", 'nothing a=1 b=x'],
    ['SET ROLE NONE', 'nothing'],
    ['USE querygate', 'nothing'],
    ['EXISTS edge', 'SELECT toUInt8(1) AS result'],
    ['EXISTS TABLE logs.edge', 'SELECT toUInt8(0) AS result'],
    ['EXISTS DATABASE `querygate`', 'SELECT toUInt8(1) AS result'],
    ['EXISTS TEMPORARY TABLE edge', 'SELECT toUInt8(0) AS result'],
    ['EXISTS DICTIONARY edge', 'SELECT toUInt8(0) AS result'],
    [
      'EXISTS VIEW edge',
      "SELECT toUInt8(count()) AS result FROM <system.tables> AS `tables` WHERE database = 'querygate' AND name = 'edge' AND engine = 'View'",
    ],
    [
      "SHOW FULL TABLES IN querygate NOT ILIKE 'a%' LIMIT 2",
      "SELECT name, engine FROM <system.tables> AS `tables` WHERE database = 'querygate' AND name NOT ILIKE 'a%' ORDER BY name LIMIT 2",
    ],
    [
      'DESC (SELECT 1 FROM edge) FORMAT TSKV',
      'describe SELECT 1 FROM <querygate.edge> AS `edge` FORMAT TSKV',
    ],
    ['DESCRIBE SELECT 1 FROM edge', 'describe SELECT 1 FROM <querygate.edge> AS `edge`'],
    ["DESC TABLE edge(a = 'x') FORMAT TSV", 'describe SELECT * FROM <querygate.edge> AS `edge` FORMAT TSV'],
    [
      'SHOW CREATE edge',
      "SELECT create_table_query AS statement FROM <system.tables> AS `tables` WHERE database = 'querygate' AND name = 'edge'",
    ],
  ])('reads %s', (sql, expected) => {
    expect(shown(sql)).toBe(expected);
  });
});
