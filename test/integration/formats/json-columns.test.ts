import fc from 'fast-check';

import { quoteText } from '../../../src/endpoint/quote-sql.js';
import { FORMAT_NAMES, FORMATS } from '../../../src/gateway/formats/formats.js';
import { columnSchema } from '../../../src/gateway/http/describe/column-schema.js';
import { useFormatQueries } from '../../support/fetch-format.js';
import { readRows } from '../../support/read-formats.js';

const { fetchFormat } = useFormatQueries();
const THAT_EMBED_JSON = FORMAT_NAMES.filter((format) => FORMATS[format].values === 'json');

const TYPES = [
  'String',
  'Nullable(String)',
  'LowCardinality(Nullable(String))',
  'SimpleAggregateFunction(anyLast, String)',
  'FixedString(60)',
];

/** Valid JSON, some of which ClickHouse's parser rejects. */
const JSON_TEXTS = [
  '{"a": 1, "é": [null, true]}',
  ' {\n  "a": [1,\r\n\t2]\n}\n',
  '[]',
  '"\\ud800 \\u2028 \u2028 \\u00001234567890123456789"',
  '"\\u1234567890123456789012"',
  '{"id": 123456789012345678901234567890}',
  '-12345678901234567890.12345678901234567890e5',
  '[1e400, -2.5E+12345678901234567890, 0e-999]',
  '[12345678901234567890.5, 12345678901234567890e400]',
  '"\\ud800 \\ue999 \\u00e1234 \\u1e999"',
  '0',
  'null',
  '{"a": 1, "a": 2}',
];
const OTHER_TEXTS = [
  '',
  ' ',
  '\\N',
  'text',
  'NaN',
  '{a: 1}',
  '{"a": 1}]',
  '"\n"',
  '"\\ud8a"',
  '"\\ue+999"',
  '"\\u00e+999"',
  '1e+',
  'e999',
  '\ufeff{}',
  '01234567890123456789012',
  '12345678901234567890e1.0',
  '12345678901234567890e1e1',
  '1e400.0',
  '{"a": 1},\n{"b": 2}',
  '\u00a01',
];

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/** The values of a column with these texts. */
async function valuesOf(
  texts: readonly (string | null)[],
  type: string,
  format = THAT_EMBED_JSON[0] ?? 'json',
): Promise<readonly unknown[]> {
  const rows = texts.map((text, at) => {
    const value = text === null ? 'NULL' : quoteText(text);
    return `SELECT ${at} AS at, CAST(${value}, ${quoteText(type)}) AS c`;
  });
  const result = await fetchFormat(format, `SELECT c FROM (${rows.join(' UNION ALL ')}) ORDER BY at`, {
    columns: new Map([['c', { type, meaning: '', holdsJson: true }]]),
    rowCap: texts.length,
  });
  return (await readRows(format, result.body)).map(({ c }) => c);
}

describe.each(TYPES)('a column of %s with JSON', (type) => {
  it.each(THAT_EMBED_JSON)('has its value in %s, and null for a text that is no JSON', async (format) => {
    const texts = [...JSON_TEXTS, ...OTHER_TEXTS, ...(type.includes('Nullable') ? [null] : [])];
    const values = await valuesOf(texts, type, format);
    expect(values).toEqual(texts.map((text) => (text === null ? null : jsonOf(text))));
    const { type: types } = columnSchema({ type, meaning: '', holdsJson: true }, { times: 'iso' });
    expect(types).toEqual(['object', 'null']);
  });
});

describe('a column with JSON', () => {
  it('is JSON or null whatever the texts are', async () => {
    const fragment = fc.constantFrom(
      ...'{}[]",:\n\t \\ue1-+.0'.split(''),
      '\\u',
      '"a":',
      'null',
      '12345678901234567890',
      'e400',
      '\0',
      'é',
      '\ufeff',
    );
    const text = fc.oneof(
      fc.json(),
      fc.array(fragment, { maxLength: 8 }).map((parts) => parts.join('')),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 60, maxLength: 60 }), async (texts) => {
        const values = await valuesOf(texts, 'String');
        expect(values).toEqual(texts.map(jsonOf));
      }),
      { numRuns: 30 },
    );
  });

  it.each([
    ['Map(String, UInt8)', "map('a', 1)", { a: 1 }],
    ['Tuple(UInt8, Float64)', '(1, nan)', [1, null]],
    ['Float64', 'inf', null],
    ["Enum8('[1]' = 1)", "'[1]'", [1]],
  ])('of type %s is JSON too', async (type, value, expected) => {
    const { body } = await fetchFormat('json', `SELECT CAST(${value}, ${quoteText(type)}) AS c`, {
      columns: new Map([['c', { type, meaning: '', holdsJson: true }]]),
    });
    expect(await readRows('json', body)).toEqual([{ c: expected }]);
  });
});
