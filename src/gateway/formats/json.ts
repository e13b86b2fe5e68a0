import { cutResult, joinResults } from './cut-result.js';
import { TEXT, type RowFormat } from './format.js';
import { jsonRow, RESULT_END, RESULT_START, ROW_SEPARATOR, templateFormat } from './template-format.js';

/** `{"result":[{…},…]}` */
export const json: RowFormat = {
  ...TEXT,
  mediaType: 'application/json',
  contentType: 'application/json; charset=utf-8',
  extension: 'json',
  values: 'json',
  clickHouseFormat: templateFormat,
  cut: (body, { rowCap }) => cutResult(body, rowCap),
  join: joinResults,
  exportRows: (columns) => ({
    row: jsonRow(columns),
    separator: ROW_SEPARATOR,
    start: RESULT_START,
    end: () => RESULT_END,
  }),
  describeBody: (list) => ({
    type: 'object',
    required: ['result'],
    properties: { result: list },
    additionalProperties: false,
  }),
};
