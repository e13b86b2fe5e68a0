import { declareParameter } from './declare-parameter.js';
import type { Kind } from './kind.js';
import type { Parameter, ParameterOptions } from './parameter.js';

const PROBLEM = 'must be a time zone of the IANA database, such as Europe/Berlin or UTC';

/** Zones that are newer than ClickHouse's copy of the IANA database. A test with ClickHouse keeps the list complete. */
const TOO_NEW: ReadonlySet<string> = new Set(['America/Coyhaique']);

export const TIMEZONE: Kind = {
  name: 'timezone',
  options: {},
  empty: ['omitted', 'problem'],
  type: () => 'String',
  types: 'String',
  accepts: ({ name }) => name === 'String',
  rules: () => ({
    parse: (text) => {
      const value = canonicalName(text);
      return value === undefined ? { problem: PROBLEM } : { value };
    },
    format: 'timezone',
    syntax: 'A name of the IANA time zone database.',
    jsonSchema: { type: 'string', maxLength: 64, examples: ['Europe/Berlin', 'UTC'] },
    limits: { pattern: '^[A-Za-z][A-Za-z0-9_+/-]{1,63}$' },
  }),
};

/**
 * A time zone by its IANA name, in any letter case. ClickHouse gets the name that Node.js has for the zone.
 *
 * @example
 * ```ts
 * timezone({ description: 'Time zone of the days.', default: 'UTC' })
 * ```
 */
export function timezone(options: ParameterOptions): Parameter<string> {
  return declareParameter(TIMEZONE, options);
}

/** Canonical names of zones by their names in lower case. `Intl` takes 50 µs for each, and a list can have 13,000. */
const canonicalNames = new Map<string, string>();

/** The name for ClickHouse, which is case-sensitive and does not know offsets such as `+02:00`, which `Intl` accepts. */
function canonicalName(text: string): string | undefined {
  if (!/^[a-z][\w+/-]{1,63}$/i.test(text)) return undefined;
  const known = canonicalNames.get(text.toLowerCase());
  if (known !== undefined) return known;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions();
    if (TOO_NEW.has(timeZone)) return undefined;
    canonicalNames.set(text.toLowerCase(), timeZone);
    return timeZone;
  } catch {
    return undefined;
  }
}
