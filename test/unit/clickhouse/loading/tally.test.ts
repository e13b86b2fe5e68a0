import { Tally } from '../../../../src/clickhouse/loading/tally.js';

const NOW = new Date('2026-05-17T10:05:03.000Z');
const DAY = 86_400_000_000n;
const nowMicros = BigInt(NOW.getTime()) * 1000n;

describe('Tally', () => {
  it('counts rows that are older than the retention, to the microsecond', () => {
    const tally = new Tally(NOW);
    const times = [nowMicros, nowMicros - 90n * DAY, nowMicros - 90n * DAY - 1n];
    tally.add({
      rows: times.map((micros, index) => ({ line: index + 1, text: '{}', micros })),
      rejected: [{ line: 4, reason: 'bad' }],
      lastLine: 4,
    });
    expect(tally.report()).toMatchObject({
      loaded: 3,
      rejected: 1,
      olderThanRetention: 1,
      newest: nowMicros,
    });
    expect(tally.nextLine).toBe(5);
  });

  it('has no newest row before the first', () => {
    expect(new Tally(NOW).report()).toMatchObject({ loaded: 0, newest: undefined });
  });
});
