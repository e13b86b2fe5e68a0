import { camelName, pascalName } from '../../../src/endpoint/camel-name.js';
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

describe('camelName and pascalName', () => {
  it.each([
    ['usage.api-counts', 'usageApiCounts', 'UsageApiCounts'],
    ['logs', 'logs', 'Logs'],
    ['7days.top10', 'endpoint7daysTop10', 'Endpoint7daysTop10'],
  ])('convert %s to %s and %s', (name, camel, pascal) => {
    expect([camelName(name), pascalName(name)]).toEqual([camel, pascal]);
  });
});
