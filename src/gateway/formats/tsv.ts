import { cutLines } from './cut-lines.js';
import { TEXT, type RowFormat } from './format.js';
import { withValues } from './value-settings.js';

/** Fields separated by tabs, with a header row; ClickHouse escapes tabs and line feeds in values. */
export const tsv: RowFormat = {
  ...TEXT,
  mediaType: 'text/tab-separated-values',
  contentType: 'text/tab-separated-values; charset=utf-8',
  extension: 'tsv',
  values: 'text',
  clickHouseFormat: (columns) => ({
    name: 'TabSeparatedWithNames',
    settings: withValues(
      { format_tsv_null_representation: '\\N', output_format_tsv_crlf_end_of_line: 0 },
      columns,
    ),
  }),
  cut: (body, { rowCap }) => cutLines(body, rowCap, false),
  describeBody: () => ({ type: 'string', description: 'Fields separated by tabs, with a header row.' }),
};
