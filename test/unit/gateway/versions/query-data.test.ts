import { readTree } from '../../../../src/gateway/facts/tree.js';
import { findQueryData } from '../../../../src/gateway/versions/query-data.js';
import type { ReadRows } from '../../../../src/gateway/versions/query-tree.js';

/** The tree of a SELECT that calls one function over a table. */
const treeOf = (called: string, table: string): readonly string[] => [
  'QUERY id: 0',
  '  PROJECTION',
  '    LIST id: 1, nodes: 1',
  `      FUNCTION id: 2, function_name: ${called}, function_type: ordinary`,
  '  JOIN TREE',
  `    TABLE id: 3, table_name: ${table}`,
];

const TABLES = new Map([
  ['d.t', { full: 'd.t', engine: 'MergeTree', partitionKey: '', query: '', definition: 'of t' }],
  ['d.v', { full: 'd.v', engine: 'View', partitionKey: '', query: 'of v', definition: 'of v' }],
]);

it('asks about the functions of a query and its views once, also about those that ClickHouse does not list', async () => {
  const asked: unknown[] = [];
  const readRows = ((text: string, { names, objects }: Record<string, readonly string[]> = {}) => {
    if (text.startsWith('EXPLAIN'))
      return Promise.resolve(treeOf('maxIf', 'd.t').map((explain) => ({ explain })));
    if (text.includes('FROM system.tables'))
      return Promise.resolve(objects?.flatMap((name) => TABLES.get(name) ?? []));
    if (!text.includes('FROM system.functions')) return Promise.resolve([]);
    asked.push(names);
    return Promise.resolve([]);
  }) as ReadRows;
  const [written, resolved] = [treeOf('sumIf', 'd.v'), treeOf('countIf', 'd.v')].map((lines) =>
    readTree(lines),
  );
  if (!written || !resolved) throw new Error('no trees');
  const select = { readTrees: () => Promise.resolve({ written, resolved }) };
  expect(await findQueryData(select, readRows, 'd')).toMatchObject({
    tables: ['d.t'],
    objects: ['d.t', 'd.v'],
  });
  expect(asked).toEqual([['sumif', 'countif'], ['maxif']]);
});
