import { readStatement } from '../../../../src/gateway/tables/read-statement.js';
import {
  shownStatement,
  readExample,
  readExampleSelect,
  textOfSelect,
  EXAMPLE_TABLES,
  EXAMPLE_CONTEXT,
} from '../../../support/example-statements.js';

describe('readStatement', () => {
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
    const statement = readExampleSelect(sql);
    const { slot = '-', reads } = statement;
    expect(slot === '-').toBe(reads.length === 0);
    const table = ` ${reads[0]?.internal ?? ''} AS \`edge\``;
    expect(textOfSelect(statement).replaceAll(slot, '#').replaceAll(table, '')).toBe(expected);
  });

  it('shares an internal name between equal reads only', () => {
    const statement = readExampleSelect(
      'SELECT 1 FROM edge, querygate.edge AS b, edge(a = 1) AS c, edge(a = 1) AS d, edge(a = 2) AS e, edge(b = 2, a = 1) AS f, edge(a = 1, b = 2) AS g',
    );
    expect(statement.reads.map(({ args }) => [...args.keys()])).toEqual([[], ['a'], ['a'], ['b', 'a']]);
    expect(new Set(statement.reads.map(({ internal }) => internal)).size).toBe(4);
  });

  it('names tables by the statement without its comments, and by nothing that occurs in it', () => {
    const nameIn = (sql: string, isUsed: (beginning: string) => boolean = () => false): string => {
      const statement = readStatement(sql, EXAMPLE_TABLES, { ...EXAMPLE_CONTEXT, isUsed });
      return 'reads' in statement ? (statement.reads[0]?.internal ?? '') : '';
    };
    const name = nameIn('SELECT a FROM edge');
    expect(name).toMatch(/^_q[\da-f]{8}_1$/);
    expect(nameIn('/* b */ SELECT\n a FROM -- c\n edge FORMAT JSON')).toBe(name);
    expect(nameIn('SELECT b FROM edge')).not.toBe(name);
    expect(nameIn('SELECT a FROM edge(x = 1) WHERE a > 1')).toBe(
      nameIn('SELECT a FROM edge(x = 2) WHERE a > 2'),
    );
    expect(nameIn('SELECT a FROM edge WHERE a > 1 + 1')).not.toBe(
      nameIn('SELECT a FROM edge WHERE a > 1 + 2'),
    );
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
    expect(shownStatement(sql)).toBe(expected);
  });

  it('knows the parameters, the words, and whether columns are read that it does not name', () => {
    const statement = readExampleSelect(
      "SELECT a, `b c`, 2 * d, {p:UInt8} FROM edge(x = {q:String}) WHERE e = 'f'",
    );
    expect(statement).toMatchObject({ parameters: new Set(['p']), hasMatcher: false });
    const words = statement.words;
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
      expect(readExample(sql)).toMatchObject({ hasMatcher: true });
  });
});
