import type { Endpoint, Parameter, Values } from './endpoint.js';
import { startOf, type Buckets } from './time-buckets.js';
import { instantOf, UTC, wallTime } from './zone.js';

/** The two parameters between whose times an endpoint's rows are. */
export interface RangeParameters {
  readonly from: Parameter;
  /** Absent where the rows reach to now. */
  readonly to?: Parameter;
}

/** Ranges that end now, in seconds. */
export const RANGES: readonly (readonly [title: string, seconds: number])[] = [
  ['15 min', 900],
  ['1 h', 3600],
  ['24 h', 86_400],
  ['7 d', 604_800],
];

const FROM = /(?:^|_)(?:since|from|start|begin|after)(?:_|$)/;
const TO = /(?:^|_)(?:until|to|end|before)(?:_|$)/;

/**
 * The range of an endpoint by the names of its timestamp parameters; undefined where it has none.
 *
 * @param isKnown whether those that the key supplies count, which nobody can set
 */
export function rangeParameters(
  { parameters }: Pick<Endpoint, 'parameters'>,
  isKnown = false,
): RangeParameters | undefined {
  const times = parameters.filter(({ kind, pinned }) => kind === 'timestamp' && (isKnown || !pinned));
  const from = times.find(({ name }) => FROM.test(name));
  const to = times.find(({ name }) => TO.test(name) && name !== from?.name);
  return from && { from, ...(to && { to }) };
}

/** Where a range begins and ends, in seconds since 1970, as far as that is known. */
export interface TimeSpan {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** The time zone that a request names, in whose calendar its relative times are; of several they are in none. */
export function zoneOf({ parameters }: Pick<Endpoint, 'parameters'>, values: Values): string {
  const [zone, another] = parameters.filter(({ kind }) => kind === 'timezone');
  if (!zone || another) return UTC;
  return values[zone.name] ?? zone.pinned?.value ?? zone.default ?? UTC;
}

/** The range of a request: without a value for its end, to now. @param now in seconds since 1970 */
export function rangeOf(endpoint: Pick<Endpoint, 'parameters'>, values: Values, now: number): TimeSpan {
  const zone = zoneOf(endpoint, values);
  const timeIn = (parameter: Parameter | undefined, fallback?: string): number | undefined => {
    if (!parameter) return undefined;
    const { name, pinned, default: usual = fallback } = parameter;
    return timeOf(parameter, pinned ? pinned.value : (values[name] ?? usual), now, zone);
  };
  const { from, to } = rangeParameters(endpoint, true) ?? {};
  return { from: timeIn(from), to: timeIn(to, 'now') };
}

/** The time of a parameter's text, whose now is rounded to its step. */
function timeOf(
  { relativeStep = 1 }: Parameter,
  text: string | undefined,
  now: number,
  zone: string,
): number | undefined {
  return readTime(text, instantOf(Math.floor(wallTime(now, zone) / relativeStep) * relativeStep, zone), zone);
}

/** The range of an endpoint as buttons change it. */
export interface Ranged {
  readonly endpoint: Pick<Endpoint, 'parameters'>;
  readonly values: Values;
  /** Seconds since 1970. */
  readonly now: number;
  /** Buckets of the chart, to whose ends ranges are rounded. */
  readonly buckets?: Buckets | undefined;
}

/** The values with a range that ends now: relative where the endpoint accepts that, so that a link to it stays one to now. */
export function lastRange(ranged: Ranged, seconds: number): Values {
  const { endpoint, values } = ranged;
  const parameters = rangeParameters(endpoint);
  if (!parameters) return values;
  const { from, to } = parameters;
  // An omitted end is its default, such as midnight, before which no last 15 minutes are.
  const endsNow = to?.required === false && (to.default ?? 'now') === 'now';
  const end = to && !endsNow ? textOf(to, ranged, 0) : undefined;
  return withEnds(parameters, values, textOf(from, ranged, seconds), end);
}

function textOf(
  parameter: Parameter,
  { endpoint, values, now, buckets }: Ranged,
  secondsAgo: number,
): string {
  const { relativeStep } = parameter;
  // To the minute: equal presses make equal requests, which the cache answers.
  const at = Math.floor(now / 60) * 60 - secondsAgo;
  const isRelative = relativeStep !== undefined && relativeStep <= Math.max(secondsAgo, 60);
  const text = secondsAgo === 0 ? 'now' : `now-${secondsAgo}s`;
  if (secondsAgo === 0 || !buckets) return isRelative ? text : iso(at);
  const { seconds } = buckets;
  // Longer units would make another range of it: the last hour would be two.
  const most = Math.max(seconds, secondsAgo / 6);
  const roundings = Object.entries(UNITS).map(([unit, length]) => [`${text}/${unit}`, length] as const);
  const found = [...roundings, [text, relativeStep ?? 1] as const]
    .sort(([, left], [, right]) => left - right)
    .find(([rounded, length]) => {
      const begin = timeOf(parameter, rounded, now, zoneOf(endpoint, values));
      return (
        length % seconds === 0 && length <= most && begin !== undefined && startOf(buckets, begin) === begin
      );
    });
  return isRelative && found ? found[0] : iso(startOf(buckets, at));
}

/** The values with the range before or after theirs, as long as theirs; undefined where theirs is not known. */
export function movedRange(
  { endpoint, values, now, buckets }: Ranged,
  direction: -1 | 1,
): Values | undefined {
  const parameters = rangeParameters(endpoint);
  const { from, to } = rangeOf(endpoint, values, now);
  if (!parameters?.to || from === undefined || to === undefined || to <= from) return undefined;
  const start = buckets ? startOf(buckets, from) : from;
  const end = buckets && startOf(buckets, to) < to ? startOf(buckets, to, 1) : to;
  const moved = (at: number): number => {
    const there = at + direction * (end - start);
    if (!buckets) return there;
    // Days and months have different lengths.
    const [before, after] = [startOf(buckets, there), startOf(buckets, there, 1)];
    return there - before < after - there ? before : after;
  };
  return direction < 0
    ? withEnds(parameters, values, iso(moved(start)), iso(start))
    : withEnds(parameters, values, iso(end), iso(moved(end)));
}

/** The values with a range between two times, in seconds since 1970; undefined where the endpoint has no end of a range. */
export function rangeBetween(
  parameters: RangeParameters,
  values: Values,
  from: number,
  to: number,
): Values | undefined {
  if (!parameters.to) return undefined;
  return withEnds(parameters, values, iso(Math.floor(from)), iso(Math.ceil(to)));
}

function withEnds(
  { from, to }: RangeParameters,
  values: Values,
  start: string,
  end: string | undefined,
): Values {
  const others = Object.entries(values).filter(([name]) => name !== from.name && name !== to?.name);
  return Object.fromEntries([
    ...others,
    [from.name, start],
    ...(to && end !== undefined ? [[to.name, end] as const] : []),
  ]);
}

/** ISO 8601 text of a time in seconds since 1970. */
const iso = (at: number): string => new Date(at * 1000).toISOString().replace('.000Z', 'Z');

const DAY = 86_400;

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: DAY, w: 7 * DAY };

