import type { Parameter } from '../../../console/src/model/endpoint.js';
import {
  lastRange,
  movedRange,
  rangeBetween,
  rangeParameters,
} from '../../../console/src/model/time-range.js';

const NOW = new Date('2026-05-17T10:05:00Z');
const parameter = (name: string, changes: Partial<Parameter> = {}): Parameter => ({
  ...{ name, kind: 'timestamp', required: false, empty: 'omitted', type: 'DateTime64(6)', description: '' },
  ...changes,
});
const [SINCE, UNTIL] = [parameter('since', { relativeStep: 60 }), parameter('until', { relativeStep: 60 })];
const [START, END] = [parameter('start_time'), parameter('end_time')];

describe('the range of an endpoint', () => {
  it.each([
    [['since', 'until'], 'since', 'until'],
    [['iso_timestamp_start', 'iso_timestamp_end'], 'iso_timestamp_start', 'iso_timestamp_end'],
    [['to', 'from'], 'from', 'to'],
    [['since'], 'since', undefined],
    [['until'], undefined, undefined],
    [['restarted', 'sender'], undefined, undefined],
  ])('is of %j by their names', (names, from, to) => {
    const found = rangeParameters({ parameters: names.map((name) => parameter(name)) });
    expect([found?.from.name, found?.to?.name]).toEqual([from, to]);
  });

  it('is of timestamps only', () => {
    expect(rangeParameters({ parameters: [parameter('since', { kind: 'string' })] })).toBeUndefined();
  });
});

describe('a range that ends now', () => {
  it('is relative where the endpoint accepts that, and keeps the other values', () => {
    const values = { city: 'Rome', since: '2020-01-01', until: '2020-01-02' };
    expect(lastRange({ from: SINCE, to: UNTIL }, values, 900, NOW)).toEqual({
      city: 'Rome',
      since: 'now-900s',
    });
    expect(lastRange({ from: START, to: END }, {}, 3600, NOW)).toEqual({
      start_time: '2026-05-17T09:05:00Z',
    });
  });

  it('is absolute where relative times are rounded to more than the range', () => {
    const from = parameter('since', { relativeStep: 3600 });
    expect(lastRange({ from }, {}, 900, NOW)).toEqual({ since: '2026-05-17T09:50:00Z' });
  });

  it('has an end where the endpoint requires one', () => {
    const to = { ...UNTIL, required: true };
    expect(lastRange({ from: SINCE, to }, {}, 900, NOW)).toEqual({ since: 'now-900s', until: 'now' });
  });
});

describe('a range between two times', () => {
  it('has whole seconds, and needs an end', () => {
    const values = { city: 'Rome', start_time: '2020-01-01' };
    expect(rangeBetween({ from: START, to: END }, values, 1779012300.7, 1779012360.2)).toEqual({
      city: 'Rome',
      start_time: '2026-05-17T10:05:00Z',
      end_time: '2026-05-17T10:06:01Z',
    });
    expect(rangeBetween({ from: START }, values, 1, 2)).toBeUndefined();
  });
});

describe('the range before and after', () => {
  it.each([
    [{ since: 'now-15m' }, -1, { since: '2026-05-17T09:35:00Z', until: '2026-05-17T09:50:00Z' }],
    [
      { since: '2026-05-01T00:00:00Z', until: '2026-05-02' },
      1,
      { since: '2026-05-02T00:00:00Z', until: '2026-05-03T00:00:00Z' },
    ],
    [
      { since: '2026-05-01 00:00:00', until: '2026-05-01T12:00:00+02:00' },
      -1,
      { since: '2026-04-30T14:00:00Z', until: '2026-05-01T00:00:00Z' },
    ],
  ] as const)('of %j is as long', (values, direction, moved) => {
    expect(movedRange({ from: SINCE, to: UNTIL }, values, direction, NOW)).toEqual(moved);
  });

  it.each([{}, { since: 'now/d' }, { since: 'yesterday' }, { since: 'now', until: 'now-1h' }])(
    'of %j is not known',
    (values) => {
      expect(movedRange({ from: SINCE, to: UNTIL }, values, -1, NOW)).toBeUndefined();
    },
  );
});
