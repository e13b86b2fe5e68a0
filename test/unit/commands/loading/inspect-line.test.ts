import { inspectLine, lineRules } from '../../../../src/commands/loading/inspect-line.js';
import type { TargetTable } from '../../../../src/commands/loading/target-table.js';
import { tableOf } from './table-of.js';

const table = tableOf({
  timestamp: "DateTime64(6, 'UTC')",
  status_code: 'Nullable(UInt16)',
  execution_time_ms: 'Nullable(Float64)',
  bytes: 'UInt64',
  offset: 'Int64',
  most: 'SimpleAggregateFunction(max, Nullable(UInt16))',
});
const inspect = (text: string, target: TargetTable = table, strict = false): object =>
  inspectLine({ line: 7, text }, lineRules(target, strict)).result;

describe('inspectLine', () => {
  it('accepts a JSON object with a timestamp, and removes white space before it', () => {
    expect(inspect('  {"timestamp":"2026-05-17"}')).toEqual({ line: 7, text: '{"timestamp":"2026-05-17"}' });
  });

  it('rejects a line that is not JSON and names its number', () => {
    expect(inspect('hello\u0007')).toEqual({
      line: 7,
      reason: expect.stringMatching(/^not JSON: [^\p{Cc}]+$/u) as string,
    });
  });

  it.each(['{"timestamp":1},', '{"timestamp":1}{"timestamp":2}'])(
    'rejects %s, which ClickHouse would read as one row or as two',
    (text) => {
      expect(inspect(text)).toMatchObject({ reason: expect.stringMatching(/^not JSON/) as string });
    },
  );

  it.each(['[1]', '"text"', '5', 'null', 'true'])('rejects %s, which is not an object', (text) => {
    expect(inspect(text)).toEqual({ line: 7, reason: 'not a JSON object' });
  });

  it.each(['{}', '{"timestamp":null}', '{"Timestamp":1}', '{"__proto__":{"timestamp":1}}'])(
    'rejects %s without a timestamp',
    (text) => {
      expect(inspect(text)).toEqual({ line: 7, reason: 'no timestamp' });
    },
  );

  it.each(['1779012303123456789', '-1e17', '1e999'])(
    'rejects the timestamp %s, which is out of range',
    (value) => {
      expect(inspect(`{"timestamp":${value}}`)).toEqual({
        line: 7,
        reason: 'timestamp is outside the years 1900 to 2299',
      });
    },
  );

  it.each([
    ['status_code', '65536', 'UInt16'],
    ['status_code', '"65536"', 'UInt16'],
    ['status_code', '-1', 'UInt16'],
    ['most', '65536', 'UInt16'],
    ['bytes', '-1', 'UInt64'],
    ['bytes', '99999999999999999999', 'UInt64'],
    ['offset', '"-9999999999999999999"', 'Int64'],
  ])('rejects %s %s, which ClickHouse would store as another number', (column, value, type) => {
    expect(inspect(`{"timestamp":1,"${column}":${value}}`)).toEqual({
      line: 7,
      reason: `${column} ${String(value.startsWith('"') ? value : Number(value))} does not fit ${type}`,
    });
  });

  it('rejects a number that would become infinite', () => {
    expect(inspect('{"timestamp":1,"execution_time_ms":1e999}')).toEqual({
      line: 7,
      reason: 'execution_time_ms Infinity does not fit Float64',
    });
  });

  it.each(['18446744073709551615', '0', '"18446744073709551615"'])('accepts bytes %s', (value) => {
    const text = `{"timestamp":1,"bytes":${value}}`;
    expect(inspect(text)).toEqual({ line: 7, text });
  });

  it('reads a number in the unit of the column', () => {
    const milliseconds = tableOf({ timestamp: 'DateTime64(3)' });
    expect(inspect('{"timestamp":1779012303123}', milliseconds)).toHaveProperty('text');
    expect(inspect('{"timestamp":1779012303123456}', milliseconds)).toHaveProperty('reason');
  });

  it('accepts a line without a timestamp if the table has none, or one that is no time', () => {
    for (const other of [tableOf({ name: 'String' }), tableOf({ timestamp: 'String' })]) {
      expect(inspect('{}', other)).toEqual({ line: 7, text: '{}' });
    }
  });

  it('names the unknown fields of a line', () => {
    expect(inspectLine({ line: 7, text: '{"timestamp":1,"a":1,"b":2}' }, lineRules(table, false))).toEqual({
      result: { line: 7, text: '{"timestamp":1,"a":1,"b":2}' },
      unknownFields: ['a', 'b'],
    });
  });

  it.each([
    ['{"timestmp":1}', 'unknown field `timestmp`; did you mean `timestamp`?'],
    ['{"timestamp":1,"a":1,"b":2,"c":3}', 'unknown field `a` (and 2 more)'],
  ])('rejects %s if strict', (text, reason) => {
    expect(inspect(text, table, true)).toEqual({ line: 7, reason });
  });

  it.each(['0', '65535', '"65535"', 'null', '"OK"', '{}'])('leaves status_code %s to ClickHouse', (value) => {
    const text = `{"timestamp":1,"status_code":${value}}`;
    expect(inspect(text)).toEqual({ line: 7, text });
  });
});
