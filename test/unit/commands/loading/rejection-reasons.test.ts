import { mismatch } from '../../../../src/commands/loading/rejection-reasons.js';

const column = (name: string, type: string): Parameters<typeof mismatch>[0] => ({
  name,
  type,
  defaultExpression: '',
});

describe('mismatch', () => {
  it('names the column, the value and the type', () => {
    expect(mismatch(column('status_code', 'LowCardinality(Nullable(UInt16))'), 'OK')).toBe(
      'status_code "OK" does not fit UInt16',
    );
  });

  it('names no type for a time', () => {
    expect(mismatch(column('timestamp', "DateTime64(6, 'UTC')"), 'yesterday')).toBe(
      'timestamp "yesterday" is not a time that ClickHouse can read',
    );
  });

  it('names the type of a timestamp that is no time', () => {
    expect(mismatch(column('timestamp', 'UInt64'), 'x')).toBe('timestamp "x" does not fit UInt64');
  });

  it('truncates a long value and removes line breaks', () => {
    const reason = mismatch(column('id', 'UUID'), 'a\n'.repeat(1000));
    expect(reason.length).toBeLessThan(100);
    expect(reason).not.toContain('\n');
  });
});
