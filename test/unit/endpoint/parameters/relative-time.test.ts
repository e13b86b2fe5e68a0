import fc from 'fast-check';

import {
  isRelativeTime,
  parseDuration,
  resolveRelativeTime,
  stepAt,
} from '../../../../src/endpoint/parameters/relative-time.js';

const resolved = (text: string, now: string, zone?: string): string => {
  const time = resolveRelativeTime(text, Date.parse(now), zone);
  return time === undefined ? 'no relative time' : new Date(time).toISOString().replace('.000Z', 'Z');
};

/** Days since 1970 of a date, counted without `Date`: the algorithm of Howard Hinnant, "days_from_civil". */
function daysFromCivil(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
const daysIn = (year: number, month: number): number =>
  month === 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;

const DAY = 86_400_000;
const civil = fc
  .tuple(
    fc.integer({ min: 1950, max: 2250 }),
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 1, max: 31 }),
  )
  .map(([year, month, day]) => ({ year, month, day: Math.min(day, daysIn(year, month)) }));
const ofDay = fc.integer({ min: 0, max: DAY - 1 });

describe('resolveRelativeTime', () => {
  it.each([
    ['now', '2026-05-17T10:07:30Z', '2026-05-17T10:07:30Z'],
    ['now-30s', '2026-05-17T10:07:30Z', '2026-05-17T10:07:00Z'],
    ['now-90m', '2026-05-17T10:07:30Z', '2026-05-17T08:37:30Z'],
    ['now-1M', '2026-03-31T10:00:00Z', '2026-02-28T10:00:00Z'],
    ['now-1M', '2024-03-31T10:00:00Z', '2024-02-29T10:00:00Z'],
    ['now+1M', '2026-01-31T10:00:00Z', '2026-02-28T10:00:00Z'],
    ['now-1y', '2024-02-29T10:00:00Z', '2023-02-28T10:00:00Z'],
    ['now-4y', '2024-02-29T10:00:00Z', '2020-02-29T10:00:00Z'],
    ['now-13M', '2026-01-15T00:00:00Z', '2024-12-15T00:00:00Z'],
    ['now/m', '2026-05-17T10:07:30Z', '2026-05-17T10:07:00Z'],
    ['now/h', '2026-05-17T10:07:30Z', '2026-05-17T10:00:00Z'],
    ['now/d', '2026-05-17T10:07:30Z', '2026-05-17T00:00:00Z'],
    ['now/w', '2026-05-17T10:07:30Z', '2026-05-11T00:00:00Z'],
    ['now/w', '2026-05-18T00:00:00Z', '2026-05-18T00:00:00Z'],
    ['now/w', '1969-12-31T12:00:00Z', '1969-12-29T00:00:00Z'],
    ['now/M', '2026-05-17T10:07:30Z', '2026-05-01T00:00:00Z'],
    ['now/y', '2026-05-17T10:07:30Z', '2026-01-01T00:00:00Z'],
    ['now-1M/M', '2026-03-31T10:07:30Z', '2026-02-01T00:00:00Z'],
    ['now/M-1s', '2026-03-31T10:07:30Z', '2026-02-28T23:59:59Z'],
    ['now/d+8h', '2026-05-17T10:07:30Z', '2026-05-17T08:00:00Z'],
    ['now 1d', '2026-05-17T10:07:30Z', '2026-05-18T10:07:30Z'],
  ])('resolves %s at %s', (text, now, expected) => {
    expect(resolved(text, now)).toBe(expected);
  });

  it.each([
    // Clocks went forward on 29 March 2026 in Berlin and on 8 March in New York, and back on 25 October.
    ['now/d', '2026-05-17T22:30:00Z', 'Europe/Berlin', '2026-05-17T22:00:00Z'],
    ['now/d', '2026-05-17T03:30:00Z', 'America/New_York', '2026-05-16T04:00:00Z'],
    ['now-4w/d', '2026-04-10T10:00:00Z', 'Europe/Berlin', '2026-03-12T23:00:00Z'],
    ['now-1d', '2026-03-29T10:00:00Z', 'Europe/Berlin', '2026-03-28T11:00:00Z'],
    ['now-24h', '2026-03-29T10:00:00Z', 'Europe/Berlin', '2026-03-28T10:00:00Z'],
    ['now-1d', '2026-03-30T00:30:00Z', 'Europe/Berlin', '2026-03-29T01:30:00Z'],
    ['now/d+1d', '2026-10-25T10:00:00Z', 'Europe/Berlin', '2026-10-25T23:00:00Z'],
    ['now/w', '2026-10-25T23:30:00Z', 'Europe/Berlin', '2026-10-25T23:00:00Z'],
    ['now/M', '2026-05-31T22:30:00Z', 'Europe/Berlin', '2026-05-31T22:00:00Z'],
    ['now-1M/M', '2026-03-31T22:30:00Z', 'Europe/Berlin', '2026-02-28T23:00:00Z'],
    ['now/y', '2026-12-31T23:30:00Z', 'Europe/Berlin', '2026-12-31T23:00:00Z'],
    ['now/h', '2026-05-17T10:07:30Z', 'Asia/Kathmandu', '2026-05-17T09:15:00Z'],
    // Clocks skipped midnight in Cairo.
    ['now/d', '2026-04-24T10:00:00Z', 'Africa/Cairo', '2026-04-23T22:00:00Z'],
  ])('resolves %s at %s in %s', (text, now, zone, expected) => {
    expect(resolved(text, now, zone)).toBe(expected);
  });

  it.each([
    ['5m', '2026-05-17T22:32:10Z', '2026-05-17T22:30:00Z', '2026-05-17T22:35:00Z'],
    ['12h', '2026-05-17T22:30:00Z', '2026-05-17T22:00:00Z', '2026-05-18T10:00:00Z'],
    ['1d', '2026-10-25T10:00:00Z', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
    ['12h', '2026-10-25T22:30:00Z', '2026-10-25T22:00:00Z', '2026-10-25T23:00:00Z'],
  ])('rounds now to %s on its day in Berlin: %s', (step, now, start, end) => {
    const found = stepAt(Date.parse(now), parseDuration(step) ?? 0, 'Europe/Berlin');
    expect(found).toEqual({ start: Date.parse(start), end: Date.parse(end) });
  });

  it('rounds to a day that has begun and has not ended, in every zone', () => {
    fc.assert(
      fc.property(
        civil,
        ofDay,
        fc.constantFrom(...Intl.supportedValuesOf('timeZone')),
        ({ year, month, day }, time, zone) => {
          const now = daysFromCivil(year, month, day) * DAY + time;
          const start = resolveRelativeTime('now/d', now, zone) ?? NaN;
          const end = resolveRelativeTime('now/d+1d/d', now, zone) ?? NaN;
          expect(start <= now && now < end && resolveRelativeTime('now/d', end - 1, zone) === start).toBe(
            true,
          );
          expect(resolveRelativeTime('now/d', end, zone)).toBe(end);
        },
      ),
    );
  });

  it.each([
    '',
    'Now',
    'now ',
    'now-',
    'now-d',
    'now-7',
    'now-7D',
    'now/7d',
    'now-1.5d',
    'now-1234567d',
    'now-7d/',
    'xnow',
    'now--7d',
  ])('takes %j for no relative time', (text) => {
    expect(isRelativeTime(text)).toBe(false);
    expect(resolveRelativeTime(text, 0)).toBeUndefined();
  });

  it('returns NaN for a time that no calendar has', () => {
    expect(resolveRelativeTime('now-999999y', 0)).toBeNaN();
    expect(resolveRelativeTime('now+999999y/w+1M', 0)).toBeNaN();
  });

  it('moves by months to the same day, or to the last one of a shorter month', () => {
    fc.assert(
      fc.property(civil, ofDay, fc.integer({ min: -600, max: 600 }), ({ year, month, day }, time, count) => {
        const months = year * 12 + month - 1 + count;
        const [toYear, toMonth] = [Math.floor(months / 12), (((months % 12) + 12) % 12) + 1];
        const expected = daysFromCivil(toYear, toMonth, Math.min(day, daysIn(toYear, toMonth))) * DAY + time;
        const now = daysFromCivil(year, month, day) * DAY + time;
        expect(resolveRelativeTime(`now${count < 0 ? '' : '+'}${count}M`, now)).toBe(expected);
      }),
    );
  });

  it('moves by a year as by twelve months, by a week as by seven days, and by a day as by 24 hours', () => {
    fc.assert(
      fc.property(civil, ofDay, fc.integer({ min: 0, max: 40 }), ({ year, month, day }, time, count) => {
        const now = daysFromCivil(year, month, day) * DAY + time;
        const at = (steps: string): number | undefined => resolveRelativeTime(`now${steps}`, now);
        expect(at(`-${count}y`)).toBe(at(`-${count * 12}M`));
        expect(at(`-${count}w`)).toBe(now - count * 7 * DAY);
        expect(at(`+${count}d`)).toBe(at(`+${count * 24}h`));
      }),
    );
  });

  it('goes back to the start of the day, of the week on Monday, of the month and of the year', () => {
    fc.assert(
      fc.property(civil, ofDay, ({ year, month, day }, time) => {
        const days = daysFromCivil(year, month, day);
        const now = days * DAY + time;
        // 1970-01-01 was a Thursday, the fourth day of its week.
        const weekday = (((days + 3) % 7) + 7) % 7;
        expect(resolveRelativeTime('now/d', now)).toBe(days * DAY);
        expect(resolveRelativeTime('now/w', now)).toBe((days - weekday) * DAY);
        expect(resolveRelativeTime('now/M', now)).toBe(daysFromCivil(year, month, 1) * DAY);
        expect(resolveRelativeTime('now/y', now)).toBe(daysFromCivil(year, 1, 1) * DAY);
      }),
    );
  });
});

describe('parseDuration', () => {
  it.each([
    ['30s', 30_000],
    ['5m', 300_000],
    ['1h', 3_600_000],
    ['1d', 86_400_000],
    ['1w', 604_800_000],
  ])('reads %s', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  it.each(['', '0s', '5', 'm', '5M', '1y', '-5m', '1.5h', ' 5m'])('takes %j for none', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});
