import { checkTree } from '../../../../src/gateway/sandbox/check-tree.js';
import { readTree } from '../../../../src/gateway/facts/tree.js';
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

describe('the tree of an author’s query', () => {
  const authors = (...ofTree: readonly string[]): readonly (readonly [string, string | undefined])[] => {
    const lines = ['QUERY id: 0', '  PROJECTION', '    LIST id: 1, nodes: 2', ...ofTree];
    const [list] = readTree(lines).children;
    return (list?.node.children ?? []).map(({ node }) => [
      node.kind,
      node.attributes.get('column_name') ?? node.attributes.get('table_name'),
    ]);
  };
  const column = (name: string, id = 2): readonly string[] =>
    `      COLUMN id: ${id}, column_name: ${name}, result_type: UInt8, source_id: ${id + 1}`.split('\n');

  it.each(['b, x: c', 'größe\n\n  WHERE', "it's `a\\b`", 'a.b (c, d)', ': , \n', 'x id: 7'])(
    'has the name %j whole',
    (name) => {
      expect(authors(...column(name), ...column('n', 4))).toEqual([
        ['COLUMN', name],
        ['COLUMN', 'n'],
      ]);
    },
  );

  it.each([
    ['a name that ends in two ways', column('a, result_type: b')],
    ['a name with a clause', column('a\n  WHERE\n  HAVING')],
    ['a name with a node that is none', column('a\n      LIST id: 9, nodes: 0')],
    [
      'a name with a node of the next number',
      [...column('a\n      LIST id: 4, nodes: 0'), ...column('b', 4)],
    ],
    ['a table whose name has a clause', ['      TABLE id: 2, table_name: db.a', '  WHERE', '  GROUP BY']],
    ['an alias that hides a name', ['      TABLE id: 2, alias: q, table_name: z, table_name: db.a']],
    ['a node that is cut', ['      COLUMN id: 2, column_name: a']],
  ])('is rejected with %s', (_what, lines) => {
    expect(() => authors(...lines)).toThrow(expect.objectContaining({ name: 'Rejection' }) as Error);
  });
});
