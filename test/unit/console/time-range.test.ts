import type { Parameter, Values } from '../../../console/src/model/endpoint.js';
import { bucketsOf, startOf, type Buckets } from '../../../console/src/model/time-buckets.js';
import {
  lastRange,
  movedRange,
  rangeBetween,
  rangeOf,
  rangeParameters,
  type Ranged,
} from '../../../console/src/model/time-range.js';

const at = (text: string): number => Date.parse(text) / 1000;
const NOW = at('2026-05-17T10:05:00Z');
const parameter = (name: string, changes: Partial<Parameter> = {}): Parameter => ({
  ...{ name, kind: 'timestamp', required: false, empty: 'omitted', type: 'DateTime64(6)', description: '' },
  ...changes,
});
const [SINCE, UNTIL] = [parameter('since', { relativeStep: 60 }), parameter('until', { relativeStep: 60 })];
const ZONE = parameter('timezone', { kind: 'timezone', default: 'Europe/Berlin' });
const [START, END] = [parameter('start_time'), parameter('end_time')];

const endpointOf = (...parameters: readonly Parameter[]): Ranged['endpoint'] => ({ parameters });

const gridOf = (zone: string, ...times: readonly string[]): Buckets | undefined =>
  bucketsOf(times.map(at), zone);

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
  const last = (
    parameters: readonly Parameter[],
    values: Values,
    seconds: number,
    buckets?: Buckets,
  ): Values => lastRange({ endpoint: endpointOf(...parameters), values, now: NOW, buckets }, seconds);

  it('is relative where the endpoint accepts that, and keeps the other values', () => {
    const values = { city: 'Rome', since: '2020-01-01', until: '2020-01-02' };
    expect(last([SINCE, UNTIL], values, 900)).toEqual({ city: 'Rome', since: 'now-900s' });
    expect(last([START, END], {}, 3600)).toEqual({ start_time: '2026-05-17T09:05:00Z' });
  });

  it('is absolute where relative times are rounded to more than the range', () => {
    const from = parameter('since', { relativeStep: 3600 });
    expect(last([from], {}, 900)).toEqual({ since: '2026-05-17T09:50:00Z' });
  });

  it('has an end where the endpoint requires one', () => {
    const to = { ...UNTIL, required: true };
    expect(last([SINCE, to], {}, 900)).toEqual({ since: 'now-900s', until: 'now' });
  });

  it('has an end where that of an omitted one is not now', () => {
    const until = (fallback: string, more: Partial<Parameter> = {}): object => {
      const to = { ...UNTIL, ...more, default: fallback };
      return last([SINCE, to], { until: '2020-01-02' }, 900);
    };
    expect(until('now/d')).toEqual({ since: 'now-900s', until: 'now' });
    expect(until('2026-05-01T00:00:00Z')).toEqual({ since: 'now-900s', until: 'now' });
    expect(until('now/d', { relativeStep: 3600 })).toMatchObject({ until: '2026-05-17T10:05:00Z' });
    expect(until('now')).toEqual({ since: 'now-900s' });
  });

  it('begins with a bucket of the chart: relative where a unit of time has these buckets', () => {
    const hours = gridOf('UTC', '2026-05-01T00:00:00Z', '2026-05-01T01:00:00Z');
    const fives = gridOf('UTC', '2026-05-01T00:00:00Z', '2026-05-01T00:20:00Z', '2026-05-01T00:40:00Z');
    const days = gridOf('Europe/Berlin', '2026-05-03T22:00:00Z', '2026-05-04T22:00:00Z');
    expect(last([SINCE], {}, 86_400, hours)).toEqual({ since: 'now-86400s/h' });
    expect(last([SINCE], {}, 900, fives)).toEqual({ since: '2026-05-17T09:40:00Z' });
    expect(last([START], {}, 86_400, hours)).toEqual({ start_time: '2026-05-16T10:00:00Z' });
    expect(last([SINCE, ZONE], {}, 86_400, days)).toEqual({ since: 'now-86400s/d' });
    // Without the zone, `/d` would be a day of UTC.
    expect(last([SINCE], {}, 86_400, days)).toEqual({ since: '2026-05-15T22:00:00Z' });
  });

  it('is relative to a unit of whole buckets, or to a step of them, that makes it hardly longer', () => {
    const quarters = gridOf('UTC', '2026-05-01T00:00:00Z', '2026-05-01T00:15:00Z');
    const late = gridOf('UTC', '2026-05-01T00:05:00Z', '2026-05-01T00:20:00Z');
    const sixHours = gridOf('UTC', '2026-05-01T00:00:00Z', '2026-05-01T06:00:00Z');
    const stepped = parameter('since', { relativeStep: 900 });
    expect(last([SINCE], {}, 86_400, quarters)).toEqual({ since: 'now-86400s/h' });
    expect(last([SINCE], {}, 604_800, sixHours)).toEqual({ since: 'now-604800s/d' });
    expect(last([SINCE], {}, 3600, quarters)).toEqual({ since: '2026-05-17T09:00:00Z' });
    expect(last([stepped], {}, 3600, quarters)).toEqual({ since: 'now-3600s' });
    expect(last([stepped], {}, 86_400, late)).toEqual({ since: '2026-05-16T10:05:00Z' });
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

describe('the range of a request', () => {
  const endpoint = endpointOf(SINCE, UNTIL, ZONE);

  it.each([
    [{ since: 'now-2d/d' }, '2026-05-14T22:00:00Z', '2026-05-17T10:05:00Z'],
    [{ since: 'now/w', until: 'now/w+1d' }, '2026-05-10T22:00:00Z', '2026-05-11T22:00:00Z'],
    [
      { since: '2026-03-29', until: '2026-03-29T02:00+02:00' },
      ...['2026-03-29T00:00:00Z', '2026-03-29T00:00:00Z'],
    ],
    [{ since: 'now-60d/d', timezone: 'UTC' }, '2026-03-18T00:00:00Z', '2026-05-17T10:05:00Z'],
  ] as const)('of %j is read in the calendar of its zone', (values, from, to) => {
    expect(rangeOf(endpoint, values, NOW + 7)).toEqual({ from: at(from), to: at(to) });
  });

  it('is read in UTC where several zones are parameters, as by the gateway', () => {
    const zones = endpointOf(SINCE, ZONE, { ...ZONE, name: 'shown' });
    expect(rangeOf(zones, { since: 'now/d' }, NOW)).toEqual({ from: at('2026-05-17T00:00:00Z') });
  });

  it('is what the key supplies, which nobody can move, and not known where that is a secret', () => {
    const pinned = (value?: string): Ranged['endpoint'] =>
      endpointOf(SINCE, { ...UNTIL, pinned: value === undefined ? {} : { value } });
    expect(rangeOf(pinned('now-20m'), { since: 'now-1h' }, NOW)).toEqual({
      from: NOW - 3600,
      to: NOW - 1200,
    });
    expect(rangeOf(pinned(), {}, NOW)).toEqual({});
    const ranged = { endpoint: pinned('now-20m'), values: { since: 'now-1h' }, now: NOW };
    expect(movedRange(ranged, -1)).toBeUndefined();
    expect(lastRange(ranged, 900)).toEqual({ since: 'now-900s' });
  });

  it('has the defaults of the parameters, and no time that it cannot read', () => {
    const since = parameter('since', { default: 'now-1h' });
    expect(rangeOf(endpointOf(since), {}, NOW)).toEqual({ from: NOW - 3600, to: undefined });
    expect(rangeOf(endpoint, { since: 'yesterday', until: 'now-1M' }, NOW)).toEqual({});
  });
});

describe('the range before and after', () => {
  const moved = (values: Values, direction: -1 | 1, buckets?: Buckets): Values | undefined =>
    movedRange({ endpoint: endpointOf(SINCE, UNTIL), values, now: NOW, buckets }, direction);

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
  ] as const)('of %j is as long', (values, direction, expected) => {
    expect(moved(values, direction)).toEqual(expected);
  });

  it('has whole buckets, which may be days with a change of clocks, or months', () => {
    const hours = gridOf('UTC', '2026-05-17T00:00:00Z', '2026-05-17T01:00:00Z');
    expect(moved({ since: 'now-2h' }, -1, hours)).toEqual({
      ...{ since: '2026-05-17T05:00:00Z', until: '2026-05-17T08:00:00Z' },
    });
    const days = gridOf('Europe/Berlin', '2026-03-25T23:00:00Z', '2026-03-26T23:00:00Z');
    const weekend = { since: '2026-03-27T23:00:00Z', until: '2026-03-28T23:00:00Z' };
    expect(moved(weekend, 1, days)).toEqual({ since: '2026-03-28T23:00:00Z', until: '2026-03-29T22:00:00Z' });
    const months = gridOf('UTC', '2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z', '2026-03-01T00:00:00Z');
    const march = { since: '2026-03-01T00:00:00Z', until: '2026-04-01T00:00:00Z' };
    expect(moved(march, -1, months)).toEqual({ since: '2026-02-01T00:00:00Z', until: march.since });
  });

  it.each([{}, { since: 'yesterday' }, { since: 'now', until: 'now-1h' }])('of %j is not known', (values) => {
    expect(moved(values, -1)).toBeUndefined();
  });
});

describe('buckets', () => {
  it('of months, quarters and years go on in the calendar, also where they begin beside midnight', () => {
    const ends = [
      gridOf('UTC', '2025-12-31T22:00:00Z', '2026-01-31T22:00:00Z', '2026-02-28T22:00:00Z'),
      gridOf('UTC', '2025-10-01T00:00:00Z', '2026-01-01T00:00:00Z'),
      gridOf('UTC', '2024-01-01T00:00:00Z', '2025-01-01T00:00:00Z'),
    ].map((grid) => grid && new Date(startOf(grid, at('2026-04-15T00:00:00Z'), 1) * 1000).toISOString());
    expect(ends).toEqual([
      '2026-04-30T22:00:00.000Z',
      '2026-07-01T00:00:00.000Z',
      '2027-01-01T00:00:00.000Z',
    ]);
  });
});
