import { cutRows } from './cut-result.js';
import { endOfLines } from './exported-rows.js';
import { TEXT, type RowFormat } from './format.js';
import { jsonRow, templateFormat } from './template-format.js';

const LINE_FEED = '\n';

/** One JSON object per line. */
export const ndjson: RowFormat = {
  ...TEXT,
  mediaType: 'application/x-ndjson',
  contentType: 'application/x-ndjson; charset=utf-8',
  extension: 'ndjson',
  values: 'json',
  clickHouseFormat: (columns) => templateFormat(columns, LINE_FEED),
  cut: (body, { rowCap }) => {
    const cut = cutRows(body, rowCap, LINE_FEED);
    const end = Buffer.from(cut.rowCount > 0 ? LINE_FEED : '');
    return { ...cut, body: Buffer.concat([cut.body, end]) };
  },
  join: (bodies) => Buffer.concat(bodies),
  exportRows: (columns) => ({
    row: jsonRow(columns),
    separator: LINE_FEED,
    start: '',
    end: endOfLines(LINE_FEED),
  }),
  describeBody: () => ({ type: 'string', description: 'One JSON object per line, one line per row.' }),
};
