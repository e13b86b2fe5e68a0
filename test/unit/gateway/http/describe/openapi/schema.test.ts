import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

import { column } from '../../../../../../src/endpoint/definition.js';
import { jsonTypeOf } from '../../../../../../src/endpoint/json-type.js';
import type { Times } from '../../../../../../src/gateway/formats/format.js';
import { enumOf, schemaOf } from '../../../../../../src/gateway/http/describe/openapi/schema.js';

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);

const accepts = (type: string, value: unknown, times: Times = 'iso'): boolean =>
  ajv.validate(schemaOf(jsonTypeOf(column(type, '')), times, 'Title'), value);

describe('schemaOf', () => {
  it.each([
    ['String', 'a', null],
    ['Nullable(String)', null, 1],
    ['UInt64', 0, -1],
    ['Int8', -1, 1.5],
    ['Float64', null, '1'],
    ['UUID', 'e1d0c9b8-a7f6-4e5d-8c4b-3a2918f7e655', 'e1d0'],
    ["DateTime64(6, 'UTC')", '2026-05-17T10:05:03.123456Z', 1_779_012_303],
    ['Date', '2026-05-17', '2026-17-05'],
    ["Nullable(Enum8('a' = 1))", null, 'b'],
    ['Array(UInt8)', [1, 2], [1, null]],
    ['Map(String, UInt8)', { a: 1 }, { a: 'b' }],
    ['Tuple(UInt8, String)', [1, 'a'], [1, 'a', 2]],
    ['JSON', {}, []],
  ])('returns for %s a schema that accepts %j and rejects %j', (type, valid, invalid) => {
    expect([accepts(type, valid), accepts(type, invalid)]).toEqual([true, false]);
  });

  it('accepts anything for an unknown type', () => {
    expect([accepts('Variant(UInt8)', {}), accepts('Nullable(Point)', null)]).toEqual([true, true]);
  });

  it.each([
    ["Nullable(DateTime('UTC'))", '2026-05-17T10:05:03Z'],
    ['Nullable(Date)', '2026-05-17'],
  ])('accepts for %s only what this gateway writes by default: strings or microseconds', (type, iso) => {
    const accepted = (times: Times): boolean[] =>
      [iso, 1_779_012_303_000_000, null].map((value) => accepts(type, value, times));
    expect(accepted('iso')).toEqual([true, false, true]);
    expect(accepted('unix-micros')).toEqual([false, true, true]);
  });

  it.each(['Array(Date)', 'Array(Nullable(Date32))'])(
    'accepts for %s only times as this gateway writes them',
    (type) => {
      const accepted = (times: Times): boolean[] =>
        [['2026-05-17'], [86_400_000_000]].map((value) => accepts(type, value, times));
      expect(accepted('iso')).toEqual([true, false]);
      expect(accepted('unix-micros')).toEqual([false, true]);
    },
  );
});

describe('an enum', () => {
  it('has names for its values where generators would give two of them one name', () => {
    expect(enumOf('Unit', ['x-y', 'x_y', 'Ж'])).toEqual({
      title: 'Unit',
      enum: ['x-y', 'x_y', 'Ж'],
      'x-enum-varnames': ['VALUE_1_X_Y', 'VALUE_2_X_Y', 'VALUE_3__'],
    });
    expect(enumOf('Unit', ['day', 'hour'])).toEqual({ title: 'Unit', enum: ['day', 'hour'] });
  });
});
