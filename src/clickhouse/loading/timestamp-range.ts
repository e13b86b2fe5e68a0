/** Documented range of `DateTime64(6)`, the years 1900 to 2299, in microseconds since 1970. */
const EARLIEST = BigInt(Date.UTC(1900, 0, 1)) * 1000n;
const LATEST = BigInt(Date.UTC(2300, 0, 1)) * 1000n - 1n;

/** The longest retention: the TTL of the tables (clickhouse-schema/) drops older rows. */
export const RETENTION_DAYS = 90;

/**
 * Whether ClickHouse can store a time, in microseconds since 1970. It reads other times too (up to the year 9999, and
 * any integer), but prints and compares them incorrectly.
 */
export function isInRange(micros: bigint | number): boolean {
  return micros >= EARLIEST && micros <= LATEST;
}

/** The time before which rows are dropped, in microseconds since 1970. */
export function oldestRetained(now: Date): bigint {
  return toMicroseconds(now) - BigInt(RETENTION_DAYS) * 86_400_000_000n;
}

/** Microseconds since 1970. */
export function toMicroseconds(time: Date): bigint {
  return BigInt(time.getTime()) * 1000n;
}
