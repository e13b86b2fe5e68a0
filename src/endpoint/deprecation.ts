import { parseIsoTimestamp } from './iso-timestamp.js';

/**
 * What an author declares of an endpoint that callers should leave. Times are ISO 8601, and UTC where they name no zone; those of an
 * endpoint all have the form `2026-11-30T00:00:00.000Z`.
 */
export interface DeprecationRules {
  /** When the deprecation begins; may be in the future. */
  readonly since: string;
  /** When the endpoint may be removed; absent: not decided. */
  readonly sunset?: string;
  /** Name of the endpoint to call instead. */
  readonly successor?: string;
}

/** @param rules valid */
export function readDeprecation({ since, sunset, ...others }: DeprecationRules): DeprecationRules {
  const isoOf = (text: string): string => new Date(millisecondsOf(text) ?? 0).toISOString();
  return { since: isoOf(since), ...(sunset !== undefined && { sunset: isoOf(sunset) }), ...others };
}

/** What of an endpoint its deprecation concerns. */
export interface Deprecable {
  readonly deprecated?: DeprecationRules;
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
  return goneAfterSunset && deprecated?.sunset !== undefined && Date.parse(deprecated.sunset) <= now;
}

/** A deprecation as lists show it. */
interface DescribedDeprecation extends DeprecationRules {
  readonly goneAfterSunset: boolean;
}

/** The deprecation of an endpoint, where it has one. */
export function describeDeprecation({ deprecated, settings }: Deprecable): DescribedDeprecation | undefined {
  return deprecated && { ...deprecated, goneAfterSunset: settings.goneAfterSunset === true };
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

/** When an endpoint was removed, and what to do instead. @param insteadOf what to do with its successor */
export function removalNote(
  { sunset = '', successor }: Partial<DeprecationRules> = {},
  insteadOf: (successor: string) => string,
): string {
  const advice = successor === undefined ? 'It has no successor.' : `${insteadOf(successor)} instead.`;
  return `was removed on ${dayIn(sunset)}. ${advice}`;
}

const dayIn = (iso: string): string => iso.slice(0, 10);

/** Milliseconds since 1970 of a text in ISO 8601; undefined for anything else. */
export function millisecondsOf(text: unknown): number | undefined {
  const micros = typeof text === 'string' ? parseIsoTimestamp(text) : undefined;
  return micros === undefined ? undefined : Number(micros / 1000n);
}
