import { FieldCounts, FieldNames } from '../../../../src/commands/loading/unknown-fields.js';
import { tableOf } from './table-of.js';

const fields = new FieldNames(
  tableOf({ project: 'String', 'n.a': 'Array(UInt8)' }, [
    { name: 'origin', type: 'String', kind: 'MATERIALIZED', expression: 'upper(project)' },
  ]),
);

describe('FieldNames', () => {
  it('finds the fields that are no columns to load, __proto__ and computed columns among them', () => {
    const line = JSON.parse('{"project":1,"Project":1,"n.a":1,"n":1,"__proto__":1,"origin":1}') as object;
    expect(fields.unknownOf(line)).toEqual(['Project', 'n', '__proto__', 'origin']);
    expect(fields.unknownOf({ project: 1 })).toEqual([]);
  });

  it.each([
    ['projekt', 'unknown field `projekt`; did you mean `project`?'],
    ['ip', 'unknown field `ip`'],
    ['origin', 'field `origin`, which ClickHouse computes (MATERIALIZED) and no line can set'],
    ['a\u001b[31m', 'unknown field `a [31m`'],
  ])('describes %j', (name, description) => {
    expect(fields.describe(name)).toBe(description);
  });
});

describe('FieldCounts', () => {
  it('sums lines, and lists the most frequent field first', () => {
    const counts = new FieldCounts();
    counts.add('ip', 1);
    counts.add('projekt', 1);
    counts.add('projekt', 2);
    expect(counts.list(fields)).toMatchObject([
      { field: 'projekt', lines: 3, suggestion: 'project' },
      { field: 'ip', lines: 1, suggestion: undefined },
    ]);
    expect(counts.hasMore).toBe(false);
  });

  it('counts a bounded number of names, and says so', () => {
    const counts = new FieldCounts();
    for (let n = 0; n < 2000; n += 1) counts.add(`key ${n}`, 1);
    expect(counts.hasMore).toBe(true);
    counts.add('key 0', 5);
    expect(counts.list(fields)).toHaveLength(1000);
    expect(counts.list(fields)[0]).toMatchObject({ field: 'key 0', lines: 6 });
  });

  it('does not store a long name', () => {
    const counts = new FieldCounts();
    counts.add('x'.repeat(1_000_000), 1);
    expect([counts.list(fields), counts.hasMore]).toEqual([[], true]);
  });
});
