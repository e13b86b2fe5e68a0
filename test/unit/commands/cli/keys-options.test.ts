import { durationMs, rightsOf } from '../../../../src/commands/cli/keys-options.js';
import { pairsOf } from '../../../../src/commands/cli/option-values.js';

const NOW = new Date('2026-05-17T10:05:03Z');

describe('rightsOf', () => {
  it('reads every option', () => {
    expect(
      rightsOf(
        {
          endpoints: 'logs.*, usage.api-counts',
          fixed: ['project=a=b', 'tier=FREE'],
          expires: '2027-01-01',
          address: ['10.0.0.0/8'],
          requests: '600/60',
          rowsRead: '1000000/3600',
          bytesRead: '1/1',
          clickhouseMs: '5000/60',
          concurrent: '4',
          mayBypassCache: true,
          mayLink: true,
          mayUseQueryString: true,
        },
        NOW,
      ),
    ).toEqual({
      endpoints: ['logs.*', 'usage.api-counts'],
      fixed: { project: 'a=b', tier: 'FREE' },
      expires: '2027-01-01',
      addresses: ['10.0.0.0/8'],
      limits: {
        requests: { quota: 600, window: 60 },
        rowsRead: { quota: 1_000_000, window: 3600 },
        bytesRead: { quota: 1, window: 1 },
        clickhouseMs: { quota: 5000, window: 60 },
        concurrent: 4,
      },
      mayBypassCache: true,
      mayLink: true,
      mayUseQueryString: true,
    });
  });

  it('omits rights without an option', () => {
    expect(rightsOf({}, NOW)).toEqual({});
  });

  it.each([
    [{ fixed: ['project'] }, '--fixed must be name=value, not "project"'],
    [{ fixed: ['=a'] }, '--fixed must be name=value'],
    [{ fixed: ['a=1', 'a=2'] }, '--fixed sets a twice'],
    [
      { rowsRead: '5' },
      '--rows-read must be amount/seconds, such as 600/60, with at most 86400 seconds, not "5"',
    ],
    [{ clickhouseMs: '-1/5' }, '--clickhouse-ms must be'],
    [{ concurrent: 'many' }, '--concurrent must be a whole number from 1 to 10000, not "many"'],
    [
      { expires: 'tomorrow' },
      '--expires must be a date or time in ISO 8601, such as 2027-01-01, not "tomorrow"',
    ],
    [{ expires: '2026-05-17' }, '--expires 2026-05-17 is in the past (now is 2026-05-17T10:05:03.000Z)'],
    [{ expires: '2026-05-17T10:05:03Z' }, 'is in the past'],
  ])('rejects %j', (options, message) => {
    expect(() => rightsOf(options, NOW)).toThrow(message);
  });
});

describe('pairsOf', () => {
  it('preserves an empty value and equals signs', () => {
    expect([...pairsOf('--param', ['a=', 'b=c=d'])]).toEqual([
      ['a', ''],
      ['b', 'c=d'],
    ]);
  });
});

describe('durationMs', () => {
  it.each([
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['12h', 43_200_000],
    ['7d', 604_800_000],
  ])('reads %s', (text, ms) => {
    expect(durationMs('--expires-in', text)).toBe(ms);
  });

  it.each(['', '7', 'd', '7w', '-1d', '1.5d', '7 d'])('rejects %j', (text) => {
    expect(() => durationMs('--expires-in', text)).toThrow('--expires-in must be a duration such as 30m');
  });
});
