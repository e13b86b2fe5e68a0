import type { TableEstimate } from './checked-endpoint.js';

/** A query that is to read less of a table than this makes some use of its order. */
const NEARLY_ALL = 0.9;
/** Below that a table is read as a whole whatever its order: it is a few granules for each of its parts. */
const TINY_MARKS = 64;

/** A warning for each table that is not tiny, and that the query reads nearly all of. */
export function fullScans(estimate: readonly TableEstimate[]): readonly string[] {
  return estimate
    .filter(({ marks, tableMarks }) => tableMarks >= TINY_MARKS && marks >= NEARLY_ALL * tableMarks)
    .map(({ table, marks, tableMarks, rows }) => {
      const share = Math.min(100, Math.round((100 * marks) / tableMarks));
      return `full scan: the example reads ${share} % of ${table} (${marks} of ${tableMarks} marks, about ${rows.toLocaleString('en')} rows)`;
    });
}
