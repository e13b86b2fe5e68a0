import { UnknownFields } from '../../../../src/commands/loading/unknown-fields.js';

const unknownFields = (): UnknownFields =>
  new UnknownFields({
    columns: ['project', 'n.a'].map((name) => ({ name, type: 'String', defaultExpression: '' })),
    computed: [{ name: 'origin', type: 'String', kind: 'MATERIALIZED', expression: 'upper(project)' }],
  });

describe('UnknownFields', () => {
  it('finds the fields that are no columns to load, __proto__ and computed columns among them', () => {
    const line = JSON.parse('{"project":1,"Project":1,"n.a":1,"n":1,"__proto__":1,"origin":1}') as object;
    expect(unknownFields().countIn(line)).toEqual(['Project', 'n', '__proto__', 'origin']);
  });

  it.each([
    ['origin', 'field `origin`, which ClickHouse computes (MATERIALIZED) and no line can set'],
    ['a\u001b[31m', 'unknown field `a [31m`'],
  ])('describes %j', (name, description) => {
    expect(unknownFields().describe(name)).toBe(description);
  });

  it('does not store a long name', () => {
    const fields = unknownFields();
    fields.countIn({ ['x'.repeat(1_000_000)]: 1 });
    expect([fields.list(), fields.hasMore]).toEqual([[], true]);
  });
});
