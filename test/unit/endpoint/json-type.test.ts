import { camelName, pascalName } from '../../../src/endpoint/camel-name.js';
import { column, jsonColumn } from '../../../src/endpoint/definition.js';
import { jsonTypeOf, type JsonType } from '../../../src/endpoint/json-type.js';
import { parseTypeName } from '../../../src/endpoint/type-name.js';

describe('parseTypeName', () => {
  it.each([
    ['String', 'String', []],
    ["DateTime64(6, 'UTC')", 'DateTime64', ['6', "'UTC'"]],
    ['Map(String, Array(Tuple(UInt8, String)))', 'Map', ['String', 'Array(Tuple(UInt8, String))']],
    ['Nested(a UInt8, `b, (c` String)', 'Array', ['Tuple(a UInt8, `b, (c` String)']],
    ['Polygon', 'Array', ['Ring']],
    ["Enum8('a,(b' = 1, 'it\\'s)' = 2)", 'Enum8', ["'a,(b' = 1", "'it\\'s)' = 2"]],
  ])('splits %s into its name and arguments', (text, name, args) => {
    expect(parseTypeName(text)).toEqual({ name, args });
  });
});

describe('jsonTypeOf', () => {
  const jsonOf = (type: string): JsonType => jsonTypeOf(column(type, ''));
  const scalar = (type: string, extra: object = {}): object => ({ kind: 'scalar', type, ...extra });

  it.each([
    ['String', scalar('string'), false],
    ['Nullable(String)', scalar('string'), true],
    ['LowCardinality(Nullable(String))', scalar('string'), true],
    ['FixedString(3)', scalar('string'), false],
    ['UUID', scalar('string', { format: 'uuid' }), false],
    ["DateTime('UTC')", scalar('string', { format: 'date-time' }), false],
    ["Nullable(DateTime64(6, 'UTC'))", scalar('string', { format: 'date-time' }), true],
    ['Date32', scalar('string', { format: 'date' }), false],
    ['UInt64', scalar('integer', { unsigned: true }), false],
    ['Int128', scalar('integer'), false],
    ['Bool', scalar('boolean'), false],
    ['Decimal(10, 2)', scalar('number'), false],
    ["Enum8('a' = 1, 'it\\'s' = 2, 'b''c' = 3)", scalar('string', { values: ['a', "it's", "b'c"] }), false],
    ['SimpleAggregateFunction(sum, UInt64)', scalar('integer', { unsigned: true }), false],
    ['JSON(a UInt8)', { kind: 'object' }, false],
    ['Tuple(a String, b UInt8)', { kind: 'object' }, false],
    ['Nested(a UInt8)', { kind: 'array', items: { kind: 'object', nullable: false } }, false],
    ['Time64(6)', scalar('string'), false],
    ['IntervalDay', scalar('integer'), false],
    ['AggregateFunction(sum, UInt8)', { kind: 'any' }, false],
    ['', { kind: 'any' }, false],
  ])('returns the JSON type of %s', (type, shape, nullable) => {
    expect(jsonOf(type)).toEqual({ ...shape, nullable });
  });

  it.each(['Float64', 'Float32', 'BFloat16', 'Nullable(Float32)'])(
    'returns a nullable number for %s, because JSON has no NaN or infinity',
    (type) => {
      expect(jsonOf(type)).toEqual({ kind: 'scalar', type: 'number', nullable: true });
    },
  );

  it('includes the JSON types of the elements of lists, maps and tuples', () => {
    const text = { kind: 'scalar', type: 'string', nullable: true };
    const number = { kind: 'scalar', type: 'number', nullable: true };
    expect(jsonOf('Ring')).toMatchObject({ items: { kind: 'tuple', items: [number, number] } });
    expect(jsonOf('QBit(Float32, 3)')).toMatchObject({ kind: 'array', items: number });
    expect(jsonOf('Array(Nullable(String))')).toEqual({
      kind: 'array',
      items: text,
      nullable: false,
    });
    expect(jsonOf('Map(String, Nullable(String))')).toMatchObject({ kind: 'map', values: text });
    expect(jsonOf('Tuple(Nullable(String), UUID)')).toMatchObject({
      kind: 'tuple',
      items: [text, { format: 'uuid' }],
    });
  });

  it('returns an object or null for a String that contains JSON', () => {
    expect(jsonTypeOf(jsonColumn(''))).toEqual({ kind: 'object', nullable: true });
  });
});

describe('camelName and pascalName', () => {
  it.each([
    ['usage.api-counts', 'usageApiCounts', 'UsageApiCounts'],
    ['logs', 'logs', 'Logs'],
    ['7days.top10', 'endpoint7daysTop10', 'Endpoint7daysTop10'],
  ])('convert %s to %s and %s', (name, camel, pascal) => {
    expect([camelName(name), pascalName(name)]).toEqual([camel, pascal]);
  });
});
