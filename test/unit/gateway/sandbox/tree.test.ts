import { checkTree } from '../../../../src/gateway/sandbox/check-tree.js';
import { readTree } from '../../../../src/gateway/sandbox/tree.js';
import { CALLERS_GRAMMAR } from '../../../../src/gateway/sandbox/tree-grammar.js';

const NAMES = {
  parts: new Set(['edge_source', 'result']),
  tables: new Set(['edge_logs']),
  isNoTableNamed: false,
};

/** The tree of `SELECT * FROM (SELECT x FROM <table>)`, with additional lines after the table. */
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

const check = (lines: readonly string[]): readonly string[] => [
  ...checkTree(readTree(lines, CALLERS_GRAMMAR), NAMES),
];

it('returns the named parts that are read', () => {
  expect(check(tree('identifier: result'))).toEqual(['result']);
  expect(check(tree('alias: r, identifier: edge_source'))).toEqual(['edge_source']);
});

it.each([
  ['a table', tree('identifier: edge_logs')],
  ['a table whose name ends with a space', tree('identifier: result ')],
  ['a table whose name begins with a space', tree('identifier:  result')],
  ['a table of another database', tree('identifier: db.result')],
  ['an unknown property', tree('identifier: result, final: 1')],
  ['a repeated property', tree('identifier: edge_logs, identifier: result')],
  ['an unknown kind of node', tree('identifier: result', '      WHERE', '        SECRET id: 7')],
  [
    'an unknown section',
    tree('identifier: result', '      SOMEWHERE', '        CONSTANT id: 7, constant_value: 1'),
  ],
  ['settings', tree('identifier: result', '      SETTINGS max_threads=1')],
  [
    'a node with a repeated number',
    tree('identifier: result', '      WHERE', '        CONSTANT id: 6, constant_value: 1'),
  ],
  ['a second root', tree('identifier: result', 'QUERY id: 7')],
  ['no lines', []],
  ['a line that is not a node', ['x']],
])('rejects %s', (_what, lines) => {
  expect(() => check(lines)).toThrow(expect.objectContaining({ name: 'Rejection' }) as Error);
});

it('does not read the text of a constant as properties', () => {
  const constant =
    "        CONSTANT id: 7, alias: a, constant_value: 'x, identifier: edge_logs\\n  TABLE_FUNCTION id: 8', constant_value_type: String";
  expect(check(tree('identifier: result', '      WHERE', constant))).toEqual(['result']);
});
