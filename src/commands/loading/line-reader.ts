import { CsvReader } from './csv-reader.js';
import { LineSplitter, type LineReader } from './line-splitter.js';
import type { Column } from './column.js';
import type { SourceFormat } from './source-format.js';

/** Reads a source of a format. @param columns of the table; absent where it does not exist yet. */
export function lineReader(format: SourceFormat = 'ndjson', columns?: readonly Column[]): LineReader {
  if (format === 'ndjson') return new LineSplitter();
  return new CsvReader({ delimiter: format === 'csv' ? ',' : '\t', ...(columns && { columns }) });
}
