/** How a fraction finer than a microsecond is rounded: a lower bound keeps its meaning only if it is rounded up. */
export type SubMicrosecond = 'floor' | 'ceil';

const PATTERN =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,30}))?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

/** The range of ClickHouse's `DateTime64(6, 'UTC')`, in microseconds since 1970. */
export const EARLIEST = BigInt(Date.UTC(1900, 0, 1)) * 1000n;
export const LATEST = BigInt(Date.UTC(2300, 0, 1)) * 1000n - 1n;

/**
 * Reads an ISO 8601 date, or date and time, with or without seconds, a fraction and a zone (none means UTC).
 *
 * @returns microseconds since 1970-01-01T00:00:00Z; undefined where the text is not a timestamp, or its year is not one
 * from 1900 to 2299, which ClickHouse can store.
 */
export function parseIsoTimestamp(
  text: string,
  subMicrosecond: SubMicrosecond = 'floor',
): bigint | undefined {
  const match = PATTERN.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = match;
  const milliseconds = utcMilliseconds(`${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`);
  const offset = zoneOffsetMinutes(zone);
  if (milliseconds === undefined || offset === undefined) return undefined;
  const micros =
    BigInt(milliseconds - offset * 60_000) * 1000n + fractionMicroseconds(fraction, subMicrosecond);
  return micros >= EARLIEST && micros <= LATEST ? micros : undefined;
}

/**
 * `YYYY-MM-DD hh:mm:ss.ffffff` in UTC: the form in which ClickHouse reads a `DateTime64(6, 'UTC')` parameter.
 *
 * @param digits of the fraction, 0 to 6; the rest is cut.
 */
export function formatClickHouseTimestamp(micros: bigint, digits = 6): string {
  const seconds = micros / 1_000_000n - (micros % 1_000_000n < 0n ? 1n : 0n);
  const fraction = (micros - seconds * 1_000_000n).toString().padStart(6, '0');
  const [date, time] = new Date(Number(seconds) * 1000).toISOString().slice(0, 19).split('T');
  return `${date} ${time}${digits === 0 ? '' : `.${fraction.slice(0, digits)}`}`;
}

/** Rejects dates that `Date` would roll over, such as February 30th or 24:00. */
function utcMilliseconds(iso: string): number | undefined {
  const milliseconds = Date.parse(iso);
  if (Number.isNaN(milliseconds)) return undefined;
  return new Date(milliseconds).toISOString() === iso ? milliseconds : undefined;
}

function zoneOffsetMinutes(zone: string): number | undefined {
  if (zone.toUpperCase() === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(':', '') || '0');
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

function fractionMicroseconds(fraction: string, subMicrosecond: SubMicrosecond): bigint {
  const micros = BigInt(fraction.slice(0, 6).padEnd(6, '0'));
  const finer = /[1-9]/.test(fraction.slice(6));
  return finer && subMicrosecond === 'ceil' ? micros + 1n : micros;
}
