import Joi from 'joi';

import { asRecord } from './as-record.js';
import type { DefinitionProblem } from './definition-error.js';
import { parseIsoTimestamp } from './iso-timestamp.js';
import { problem } from './problems.js';
import { must, withFound } from './schema-problems.js';

/** What an author declares of an endpoint that callers should leave. Times are ISO 8601, and UTC where they name no zone. */
export interface DeprecationRules {
  /** From when on callers should leave it; may be in the future. */
  readonly since: string;
  /** When the endpoint may be removed; absent: not decided. */
  readonly sunset?: string;
  /** Name of the endpoint to call instead. */
  readonly successor?: string;
}

/** The deprecation of an endpoint; times are milliseconds since 1970. */
export interface Deprecation {
  readonly since: number;
  readonly sunset?: number;
  readonly successor?: string;
}

const TIME = Joi.string().custom((text: string, { error }) =>
  parseIsoTimestamp(text) === undefined ? error('any.invalid') : text,
);

/** The schema of {@link DeprecationRules}. */
export const DEPRECATION_RULES = must(
  'an object with since (a date such as 2026-11-30), and perhaps sunset (a date) and successor (a name)',
  Joi.object({
    since: must('a date such as 2026-11-30', TIME.required()),
    sunset: must('a date such as 2027-05-31', TIME),
    successor: must('the name of an endpoint', Joi.string()),
  }),
);

/** @param rules valid */
export function readDeprecation({ since, sunset, successor }: DeprecationRules): Deprecation {
  return {
    since: millisecondsOf(since) ?? 0,
    ...(sunset !== undefined && { sunset: millisecondsOf(sunset) ?? 0 }),
    ...(successor !== undefined && { successor }),
  };
}

/** The mistakes in a deprecation that its schema does not find. RFC 9745, 4: an endpoint is not gone before it is deprecated. */
export function problemsOfDeprecation(definition: unknown): readonly DefinitionProblem[] {
  const { name, deprecated } = asRecord(definition);
  const { since, sunset, successor } = asRecord(deprecated);
  const begins = millisecondsOf(since);
  const ends = millisecondsOf(sunset);
  const invalid = (key: string, value: unknown, expected: string): DefinitionProblem => {
    const path = ['deprecated', key];
    return { path, ...problem('VALUE_INVALID', path.join('.'), withFound(value, expected)) };
  };
  return [
    ...(begins !== undefined && ends !== undefined && ends < begins
      ? [invalid('sunset', sunset, 'must not be before deprecated.since')]
      : []),
    ...(successor !== undefined && successor === name
      ? [invalid('successor', successor, 'must be another endpoint')]
      : []),
  ];
}

/** What of an endpoint its deprecation concerns. */
export interface Deprecable {
  readonly deprecated?: Deprecation;
  readonly settings: { readonly goneAfterSunset?: boolean };
}

/**
 * Whether calls of an endpoint are rejected, because its sunset is over.
 *
 * @param now milliseconds since 1970.
 */
export function isGone(
  { deprecated, settings: { goneAfterSunset = false } }: Deprecable,
  now: number,
): boolean {
  return deprecated?.sunset !== undefined && deprecated.sunset <= now && goneAfterSunset;
}

/** A deprecation as lists show it. */
export interface DescribedDeprecation {
  /** ISO 8601, as the next one. */
  readonly since: string;
  readonly sunset: string | undefined;
  readonly successor: string | undefined;
  readonly goneAfterSunset: boolean;
}

/** The deprecation of an endpoint, where it has one. */
export function describeDeprecation({ deprecated, settings }: Deprecable): DescribedDeprecation | undefined {
  if (!deprecated) return undefined;
  const { since, sunset, successor } = deprecated;
  return {
    since: new Date(since).toISOString(),
    sunset: sunset === undefined ? undefined : new Date(sunset).toISOString(),
    successor,
    goneAfterSunset: settings.goneAfterSunset === true,
  };
}

/** What a reader has to know of a deprecated endpoint, with a space at the end; empty for any other. */
export function deprecationNote(
  deprecated: DescribedDeprecation | undefined,
  nameOf = (name: string): string => name,
): string {
  if (!deprecated) return '';
  const { since, sunset, successor, goneAfterSunset } = deprecated;
  const until =
    sunset === undefined
      ? ''
      : `, ${goneAfterSunset ? 'removed as of' : 'may be removed as of'} ${dayIn(sunset)}`;
  const advice = successor === undefined ? '' : `: use ${nameOf(successor)}`;
  return `Deprecated as of ${dayIn(since)}${until}${advice}. `;
}

const dayIn = (iso: string): string => iso.slice(0, 10);

function millisecondsOf(text: unknown): number | undefined {
  const micros = typeof text === 'string' ? parseIsoTimestamp(text) : undefined;
  return micros === undefined ? undefined : Number(micros / 1000n);
}
