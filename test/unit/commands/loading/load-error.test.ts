import { ClickHouseError } from '@clickhouse/client';

import { describeFailure } from '../../../../src/commands/loading/load-error.js';
import { LoadReport } from '../../../../src/commands/loading/load-report.js';

describe('describeFailure', () => {
  it('returns ClickHouse’s error type and the start of its message', () => {
    const error = new ClickHouseError({
      message: 'Not enough privileges. You need INSERT. \n: more',
      code: '497',
      type: 'ACCESS_DENIED',
    });
    expect(describeFailure(error)).toBe(
      'ClickHouse returned ACCESS_DENIED: Not enough privileges. You need INSERT',
    );
  });

  it('adds the remedy when the database does not exist', () => {
    const error = new ClickHouseError({
      message: 'Database logs does not exist. ',
      code: '81',
      type: 'UNKNOWN_DATABASE',
    });
    expect(describeFailure(error)).toBe(
      'ClickHouse returned UNKNOWN_DATABASE: Database logs does not exist. ' +
        'Run querygate migrate first, or correct CLICKHOUSE_DATABASE',
    );
  });

  it('returns the code of an error without a message', () => {
    const error = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
    expect(describeFailure(error)).toBe('ClickHouse is unreachable or closed the connection (ECONNREFUSED)');
  });
});

it('LoadReport omits the lines that may already be written when none can be', async () => {
  const report = new LoadReport({ columns: [], computed: [], ttl: undefined });
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const batch = {
    rows: [],
    rejected: [],
    lastLine: 30,
    expired: 0,
  };
  await expect(report.addInserted(batch, Promise.reject(refused))).rejects.toBe(refused);
  expect(report.failure(refused, 'file').message).toBe(
    'ClickHouse is unreachable or closed the connection (connect ECONNREFUSED). Nothing was loaded; resume from line 1.',
  );
});
