import fc from 'fast-check';
import { isSafeNumber, parse } from 'lossless-json';

import { firstRows } from '../../../../../src/gateway/http/mcp/first-rows.js';

const rowsOf = (...rows: readonly string[]): readonly unknown[] =>
  firstRows(Buffer.from(`{"result":[${rows.join(',\n')}]}`), rows.length, 1e6).rows;
const valueOf = (json: string): unknown => (rowsOf(`{"value":${json}}`)[0] as { value: unknown }).value;

it.each([
  ['0.30000000000000004', 0.30000000000000004],
  ['-1.7976931348623157e308', -1.7976931348623157e308],
  ['9007199254740991', 9007199254740991],
  ['123456789012345.60', 123456789012345.6],
  ['100000000000000000000', 1e20],
  ['-1.7976931348623157E-300', -1.7976931348623157e-300],
  ['9223372036854776000', 9_223_372_036_854_776_000],
  ['5e-324', 5e-324],
])('returns %s, which a double holds, as a number', (json, value) => {
  expect(valueOf(json)).toBe(value);
});

it.each(['9007199254740993', '-18446744073709551615', '0.1234567890123456789', '1e400', '-1e-400'])(
  'returns %s, which JSON programs round, as a string',
  (json) => {
    expect(valueOf(json)).toBe(json);
  },
);

it('changes no digits within texts and names, beside a number that becomes a string', () => {
  const text = String.raw`\"a\\\": 9007199254740993, \\\\-0.1234567890123456789\u0022`;
  const row = `{"id":9007199254740993,"${text}":"${text}","list":[1,-9007199254740993]}`;
  const decoded = JSON.parse(`"${text}"`) as string;
  expect(rowsOf(row)).toEqual([
    { id: '9007199254740993', [decoded]: decoded, list: [1, '-9007199254740993'] },
  ]);
});

it('returns the last value of a name that an object has twice', () => {
  expect(rowsOf('{"a":9007199254740993,"a":2}')).toEqual([{ a: 2 }]);
});

it('parses any rows as a lossless parser does', () => {
  const digits = fc.stringMatching(/^-?[1-9][0-9]{0,24}(\.[0-9]{1,22})?$/);
  const text = fc.oneof(fc.string({ unit: 'binary' }), digits, fc.constantFrom('"', '\\', '\\"', ':1,'));
  const json = fc.oneof(
    digits,
    fc.array(text).map((parts) => JSON.stringify(parts.join(''))),
    fc.json(),
  );
  const parseNumber = (number: string): unknown =>
    number.length < 16 || number.includes('e') || String(Number(number)) === number || isSafeNumber(number)
      ? Number(number)
      : number;
  fc.assert(
    fc.property(fc.array(json, { minLength: 1 }), (values) => {
      const rows = values.map((value) => `{"value":${value}}`);
      const expected = parse(`[${rows.join(',')}]`, undefined, {
        parseNumber,
        onDuplicateKey: ({ newValue }) => newValue,
      });
      expect(JSON.stringify(rowsOf(...rows))).toBe(JSON.stringify(expected));
    }),
  );
});
