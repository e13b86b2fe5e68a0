import type { Endpoint, Parameter, Values } from './endpoint.js';

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

/** The range of an endpoint by the names of its timestamp parameters; undefined where it has none. */
export function rangeParameters({ parameters }: Pick<Endpoint, 'parameters'>): RangeParameters | undefined {
  const times = parameters.filter(({ kind }) => kind === 'timestamp');
  const from = times.find(({ name }) => FROM.test(name));
  const to = times.find(({ name }) => TO.test(name) && name !== from?.name);
  return from && { from, ...(to && { to }) };
}

/** The values with a range that ends now: relative where the endpoint accepts that, so that a link to it stays one to now. */
export function lastRange({ from, to }: RangeParameters, values: Values, seconds: number, now: Date): Values {
  const end = to?.required ? timeOf(to, now, 0) : undefined;
  return withEnds({ from, ...(to && { to }) }, values, timeOf(from, now, seconds), end);
}

function timeOf({ relativeStep }: Parameter, now: Date, secondsAgo: number): string {
  if (relativeStep === undefined || relativeStep > Math.max(secondsAgo, 60))
    // To the minute: equal presses make equal requests, which the cache answers.
    return iso(Math.floor(now.getTime() / 60_000) * 60_000 - secondsAgo * 1000);
  return secondsAgo === 0 ? 'now' : `now-${secondsAgo}s`;
}

/** The values with the range before or after theirs, as long as theirs; undefined where theirs is not known. */
export function movedRange(
  parameters: RangeParameters,
  values: Values,
  direction: -1 | 1,
  now: Date,
): Values | undefined {
  const { from, to } = parameters;
  const start = readTime(values[from.name], now);
  const end = to && values[to.name] !== undefined ? readTime(values[to.name], now) : now.getTime();
  if (!to || start === undefined || end === undefined || end <= start) return undefined;
  const by = direction * (end - start);
  return withEnds(parameters, values, iso(start + by), iso(end + by));
}

/** The values with a range between two times, in seconds since 1970; undefined where the endpoint has no end of a range. */
export function rangeBetween(
  parameters: RangeParameters,
  values: Values,
  from: number,
  to: number,
): Values | undefined {
  if (!parameters.to) return undefined;
  return withEnds(parameters, values, iso(Math.floor(from) * 1000), iso(Math.ceil(to) * 1000));
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

const iso = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** Milliseconds since 1970 of `now`, `now-15m` or a time in ISO 8601; undefined of anything else. */
function readTime(text: string | undefined, now: Date): number | undefined {
  const [isRelative, count, unit = ''] = /^now(?:-(\d+)([smhdw]))?$/.exec(text ?? '') ?? [];
  if (isRelative !== undefined) return now.getTime() - Number(count ?? 0) * (UNITS[unit] ?? 0) * 1000;
  return readIsoTime(text);
}

/** Milliseconds since 1970 of a time in ISO 8601, in UTC where it has no zone; undefined of anything else. */
export function readIsoTime(text = ''): number | undefined {
  if (!/^\d{4}-\d\d-\d\d/.test(text)) return undefined;
  const at = Date.parse(text.replace(' ', 'T').replace(/(T[\d:.]+)$/, '$1Z'));
  return Number.isNaN(at) ? undefined : at;
}
