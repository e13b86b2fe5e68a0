import type { TableRead } from './checked-endpoint.js';

/** Fraction of a table's granules from which a query that reads them counts as a full scan. */
const FULL_SCAN_SHARE = 0.9;
/**
 * Tables with fewer granules are not reported: half a million rows with ClickHouse's granules of 8,192 rows, which it reads in
 * milliseconds. Each part has only a few granules there, so all of them are read anyway.
 */
const TINY_GRANULES = 64;

/** A warning for each table, except tiny ones, that the query reads nearly completely. */
export function fullScans(tables: readonly TableRead[]): readonly string[] {
  return (
    tables
      // Each of several reads can be a full scan, or all together.
      .filter(({ reads, granules: { read, of } }) => {
        const whole = of / reads;
        return whole >= TINY_GRANULES && read >= FULL_SCAN_SHARE * whole;
      })
      .map(({ table, granules: { read, of }, rows }) => {
        const share = Math.min(100, Math.round((100 * read) / of));
        return (
          `full scan: the example reads ${share} % of ${table} (${read} of ${of} granules, about ${rows.toLocaleString('en')} rows). ` +
          'Filter the first columns of its sorting key or its partition key, or cache the result for longer'
        );
      })
  );
}
