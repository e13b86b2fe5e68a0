import { inspectLine } from '../../../../src/clickhouse/loading/inspect-line.js';
import { numberRanges } from '../../../../src/clickhouse/loading/number-range.js';

const ranges = numberRanges([
  { name: 'timestamp', type: "DateTime64(6, 'UTC')", defaultExpression: '' },
  { name: 'status_code', type: 'Nullable(UInt16)', defaultExpression: '' },
  { name: 'execution_time_ms', type: 'Nullable(Float64)', defaultExpression: '' },
]);
const inspect = (text: string): object => inspectLine({ line: 7, text }, ranges);

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
  ])('rejects %s %s, which ClickHouse would store as another number', (column, value, type) => {
    expect(inspect(`{"timestamp":1,"${column}":${value}}`)).toEqual({
      line: 7,
      reason: `${column} ${value} does not fit ${type}`,
    });
  });

  it('rejects a number that would become infinite', () => {
    expect(inspect('{"timestamp":1,"execution_time_ms":1e999}')).toEqual({
      line: 7,
      reason: 'execution_time_ms Infinity does not fit Float64',
    });
  });

  it.each(['0', '65535', '"65535"', 'null', '"OK"', '{}'])('leaves status_code %s to ClickHouse', (value) => {
    const text = `{"timestamp":1,"status_code":${value}}`;
    expect(inspect(text)).toEqual({ line: 7, text });
  });
});
