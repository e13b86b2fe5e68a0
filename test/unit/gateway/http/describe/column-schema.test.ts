import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

import { column, jsonColumn } from '../../../../../src/endpoint/definition.js';
import {
  columnSchema,
  enumOf,
  type Reading,
} from '../../../../../src/gateway/http/describe/column-schema.js';

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);

const accepts = (type: string, value: unknown, reading: Partial<Reading> = {}): boolean =>
  ajv.validate(columnSchema(column(type, ''), { times: 'iso', ...reading }), value);

// That the values of every type are accepted is in test/integration/formats/types.test.ts.
describe('the schema of a column', () => {
  it.each([
    ['String', null],
    ['Nullable(String)', 1],
    ['UInt64', -1],
    ['Int8', 1.5],
    ['Float64', '1'],
    ['LowCardinality(Nullable(UUID))', 'e1d0'],
    ["DateTime64(6, 'UTC')", 1_779_012_303],
    ['Date', '2026-17-05'],
    ["Nullable(Enum8('a' = 1, 'it\\'s' = 2, 'b''c' = 3))", "b''c"],
    ['SimpleAggregateFunction(sum, UInt64)', -1],
    ['Array(UInt8)', [1, null]],
    ['Map(String, UInt8)', { a: 'b' }],
    ['Tuple(UInt8, String)', [1, 'a', 2]],
    ['Tuple(a UInt8)', [1]],
    ['JSON', []],
  ])('rejects for %s the value %j', (type, value) => {
    expect(accepts(type, value)).toBe(false);
  });

  it.each(["Nullable(DateTime('UTC'))", 'Nullable(Date)', 'LowCardinality(Nullable(Date32))'])(
    'rejects for %s times that this gateway does not write by default',
    (type) => {
      const iso = type.includes('Time') ? '2026-05-17T10:05:03Z' : '2026-05-17';
      for (const [times, right, wrong] of [
        ['iso', iso, 86_400_000_000],
        ['unix-micros', 86_400_000_000, iso],
      ] as const) {
        expect(accepts(type, right, { times })).toBe(true);
        expect(accepts(type, wrong, { times })).toBe(false);
      }
    },
  );

  it('has numbers or texts for a lossless reader, where JSON programs would round', () => {
    const typeOf = (type: string): unknown =>
      columnSchema(column(type, ''), { times: 'iso', isLossless: true }).type;
    expect(['UInt64', 'Int256', 'Decimal(10, 2)'].map(typeOf)).toEqual([
      ['integer', 'string'],
      ['integer', 'string'],
      ['number', 'string'],
    ]);
    expect(['UInt32', 'Float32', 'IntervalDay'].map(typeOf)).toEqual([
      'integer',
      ['number', 'null'],
      'integer',
    ]);
  });

  it('accepts anything for an unknown type', () => {
    expect([accepts('Variant(UInt8)', {}), accepts('', null)]).toEqual([true, true]);
  });

  it('is an object or null for a text that contains JSON', () => {
    expect(columnSchema(jsonColumn(''), { times: 'iso' })).toMatchObject({ type: ['object', 'null'] });
  });
});

describe('an enum', () => {
  it('has names for its values where generators would give two of them one name', () => {
    expect(enumOf('Unit', ['x-y', 'x_y', 'Ж'])).toEqual({
      title: 'Unit',
      enum: ['x-y', 'x_y', 'Ж'],
      'x-enum-varnames': ['VALUE_1_X_Y', 'VALUE_2_X_Y', 'VALUE_3__'],
    });
    expect(enumOf('Unit', ['day', 'hour'])).toEqual({ title: 'Unit', enum: ['day', 'hour'] });
    expect(enumOf(undefined, ['day', 'DAY'])).toEqual({ enum: ['day', 'DAY'] });
  });
});
