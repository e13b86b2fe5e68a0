import { cutLines, disarmFormulas } from './cut-lines.js';
import { TEXT, type RowFormat } from './format.js';
import { withValues } from './value-settings.js';

/** CSV as RFC 4180 defines it, with a header row, which the media type has to announce. */
export const csv: RowFormat = {
  ...TEXT,
  mediaType: 'text/csv',
  mediaTypeParameters: 'header=present',
  contentType: 'text/csv; charset=utf-8; header=present',
  extension: 'csv',
  hasFormulas: true,
  values: 'text',
  clickHouseFormat: (columns) => ({
    name: 'CSVWithNames',
    settings: withValues(
      {
        format_csv_delimiter: ',',
        // Text is always quoted: "" is the empty text, and an empty field is null.
        format_csv_null_representation: '',
        output_format_csv_crlf_end_of_line: 1,
      },
      columns,
    ),
  }),
  cut: (body, { rowCap, formulaSafe }) => {
    const cut = cutLines(body, rowCap, true);
    return formulaSafe ? { ...cut, body: disarmFormulas(cut.body) } : cut;
  },
  describeBody: () => ({ type: 'string', description: 'RFC 4180, with a header row.' }),
};
