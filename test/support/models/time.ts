/** Microseconds since 1970-01-01T00:00:00Z. */
export type Micros = bigint;

export const SECOND: Micros = 1_000_000n;
export const MINUTE: Micros = 60n * SECOND;
export const HOUR: Micros = 60n * MINUTE;
export const DAY: Micros = 24n * HOUR;

/** Reads `YYYY-MM-DDThh:mm:ss[.ffffff]Z`. */
export function microsOf(iso: string): Micros {
  const [whole = '', fraction = ''] = iso.replace(/Z$/, '').split('.');
  return BigInt(Date.parse(`${whole}Z`)) * 1000n + BigInt(fraction.padEnd(6, '0'));
}

/** The gateway's clock at a time, which it reads to the millisecond. */
export function clockAt(time: Micros): Date {
  return new Date(Number(time / 1000n));
}

/** The last multiple of a unit at or before a time after 1970. */
export function startOf(unit: Micros, time: Micros): Micros {
  return time - (time % unit);
}

/** `2096-03-01T00:00:00Z`, as a bucket stands in an answer. */
export function printSeconds(time: Micros): string {
  return `${clockAt(time).toISOString().slice(0, 19)}Z`;
}

/** `2096-03-01T00:00:00.000001Z`, as a record's time stands in an answer and in what a shipper sends. */
export function printMicros(time: Micros): string {
  const fraction = (time % SECOND).toString().padStart(6, '0');
  return `${clockAt(time).toISOString().slice(0, 19)}.${fraction}Z`;
}

/** A caller's time bound: its text, and what it means, finer than any record is. */
export interface Bound {
  readonly text: string;
  /** Nanoseconds since 1970. */
  readonly nanos: bigint;
}

/** Whether a record is at or after a bound, or at or before it; an omitted bound lets every record pass. */
export function isWithin(time: Micros, from: Bound | undefined, to: Bound | undefined): boolean {
  const nanos = time * 1000n;
  return (from === undefined || nanos >= from.nanos) && (to === undefined || nanos <= to.nanos);
}
