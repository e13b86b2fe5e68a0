import { column, jsonColumn } from '../../../src/endpoint/definition.js';
import { readPageOrder } from '../../../src/endpoint/page-order.js';

const COLUMNS = {
  at: column("DateTime64(6, 'UTC')", 'A time.'),
  country: column('LowCardinality(Nullable(String))', 'A country.'),
  'a desc': column('UInt8', 'An awkward name.'),
  share: column('Nullable(Float32)', 'A float.'),
  sizes: column('Array(UInt8)', 'A list.'),
  data: jsonColumn('JSON.'),
};

describe('the order of pages', () => {
  it('is read with directions and nulls, in any letter case', () => {
    const { order, problems } = readPageOrder({
      pages: { by: [' at  DESC ', 'country asc NULLS First', 'a desc desc nulls last'] },
      columns: COLUMNS,
    });
    expect(problems).toEqual([]);
    expect(order).toEqual([
      {
        name: 'at',
        parameter: 'after_1',
        type: "DateTime64(6, 'UTC')",
        isNullable: false,
        isDescending: true,
        areNullsFirst: false,
      },
      {
        name: 'country',
        parameter: 'after_2',
        type: 'String',
        isNullable: true,
        isDescending: false,
        areNullsFirst: true,
      },
      {
        name: 'a desc',
        parameter: 'after_3',
        type: 'UInt8',
        isNullable: false,
        isDescending: true,
        areNullsFirst: false,
      },
    ]);
  });

  it('is read of the columns of a header too, and of nothing where the definition is malformed', () => {
    const columns = { n: 'UInt64', data: { type: 'String', json: true } };
    const read = readPageOrder({ pages: { by: ['n', 'data'] }, columns });
    expect([read.order.map(({ name }) => name), read.problems.map(({ code }) => code)]).toEqual([
      ['n'],
      ['PAGES_INVALID'],
    ]);
    for (const pages of [undefined, null, 'n', [], { by: 'n' }, { by: [5, null] }]) {
      expect(readPageOrder({ pages, columns })).toEqual({ order: [], problems: [] });
    }
    expect(readPageOrder({ pages: { by: ['n'] }, columns: null })).toMatchObject({ order: [] });
  });

  it.each(['share', 'sizes', 'data', 'a', 'at descending', '', 'constructor'])(
    'has no column “%s”',
    (item) => {
      expect(readPageOrder({ pages: { by: [item] }, columns: COLUMNS })).toMatchObject({
        order: [],
        problems: [{ code: 'PAGES_INVALID' }],
      });
    },
  );
});
