import type { TimedRow } from '../../../../src/commands/loading/check-batch.js';
import { Tally } from '../../../../src/commands/loading/tally.js';
import { tableOf } from './table-of.js';

const table = tableOf({ project: 'String' });

describe('Tally', () => {
  it('counts rows and rejected lines, and finds the newest row', () => {
    const tally = new Tally(table);
    const rows = [3n, 5n, undefined].map((micros, index): TimedRow => ({
      line: index + 1,
      text: '{}',
      micros,
      isExpired: index === 0,
    }));
    const rejected = [{ line: 4, reason: 'bad' }];
    tally.add({ rows, rejected, unknownFields: new Map([['projekt', 2]]), lastLine: 4 });
    tally.add({ rows: [], rejected: [], unknownFields: new Map([['projekt', 1]]), lastLine: 5 });
    expect(tally.report()).toMatchObject({
      loaded: 3,
      rejected: 1,
      olderThanRetention: 1,
      newest: 5n,
      unknownFields: [{ field: 'projekt', lines: 3, suggestion: 'project' }],
      hasMoreUnknownFields: false,
    });
    expect(tally.nextLine).toBe(6);
  });

  it('has no newest row before the first', () => {
    expect(new Tally(table).report()).toMatchObject({ loaded: 0, newest: undefined });
  });
});
