import Joi from 'joi';

import {
  EARLIEST,
  formatClickHouseTimestamp,
  LATEST,
  parseIsoTimestamp,
  type SubMicrosecond,
} from '../iso-timestamp.js';
import { must, validIf } from '../schema-problems.js';
import type { TypeName } from '../type-name.js';
import { declareParameter } from './declare-parameter.js';
import type { Kind } from './kind.js';
import {
  ANY_TEXT,
  WITHOUT_NUL,
  type Parameter,
  type ParameterOptions,
  type ValidationContext,
} from './parameter.js';
import { isRelativeTime, parseDuration, resolveRelativeTime, stepAt } from './relative-time.js';

/** What a timestamp is declared with. */
export interface TimestampOptions extends ParameterOptions {
  /**
   * How a fraction finer than the type is rounded: `ceil` for a bound compared with `>=`, `floor` (the default) for `>`
   * and `<=`.
   */
  readonly subMicrosecond?: SubMicrosecond;
  /** ISO 8601, inclusive. */
  readonly minimum?: string;
  /** ISO 8601, inclusive. */
  readonly maximum?: string;
  /**
   * Accepts relative times, such as `now-7d` and `now/d`. Their "now" is rounded down to a multiple of this duration, such as
   * `5m`, so that all requests within it share a cached result.
   */
  readonly relativeStep?: string;
}

const INVALID =
  'must be an ISO 8601 timestamp between 1900 and 2299, such as 2026-05-17, 2026-05-17 10:05:03 or ' +
  '2026-05-17T10:05:03.123456+02:00 (in a URL a + is written %2B)';
/** The timestamps of RFC 3339, which the format in the API's documentation means, with the years that are valid. */
const FORM =
  '^(19|2[0-2])[0-9]{2}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-5][0-9]([.][0-9]{1,30})?([Zz]|[+-][0-9]{2}:[0-9]{2})$';
const OR_RELATIVE = ', or a relative time, such as now-7d or now/d';

const bound = must(
  'an ISO 8601 timestamp',
  Joi.string().custom(validIf((text: string) => parseIsoTimestamp(text) !== undefined)),
);

export const TIMESTAMP: Kind<TimestampOptions> = {
  name: 'timestamp',
  options: {
    subMicrosecond: must('"floor" or "ceil"', Joi.valid('floor', 'ceil')),
    minimum: bound,
    maximum: bound,
    relativeStep: must(
      'a duration of seconds, minutes, hours, days or weeks, such as 5m',
      Joi.string().custom(validIf((text: string) => parseDuration(text) !== undefined)),
    ),
  },
  empty: ['omitted', 'problem'],
  type: () => "DateTime64(6, 'UTC')",
  types: 'DateTime or DateTime64, in UTC',
  accepts: (type) => /^DateTime(?:64|32)?$/.test(type.name) && isUtc(type),
  rules: (options, types) => {
    const { subMicrosecond, relativeStep = '' } = options;
    const stepMs = parseDuration(relativeStep);
    const digits = Math.min(...types.map(digitsOf));
    const [least, greatest] = rangeOf(options, types);
    return {
      isContradictory: least > greatest,
      parse: (text, { now, zone }) => {
        const micros =
          (stepMs === undefined ? undefined : relativeMicros(text, { now, zone }, stepMs)) ??
          parseIsoTimestamp(text, subMicrosecond);
        if (micros === undefined) return { problem: INVALID + (stepMs === undefined ? '' : OR_RELATIVE) };
        const rounded = roundTo(micros, digits, subMicrosecond);
        return rounded < least || rounded > greatest
          ? { problem: `must be between ${isoOf(least)} and ${isoOf(greatest)}` }
          : { value: formatClickHouseTimestamp(rounded, digits) };
      },
      format: 'date-time',
      jsonSchema: {
        // A relative time has no format that JSON Schema knows.
        ...(stepMs === undefined ? { type: 'string', format: 'date-time' } : ANY_TEXT),
        examples: [
          ...(stepMs === undefined ? [] : ['now-7d', 'now/d']),
          '2026-05-17T10:05:03.123456Z',
          '2026-05-17T12:05:03+02:00',
        ],
      },
      limits: stepMs === undefined ? { pattern: FORM } : WITHOUT_NUL,
      syntax: rangeNote(least, greatest),
      ...(stepMs !== undefined && {
        relativeStepMs: stepMs,
        syntax: `${rangeNote(least, greatest)} Also relative to now, rounded down to ${relativeStep}: now-7d, now-1M/M, now/d; units s, m, h, d, w, M, y, of the calendar in the time zone that the call has as a parameter, else in UTC.`,
      }),
    };
  },
};

/**
 * An ISO 8601 timestamp; without a zone it is in UTC.
 *
 * @example
 * ```ts
 * timestamp({ description: 'Only rows at or after this time.', relativeStep: '1m', default: 'now-1d' })
 * ```
 */
export function timestamp(options: TimestampOptions): Parameter<string> {
  return declareParameter(TIMESTAMP, options);
}

/** @returns microseconds since 1970; undefined where the text is not a relative time, or the time is outside of every range */
function relativeMicros(text: string, { now, zone }: ValidationContext, stepMs: number): bigint | undefined {
  if (!isRelativeTime(text)) return undefined;
  const zoneOfCall = zone?.();
  const time = resolveRelativeTime(text, stepAt(now.getTime(), stepMs, zoneOfCall).start, zoneOfCall);
  return time === undefined || Number.isNaN(time) ? undefined : BigInt(time) * 1000n;
}

/** A time zone that is not UTC would give the text, which is in UTC, another meaning. */
function isUtc({ name, args }: TypeName): boolean {
  const [zone = "'UTC'"] = name === 'DateTime64' ? args.slice(1) : args;
  const precision = name === 'DateTime64' ? (args[0] ?? '3') : '0';
  return zone === "'UTC'" && /^\d$/.test(precision);
}

const digitsOf = ({ name, args }: TypeName): number =>
  name === 'DateTime64' ? Math.min(Number(args[0] ?? 3), 6) : 0;

function rangeOf(
  { minimum, maximum }: TimestampOptions,
  types: readonly TypeName[],
): readonly [bigint, bigint] {
  const isShort = types.some(({ name }) => name !== 'DateTime64');
  const [first, last] = isShort ? [0n, (2n ** 32n - 1n) * 1_000_000n] : [EARLIEST, latestOf(types)];
  const [least = first, greatest = last] = [minimum, maximum].map((text) =>
    text === undefined ? undefined : parseIsoTimestamp(text),
  );
  return [least > first ? least : first, greatest < last ? greatest : last];
}

/** ClickHouse counts the units of a DateTime64 in 64 bits: nanoseconds end in 2262. */
function latestOf(types: readonly TypeName[]): bigint {
  const isNanoseconds = types.some(({ name, args }) => name === 'DateTime64' && args[0] === '9');
  return isNanoseconds ? (2n ** 63n - 1n) / 1000n : LATEST;
}

function roundTo(micros: bigint, digits: number, direction: SubMicrosecond = 'floor'): bigint {
  const unit = 10n ** BigInt(6 - digits);
  const rest = ((micros % unit) + unit) % unit;
  if (rest === 0n) return micros;
  return micros - rest + (direction === 'ceil' ? unit : 0n);
}

const isoOf = (micros: bigint): string => `${formatClickHouseTimestamp(micros, 0).replace(' ', 'T')}Z`;

const rangeNote = (least: bigint, greatest: bigint): string =>
  `From ${isoOf(least)} to ${isoOf(greatest)}. A date alone, or a time without zone, is in UTC.`;
