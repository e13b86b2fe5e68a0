import { TIMES, type Times } from '../../formats/format.js';

/** The preferences in a `Prefer` header (RFC 7240); undefined where absent or invalid. */
export interface Preferences {
  /** How long the caller is willing to wait: `wait`. */
  readonly waitSeconds: number | undefined;
  /** Format of times in the response. */
  readonly timestamps: Times | undefined;
  /** How numbers are written in JSON, as the caller wrote it, in lower case. */
  readonly numbers: string | undefined;
  /** Whether undeclared parameters are errors: `handling=strict`. */
  readonly isStrict: boolean;
  /** Whether a result that does not come in time may be got by another request: `respond-async`. */
  readonly isAsync: boolean;
}

/** The text between commas that are not within quotes. */
const PREFERENCE = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g;

/** Whole seconds; longer numbers are ignored. */
const SECONDS = /^\d{1,9}$/;

/** Reads the header in one pass. Of several preferences with one name the first counts; parameters are ignored. */
export function readPreferences(header: string | undefined): Preferences {
  const values = valuesByName(header ?? '');
  const seconds = values.get('wait') ?? '';
  const timestamps = values.get('timestamps')?.toLowerCase();
  return {
    waitSeconds: SECONDS.test(seconds) ? Number(seconds) : undefined,
    timestamps: TIMES.find((times) => times === timestamps),
    numbers: values.get('numbers')?.toLowerCase(),
    isStrict: values.get('handling')?.toLowerCase() === 'strict',
    isAsync: values.has('respond-async'),
  };
}

function valuesByName(header: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const [preference] of header.matchAll(PREFERENCE)) {
    const [name = '', value = ''] = (preference.split(';', 1)[0] ?? '').split('=', 2);
    const key = name.trim().toLowerCase();
    if (!values.has(key)) values.set(key, value.trim().replace(/^"(.*)"$/, '$1'));
  }
  return values;
}
