import type { QueryData } from '../../../../src/gateway/versions/query-data.js';
import type { ReadRows } from '../../../../src/gateway/versions/query-tree.js';
import { readDataVersion } from '../../../../src/gateway/versions/read-version.js';

const DATA: QueryData = {
  tables: ['logs.a'],
  objects: ['logs.a', 'logs.v'],
  computed: new Map(),
  definitions: 'logs.a 1\nlogs.v 2',
};

type Row = Readonly<Record<string, string | number>>;

const state = (kind: string, full: string, what: string, command = ''): Row => ({
  kind,
  full,
  what,
  command,
});
const part = (partition: string, name: string, more: Row = {}): Row => ({
  ...{ full: 'logs.a', partition, name, hash: 'hash', since: 10, until: 20, ...more },
});

const SERVER = state('server', 'one', '26.7');
const STATE = [SERVER, state('object', 'logs.v', '2'), state('object', 'logs.a', '1')];
const PARTS = [part('one', 'one_1_1_0'), part('two', 'two_2_2_0', { since: 30, until: 40 })];

const versionOf = ({ rows = STATE, parts = PARTS }: Readonly<Record<string, readonly Row[]>>) =>
  readDataVersion(DATA, ((text: string) =>
    Promise.resolve(text.includes('system.parts ') ? parts : rows)) as ReadRows);

describe('readVersion', () => {
  it('returns the parts of each partition, and the definitions', async () => {
    const hash = expect.any(String) as string;
    expect(await versionOf({})).toMatchObject({
      server: 'one',
      definitions: DATA.definitions,
      partitions: {
        'logs.a': [
          { id: 'one', hash, names: ['one_1_1_0'], since: 10, until: 20 },
          { id: 'two', hash, names: ['two_2_2_0'], since: 30, until: 40 },
        ],
      },
    });
  });

  it('is the same in whatever order ClickHouse returns its rows', async () => {
    const reversed = await versionOf({ rows: STATE.toReversed(), parts: PARTS.toReversed() });
    expect(reversed).toEqual(await versionOf({}));
  });

  it('counts updates of rows as a part of their partition, whose times they do not have', async () => {
    const update = part(`patch-${'0'.repeat(32)}-two`, 'patch_3_3_0', { since: 0, until: 0 });
    const { partitions } = await versionOf({ parts: [...PARTS, update] });
    expect(partitions['logs.a']?.[1]).toMatchObject({
      ...{ id: 'two', names: ['patch_3_3_0', 'two_2_2_0'], since: 30, until: 40 },
    });
  });

  it.each([
    ['another release of ClickHouse', { rows: [state('server', 'one', '26.8'), ...STATE.slice(1)] }],
    ['another server', { rows: [state('server', 'two', '26.7'), ...STATE.slice(1)] }],
    ['another definition', { rows: [...STATE.slice(0, 2), state('object', 'logs.a', '3')] }],
    [
      'a part with other files',
      { parts: [part('one', 'one_1_1_0', { hash: 'another' }), ...PARTS.slice(1)] },
    ],
    ['another part', { parts: [...PARTS, part('two', 'two_3_3_0')] }],
    ['no parts', { parts: [] }],
    [
      'a change that parts do not have yet',
      { rows: [...STATE, state('mutation', 'logs.a', 'mutation_2.txt', 'DROP COLUMN v')] },
    ],
  ])('is another version with %s', async (_what, rows) => {
    const [one, same, other] = await Promise.all([versionOf({}), versionOf({}), versionOf(rows)]);
    expect(one.version).toBe(same.version);
    expect(one.version).not.toBe(other.version);
  });

  it('is another version where a mutation ends between its two statements', async () => {
    const mutation = state('mutation', 'logs.a', 'mutation_2.txt', 'UPDATE v = 1');
    const pending = [...STATE, mutation];
    const mutated = [part('one', 'one_1_1_0_2'), part('two', 'two_2_2_0_2')];
    let statements = 0;
    const meanwhile = await readDataVersion(DATA, ((text: string) => {
      const isDone = (statements += 1) > 1;
      const isOfParts = text.includes('system.parts ');
      if (isOfParts) return Promise.resolve(isDone ? mutated : PARTS);
      return Promise.resolve(isDone ? STATE : pending);
    }) as ReadRows);
    expect(meanwhile.version).not.toBe((await versionOf({})).version);
  });

  it('has a problem where a table has a row policy, which can return other rows of the same parts', async () => {
    const { problem } = await versionOf({ rows: [...STATE, state('policy', 'logs.a', '')] });
    expect(problem).toBe('a table that it reads has a row policy');
  });

  it('has a problem where a query could not name all parts', async () => {
    const parts = Array.from({ length: 5001 }, (_, index) => part('one', `one_${index}_${index}_0`));
    expect((await versionOf({ parts })).problem).toBe('its tables have more than 5000 parts');
  });
});
