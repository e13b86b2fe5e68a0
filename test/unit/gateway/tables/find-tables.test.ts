import { shownStatement } from '../../../support/example-statements.js';

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
    expect(shownStatement(sql).replaceAll(/ (?=[),])/g, '')).toBe(expected.replaceAll(/ (?=[),])/g, ''));
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
    expect(shownStatement(sql)).toBe(expected);
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
    expect(shownStatement(sql).slice(0, /^\d/.test(expected) ? expected.length : undefined)).toBe(expected);
  });
});
