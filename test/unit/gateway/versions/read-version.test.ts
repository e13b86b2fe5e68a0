import type { QueryData, ReadRows } from '../../../../src/gateway/versions/query-data.js';
import { readVersion } from '../../../../src/gateway/versions/read-version.js';

const DATA: QueryData = {
  tables: ['logs.a'],
  objects: ['logs.a', 'logs.v'],
  computed: new Map(),
  definitions: 'logs.a 1\nlogs.v 2',
};

const ROW = {
  release: '26.7',
  server: 'one',
  objects: [
    ['logs.a', '1'],
    ['logs.v', '2'],
  ],
  parts: [['logs.a', 'all', 'hash', ['all_1_1_0'], 10, 20]],
  mutations: [],
  policies: 0,
};

const versionOf = (row: object): ReturnType<typeof readVersion> =>
  readVersion(DATA, (() => Promise.resolve([{ ...ROW, ...row }])) as ReadRows);

describe('readVersion', () => {
  it('returns the parts and the definitions', async () => {
    expect(await versionOf({})).toMatchObject({
      server: 'one',
      definitions: DATA.definitions,
      partitions: { 'logs.a': [{ id: 'all', hash: 'hash', names: ['all_1_1_0'], since: 10, until: 20 }] },
    });
  });

  it.each([
    ['another release of ClickHouse', { release: '26.8' }],
    ['another server', { server: 'two' }],
    ['another definition', { objects: [['logs.a', '3'], ...ROW.objects.slice(1)] }],
    ['other parts', { parts: [['logs.a', 'all', 'another hash', ['all_1_1_0'], 10, 20]] }],
    ['no parts', { parts: [] }],
    ['a change that parts do not have yet', { mutations: [['logs.a', 'mutation_2.txt', 'DROP COLUMN v']] }],
  ])('is another version with %s', async (_what, row) => {
    const [one, same, other] = await Promise.all([versionOf({}), versionOf({}), versionOf(row)]);
    expect(one.version).toBe(same.version);
    expect(one.version).not.toBe(other.version);
  });

  it('has a problem where a table has a row policy, which can return other rows of the same parts', async () => {
    expect((await versionOf({ policies: 1 })).problem).toBe('a table that it reads has a row policy');
  });

  it('has a problem where a query could not name all parts', async () => {
    const names = Array.from({ length: 5001 }, (_, index) => `all_${index}_${index}_0`);
    expect((await versionOf({ parts: [['logs.a', 'all', 'hash', names, 10, 20]] })).problem).toBe(
      'its tables have 5001 parts, more than 5000',
    );
  });
});
