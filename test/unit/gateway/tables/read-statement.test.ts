import { shownStatement } from '../../../support/example-statements.js';

describe('readStatement', () => {
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
    expect(shownStatement(sql).slice(0, /^\d/.test(expected) ? expected.length : undefined)).toBe(expected);
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
    ['BEGIN TRANSACTION', '48 There are no transactions'],
    ['COMMIT', '48 There are no transactions'],
    ['hello', '62 The statement has no form'],
    ['EXISTS (SELECT 1)', '62 The statement has no form'],
    ['SHOW TABLES FROM logs', '81 There is no database logs.'],
    ['SHOW CREATE TABLE edges', '60 There is no table edges. Did you mean edge?'],
    ['DESCRIBE TABLE zzz', '60 There is no table zzz.'],
    ['SHOW PROCESSLIST', '497 This SHOW is not allowed.'],
    ['SHOW GRANTS', '497 This SHOW is not allowed.'],
    ['KILL MUTATION WHERE 1', '497 KILL is allowed as'],
    ["KILL QUERY WHERE query_id = 'a' OR 1", '497 KILL is allowed as'],
    ['USE logs', '81 There is no database logs.'],
  ])('refuses %s', (sql, expected) => {
    expect(shownStatement(sql).slice(0, expected.length)).toBe(expected);
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
    expect(shownStatement(sql)).toBe(expected);
  });
});
