import { cutLines, FormulaDisarmer, joinLines } from './cut-lines.js';
import { endOfLines } from './exported-rows.js';
import { TEXT, type RowFormat } from './format.js';
import { reference } from './template-format.js';
import { withValues } from './value-settings.js';

const LINE_END = '\r\n';

const VALUES = {
  format_csv_delimiter: ',',
  // Text is always quoted: "" is the empty text, and an empty field is null.
  format_csv_null_representation: '',
};

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
    settings: withValues({ ...VALUES, output_format_csv_crlf_end_of_line: 1 }, columns),
  }),
  cut: (body, { rowCap, formulaSafe }) => {
    const cut = cutLines(body, rowCap, true);
    return formulaSafe ? { ...cut, body: new FormulaDisarmer().disarm(cut.body) } : cut;
  },
  join: (bodies) => joinLines(bodies, true),
  exportRows: ({ described }) => {
    const names = described.map(({ name }) => `"${name.replaceAll('"', '""')}"`);
    return {
      row: described.map(({ name }) => `\${${reference(name)}:CSV}`).join(','),
      separator: LINE_END,
      start: `${names.join(',')}${LINE_END}`,
      end: endOfLines(LINE_END),
      settings: VALUES,
    };
  },
  describeBody: () => ({ type: 'string', description: 'RFC 4180, with a header row.' }),
};
