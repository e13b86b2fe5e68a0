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
    const { order, problems } = readPageOrder(
      [' at  DESC ', 'country asc NULLS First', 'a desc desc nulls last'],
      COLUMNS,
    );
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

  it.each(['share', 'sizes', 'data', 'a', 'at descending', '', 'constructor'])(
    'has no column “%s”',
    (item) => {
      expect(readPageOrder([item], COLUMNS)).toMatchObject({
        order: [],
        problems: [{ code: 'PAGES_INVALID' }],
      });
    },
  );
});
