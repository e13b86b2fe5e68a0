import { wallTimeOf } from '../../endpoint/parameters/wall-time.js';

/** A time in a text. */
export interface WrittenTime {
  /** Nanoseconds since 1970. A text without a zone counts as UTC. */
  readonly nanoseconds: bigint;
  readonly hasZone: boolean;
}

/** `2026-11-28`, `2026/11/28 10:05`, `2026-11-28T10:05:03.123+02:00`, `20261128T100503Z`. */
const ISO =
  /^(\d{4})([-/]?)(\d\d)\2(\d\d)(?:[T ](\d\d):?(\d\d)(?::?(\d\d)(?:\.(\d{1,9}))?)?)? ?(?:(Z|UTC|GMT)|([+-])(\d\d):?(\d\d)?)?$/i;
/** Time since 1970 in seconds (with an optional fraction), milliseconds, microseconds or nanoseconds, by the number of digits. */
const UNIX = /^(?:(\d{9,10})(?:\.(\d{1,9}))?|(\d{13})|(\d{16})|(\d{19}))$/;
/** What the forms that only `Date.parse` knows have at their end. */
const ZONE = /(?:Z|UTC|GMT|[+-]\d\d:?\d\d)$/i;

/** Reads a time independently of ClickHouse; undefined for an invalid time, such as 30 February or 25:00. */
export function readTime(text: string): WrittenTime | undefined {
  return isoTime(text) ?? unixTime(text) ?? otherTime(text);
}

function isoTime(text: string): WrittenTime | undefined {
  const match = ISO.exec(text);
  if (!match) return undefined;
  const [, year, , month, day, hour = '00', minute = '00', second = '00', fraction = ''] = match;
  const [utc, sign, hours = '0', minutes = '0'] = match.slice(9);
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
  const time = Date.parse(iso);
  // `Date` makes the 2nd of March of the 30th of February.
  if (Number.isNaN(time) || new Date(time).toISOString() !== iso) return undefined;
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60_000 : 60_000);
  return {
    nanoseconds: BigInt(time - offset) * 1_000_000n + BigInt(fraction.padEnd(9, '0')),
    hasZone: utc !== undefined || sign !== undefined,
  };
}

function unixTime(text: string): WrittenTime | undefined {
  const match = UNIX.exec(text);
  if (!match) return undefined;
  const [, seconds, fraction = '', ...finer] = match;
  const digits = seconds === undefined ? finer.join('') : seconds + fraction.padEnd(9, '0');
  const nanoseconds = BigInt(seconds === undefined ? digits.padEnd(19, '0') : digits);
  return { nanoseconds, hasZone: true };
}

/**
 * A form with the name of a month, or with slashes, which ClickHouse reads with the day first and `Date` with the month first: where
 * the two agree there is one reading. The year must have four digits.
 */
function otherTime(text: string): WrittenTime | undefined {
  const hasZone = ZONE.test(text);
  const time =
    /(?<!\d)\d{4}(?!\d)/.test(text) && /[a-z]{3}|\//i.test(text)
      ? Date.parse(hasZone ? text : `${text} UTC`)
      : NaN;
  return Number.isNaN(time) ? undefined : { nanoseconds: BigInt(time) * 1_000_000n, hasZone };
}

/** What the clocks of a time zone show, as if it were UTC. */
export function localTime(nanoseconds: bigint, zone: string): bigint {
  const fraction = ((nanoseconds % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const milliseconds = Number((nanoseconds - fraction) / 1_000_000n);
  return BigInt(wallTimeOf(milliseconds, zone)) * 1_000_000n + fraction;
}
