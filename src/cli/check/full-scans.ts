import type { TableEstimate } from './checked-endpoint.js';

/** A query that reads at least this share of a table's marks counts as a full scan. */
const FULL_SCAN_SHARE = 0.9;
/** Tables with fewer marks are not reported: each part has only a few granules, so all of them are read anyway. */
const TINY_MARKS = 64;

/** A warning for each table, except tiny ones, of which the query reads nearly everything. */
export function fullScans(estimate: readonly TableEstimate[]): readonly string[] {
  return estimate
    .filter(({ marks, tableMarks }) => tableMarks >= TINY_MARKS && marks >= FULL_SCAN_SHARE * tableMarks)
    .map(({ table, marks, tableMarks, rows }) => {
      const share = Math.min(100, Math.round((100 * marks) / tableMarks));
      return `full scan: the example reads ${share} % of ${table} (${marks} of ${tableMarks} marks, about ${rows.toLocaleString('en')} rows)`;
    });
}
