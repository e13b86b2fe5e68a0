import { checkTree } from '../../../src/sandbox/check-tree.js';
import { readTree } from '../../../src/sandbox/tree.js';

const NAMES = {
  parts: new Set(['edge_source', 'result']),
  tables: new Set(['edge_logs']),
  isNoTableNamed: false,
};

/** The tree of `SELECT * FROM (SELECT x FROM <table>)`, with lines put in after the table. */
const tree = (table: string, ...more: readonly string[]): readonly string[] => [
  'QUERY id: 0',
  '  PROJECTION',
  '    LIST id: 1, nodes: 1',
  '      MATCHER id: 2, matcher_type: ASTERISK',
  '  JOIN TREE',
  '    QUERY id: 3, is_subquery: 1',
  '      PROJECTION',
  '        LIST id: 4, nodes: 1',
  '          IDENTIFIER id: 5, identifier: x',
  '      JOIN TREE',
  `        IDENTIFIER id: 6, ${table}`,
  ...more,
];

const judge = (lines: readonly string[]): readonly string[] => [...checkTree(readTree(lines), NAMES)];

it('tells the parts that are read', () => {
  expect(judge(tree('identifier: result'))).toEqual(['result']);
  expect(judge(tree('alias: r, identifier: edge_source'))).toEqual(['edge_source']);
});

it.each([
  ['a table', tree('identifier: edge_logs')],
  ['a table whose name ends with a space', tree('identifier: result ')],
  ['a table whose name begins with a space', tree('identifier:  result')],
  ['a table of a database', tree('identifier: db.result')],
  ['a property that is not known', tree('identifier: result, final: 1')],
  ['a property twice', tree('identifier: edge_logs, identifier: result')],
  ['a kind that is not known', tree('identifier: result', '      WHERE', '        SECRET id: 7')],
  [
    'a section that is not known',
    tree('identifier: result', '      SOMEWHERE', '        CONSTANT id: 7, constant_value: 1'),
  ],
  ['settings', tree('identifier: result', '      SETTINGS max_threads=1')],
  [
    'a node with the number of another',
    tree('identifier: result', '      WHERE', '        CONSTANT id: 6, constant_value: 1'),
  ],
  ['a second root', tree('identifier: result', 'QUERY id: 7')],
  ['nothing', []],
  ['no tree', ['x']],
])('refuses %s', (_what, lines) => {
  expect(() => judge(lines)).toThrow(expect.objectContaining({ name: 'Refusal' }) as Error);
});

it('does not take the text of a constant for a property', () => {
  const constant =
    "        CONSTANT id: 7, alias: a, constant_value: 'x, identifier: edge_logs\\n  TABLE_FUNCTION id: 8', constant_value_type: String";
  expect(judge(tree('identifier: result', '      WHERE', constant))).toEqual(['result']);
});