const RELATIVE = /^now(?:[+ -]\d{1,6}[smhdw]|\/[smhdw])*$/;
const STEP = /([+ -])(\d+)([smhdw])|\/([smhdw])/g;

/** Seconds since 1970 of a time relative to now, such as `now-7d/d`, or in ISO 8601; undefined of anything else. */
function readTime(text: string | undefined, now: number, zone: string): number | undefined {
  if (text === undefined || !RELATIVE.test(text)) {
    const ms = readIsoTime(text);
    return ms === undefined ? undefined : ms / 1000;
  }
  let at = now;
  for (const [, sign, count, unit = '', start] of text.matchAll(STEP)) {
    const length = UNITS[start ?? unit] ?? 1;
    const by = (sign === '-' ? -length : length) * Number(count);
    // 1970 began on a Thursday, and weeks begin on Monday.
    const thursday = start === 'w' ? 3 * DAY : 0;
    const wall = wallTime(at, zone);
    if (start !== undefined) at = instantOf(Math.floor((wall + thursday) / length) * length - thursday, zone);
    // An hour has the same length on each day, and a day does not.
    else at = length < DAY ? at + by : instantOf(wall + by, zone);
  }
  return at;
}

/** Milliseconds since 1970 of a time in ISO 8601, in UTC where it has no zone; undefined of anything else. */
export function readIsoTime(text = ''): number | undefined {
  if (!/^\d{4}-\d\d-\d\d/.test(text)) return undefined;
  const at = Date.parse(text.replace(' ', 'T').replace(/(T[\d:.]+)$/, '$1Z'));
  return Number.isNaN(at) ? undefined : at;
}
