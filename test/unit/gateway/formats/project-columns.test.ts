import type { Times } from '../../../../src/gateway/formats/format.js';
import { FORMATS, type FormatName } from '../../../../src/gateway/formats/formats.js';
import { projectColumns, shownType } from '../../../../src/gateway/formats/project-columns.js';
import { representationOf } from '../../../../src/gateway/formats/representation.js';

const QUERY = { text: 'SELECT 1 AS c', parameters: {} };
const projected = (type: string, format: FormatName, times: Times, isDeclared: boolean): string =>
  projectColumns([{ name: 'c', type }], {
    values: FORMATS[format].values,
    times: representationOf(format, { times }).times,
    declared: isDeclared ? new Map([['c', { type }]]) : 'unknown',
  })(QUERY).text;
const shown = (type: string, format: FormatName, times: Times = 'iso'): string => {
  const text = projected(type, format, times, false);
  return /^SELECT\n {2}(.*) AS `c`\nFROM/.exec(text)?.[1]?.replaceAll('result_rows.`c`', 'c') ?? text;
};

describe('projectColumns', () => {
  it.each<[string, FormatName, Times, string]>([
    ['Float64', 'json', 'iso', QUERY.text],
    ["DateTime64(6, 'UTC')", 'csv', 'iso', QUERY.text],
    ['String', 'tsv', 'unix-micros', QUERY.text],
    ['Nullable(Float32)', 'csv', 'iso', 'if(isFinite(c), c, NULL)'],
    ['Array(Float64)', 'tsv', 'iso', 'toJSONString(c)'],
    ['Array(Float64)', 'ndjson', 'iso', QUERY.text],
    ["DateTime('UTC')", 'json', 'unix-micros', "toUnixTimestamp64Micro(toDateTime64(c, 6, 'UTC'))"],
    [
      'LowCardinality(Nullable(Date))',
      'csv',
      'unix-micros',
      "toUnixTimestamp64Micro(toDateTime64(c, 6, 'UTC'))",
    ],
    ["DateTime('UTC')", 'arrow', 'unix-micros', "toDateTime64(c, 6, 'UTC')"],
    ["DateTime64(9, 'UTC')", 'parquet', 'iso', QUERY.text],
    ['Date', 'parquet', 'iso', 'toDate32(c)'],
    ['LowCardinality(Nullable(String))', 'arrow', 'iso', 'toValidUTF8(c)'],
    ['UUID', 'parquet', 'iso', 'toString(c)'],
    ['Nullable(UUID)', 'parquet', 'iso', "CAST(c, 'Nullable(String)')"],
    ['UInt64', 'arrow', 'iso', QUERY.text],
  ])('converts %s for %s with %s times', (type, format, times, expected) => {
    expect(shown(type, format, times)).toBe(expected);
  });

  it('selects declared columns alone, with a check of their types without zones', () => {
    expect(projected("Nullable(DateTime('UTC'))", 'json', 'iso', true)).toBe(
      'SELECT\n  `c`\nFROM (\nSELECT 1 AS c\n) AS result_rows\nWHERE CAST(replaceRegexpAll(toTypeName(tuple(result_rows.`c`)), ' +
        String.raw`'(DateTime)\\(\'([^\']+)\'\\)|(DateTime64\\(\\d), \'([^\']+)\'', '\\1\\3'), ` +
        String.raw`'Enum8(\'Tuple(Nullable(DateTime))\' = 1)') = 1`,
    );
    expect(projected('Int8', 'json', 'iso', true)).toContain('CAST(toTypeName(tuple(result_rows.`c`)), ');
  });
});

describe('shownType', () => {
  it.each([
    ["DateTime('UTC')", 'unix-micros', 'Int64'],
    ["Nullable(DateTime64(6, 'UTC'))", 'unix-micros', 'Nullable(Int64)'],
    ["DateTime('UTC')", 'iso', "DateTime('UTC')"],
    ['String', 'unix-micros', 'String'],
  ] as const)('converts %s with %s times to %s', (type, times, expected) => {
    expect(shownType(type, times)).toBe(expected);
  });
});
