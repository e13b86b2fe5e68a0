import { instantOf, wallTimeOf } from './wall-time.js';

/** Units of relative times. Days and longer units are those of the calendar in a time zone; weeks begin on Monday. */
type Unit = 's' | 'm' | 'h' | 'd' | 'w' | 'M' | 'y';

const MILLISECONDS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** `now`, then steps: `+3h` or `-7d` moves the time, `/d` rounds it down to the unit. In a URL, `+` may have become a space. */
const RELATIVE = /^now((?:[+ -]\d{1,6}[smhdwMy]|\/[smhdwMy])*)$/;
const STEP = /([+ -])(\d+)([smhdwMy])|\/([smhdwMy])/g;
const DURATION = /^([1-9]\d{0,5})([smhdw])$/;

/** Whether a text has the form of a relative time. */
export function isRelativeTime(text: string): boolean {
  return RELATIVE.test(text);
}

/**
 * Resolves a relative time, such as `now-7d` or `now-1M/M`; the form is Grafana's and Elasticsearch's.
 *
 * @param now milliseconds since 1970, already rounded.
 * @param zone IANA name of the time zone of the calendar
 * @returns milliseconds since 1970; undefined where the text is not a relative time, NaN where no calendar has it.
 */
export function resolveRelativeTime(text: string, now: number, zone = 'UTC'): number | undefined {
  const [, steps] = RELATIVE.exec(text) ?? [];
  if (steps === undefined) return undefined;
  let time = now;
  for (const [, sign, count, unit, start] of steps.matchAll(STEP)) {
    const by = (sign === '-' ? -1 : 1) * Number(count);
    // An hour has the same length on each day, and a day does not.
    if (unit === 's' || unit === 'm' || unit === 'h') {
      time += by * MILLISECONDS[unit];
      continue;
    }
    const wall = new Date(wallTimeOf(time, zone));
    const changed = start === undefined ? moved(wall, by, unit as Unit) : startOf(wall, start as Unit);
    time = instantOf(changed.getTime(), zone);
  }
  return time;
}

/**
 * The step of a moment: the time that counts as "now" in the step, and when the next step begins. Steps start again at midnight, so
 * that "now" is on the current day of the time zone.
 *
 * @param stepMs milliseconds: a fraction of a day, or whole days
 */
export function stepAt(
  now: number,
  stepMs: number,
  zone = 'UTC',
): { readonly start: number; readonly end: number } {
  const days = Math.max(stepMs, MILLISECONDS.d);
  const wall = Math.floor(wallTimeOf(now, zone) / days) * days;
  const [first, last] = [instantOf(wall, zone), instantOf(wall + days, zone)];
  const start = first + Math.floor((now - first) / stepMs) * stepMs;
  return stepMs < days ? { start, end: Math.min(start + stepMs, last) } : { start: first, end: last };
}

/** Milliseconds of a duration such as `30s`, `5m` or `1d`; undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  const [, count, unit] = DURATION.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * MILLISECONDS[unit as keyof typeof MILLISECONDS];
}

function moved(time: Date, count: number, unit: Unit): Date {
  if (unit !== 'M' && unit !== 'y') return new Date(time.getTime() + count * MILLISECONDS[unit]);
  const target = new Date(time);
  target.setUTCDate(1);
  target.setUTCMonth(target.getUTCMonth() + count * (unit === 'y' ? 12 : 1));
  // A month before March 31st is the last day of February.
  const lastDay = new Date(Date.UTC(target.getUTCFullYear(), target.getUTCMonth() + 1, 0)).getUTCDate();
  target.setUTCDate(Math.min(time.getUTCDate(), lastDay));
  return target;
}

function startOf(time: Date, unit: Unit): Date {
  const [year, month] = [time.getUTCFullYear(), time.getUTCMonth()];
  if (unit === 'y') return new Date(Date.UTC(year, 0, 1));
  if (unit === 'M') return new Date(Date.UTC(year, month, 1));
  // 1970 began on a Thursday.
  const offset = unit === 'w' ? 3 * MILLISECONDS.d : 0;
  return new Date(Math.floor((time.getTime() + offset) / MILLISECONDS[unit]) * MILLISECONDS[unit] - offset);
}
