import { DEFAULT_TYPES, parameterOfType } from '../../../../src/commands/introspect/parameter-of-type.js';
import { KIND_NAMES, problemOfType } from '../../../../src/endpoint/parameters/kinds.js';
import type { ParameterKind } from '../../../../src/endpoint/parameters/parameter.js';

describe('the parameter of a ClickHouse type', () => {
  it.each([
    ['String', 'string', 'String', false],
    ['FixedString(4)', 'string', 'String', false],
    ['LowCardinality(Nullable(String))', 'string', 'String', true],
    ['UInt64', 'integer', 'UInt64', false],
    ['Nullable(Int256)', 'integer', 'Int256', true],
    ['Float32', 'number', 'Float32', false],
    ['Decimal(18, 4)', 'decimal', 'Decimal(18, 4)', false],
    ['Bool', 'boolean', 'Bool', false],
    ['UUID', 'uuid', 'UUID', false],
    ['Date', 'date', 'Date', false],
    ["DateTime('Europe/Berlin')", 'timestamp', "DateTime('UTC')", false],
    ["DateTime64(3, 'Europe/Berlin')", 'timestamp', "DateTime64(3, 'UTC')", false],
    ['SimpleAggregateFunction(sum, UInt64)', 'integer', 'UInt64', false],
    ['Array(LowCardinality(String))', 'string-list', 'Array(String)', false],
    ["Enum8('a' = 1)", 'enum', 'String', false],
  ])('of %s has the kind %s, which accepts it', (type, kind, bind, isNullable) => {
    expect(parameterOfType(type)).toMatchObject({ kind, bind, isNullable });
    expect(KIND_NAMES).toContain(kind);
    expect(problemOfType(kind as ParameterKind, bind)).toBeUndefined();
  });

  it('has the names of an enum as choices, without quotes and escapes', () => {
    const form = parameterOfType(String.raw`Enum16('a b' = 1, 'it\'s' = -2, 'back\\slash' = 3, 'x\ty' = 4)`);
    expect(form?.options).toEqual({ choices: ['a b', "it's", String.raw`back\slash`, 'x\ty'] });
  });

  it.each(['Map(String, UInt8)', 'Tuple(a UInt8)', 'JSON', 'Array(Array(UInt8))', 'IPv4', 'Point'])(
    'does not exist for %s',
    (type) => {
      expect(parameterOfType(type)).toBeUndefined();
    },
  );

  it('has a default type that its kind accepts', () => {
    const problems = Object.entries(DEFAULT_TYPES).map(([kind, type]) =>
      problemOfType(kind as ParameterKind, type),
    );
    expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
  });
});
