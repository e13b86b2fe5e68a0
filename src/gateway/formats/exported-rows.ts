import type { QueryCost } from '../../endpoint/limit-rules.js';
import type { ClickHouseFormat, ExportedRows, FormattedColumns } from './format.js';
import { withValues } from './value-settings.js';

/** What ClickHouse reports in the last line of an export. */
export interface ReportedFigures {
  readonly rowCount: number;
  readonly cost: QueryCost;
}

/** Maximum bytes of the last line: the mark, three integers of 64 bits, and a number of seconds. */
export const MAX_LAST_LINE = 256;

/**
 * ClickHouse's format of an export: the rows, and a last line with the cost of the query. The line begins with a mark that no row
 * contains by chance, so that it also proves that every row was received.
 *
 * @param mark letters and digits, random for each export
 */
export function exportFormat(
  columns: FormattedColumns,
  { row, separator, settings }: ExportedRows,
  mark: string,
): ClickHouseFormat {
  const figures = ['rows', 'rows_read', 'bytes_read', 'time'].map((name) => `\${${name}:Escaped}`);
  return {
    name: 'Template',
    settings: withValues(
      {
        format_template_resultset_format: `\${data}\n${mark} ${figures.join(' ')}`,
        format_template_row_format: row,
        format_template_rows_between_delimiter: separator,
        ...settings,
      },
      columns,
    ),
  };
}

/** Splits the rows from the last line; undefined where the text does not end with one. */
export function splitLastLine(
  text: Buffer,
  mark: string,
): { readonly rows: Buffer; readonly figures: ReportedFigures } | undefined {
  const at = text.lastIndexOf(`\n${mark} `);
  if (at === -1) return undefined;
  const found = /^\w+ (\d+) (\d+) (\d+) ([\d.e+-]+)$/.exec(text.toString('latin1', at + 1));
  if (!found) return undefined;
  const [rowCount = 0, rowsRead = 0, bytesRead = 0, seconds = 0] = found.slice(1).map(Number);
  return {
    rows: text.subarray(0, at),
    figures: { rowCount, cost: { rowsRead, bytesRead, clickhouseMs: seconds * 1000 } },
  };
}

/** Ends a text of lines: each row ends with a separator, the last one too. */
export const endOfLines =
  (separator: string): ExportedRows['end'] =>
  ({ rowCount }) =>
    rowCount > 0 ? separator : '';
