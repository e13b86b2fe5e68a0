/** Microseconds since 1970-01-01T00:00:00Z. */
export type Micros = bigint;

export const SECOND: Micros = 1_000_000n;
export const MINUTE: Micros = 60n * SECOND;
export const HOUR: Micros = 60n * MINUTE;
export const DAY: Micros = 24n * HOUR;

/** Parses `YYYY-MM-DDThh:mm:ss[.ffffff]Z`. */
export function microsOf(iso: string): Micros {
  const [whole = '', fraction = ''] = iso.replace(/Z$/, '').split('.');
  return BigInt(Date.parse(`${whole}Z`)) * 1000n + BigInt(fraction.padEnd(6, '0'));
}

/** Makes a gateway clock that stands at a time, in whole milliseconds. */
export function clockAt(time: Micros): Date {
  return new Date(Number(time / 1000n));
}

/** Returns the last multiple of a unit at or before a time after 1970. */
export function startOf(unit: Micros, time: Micros): Micros {
  return time - (time % unit);
}

/** Prints a bucket as results do: `2096-03-01T00:00:00Z`. */
export function printSeconds(time: Micros): string {
  return `${clockAt(time).toISOString().slice(0, 19)}Z`;
}

/** Prints a record's time as results and log shippers do: `2096-03-01T00:00:00.000001Z`. */
export function printMicros(time: Micros): string {
  const fraction = (time % SECOND).toString().padStart(6, '0');
  return `${clockAt(time).toISOString().slice(0, 19)}.${fraction}Z`;
}

/** A caller's time bound: its text, and its value in nanoseconds (records have microseconds). */
export interface Bound {
  readonly text: string;
  /** Nanoseconds since 1970. */
  readonly nanos: bigint;
}

/** Whether a record is at or after a bound, or at or before it; an omitted bound accepts every record. */
export function isWithin(time: Micros, from: Bound | undefined, to: Bound | undefined): boolean {
  const nanos = time * 1000n;
  return (from === undefined || nanos >= from.nanos) && (to === undefined || nanos <= to.nanos);
}
