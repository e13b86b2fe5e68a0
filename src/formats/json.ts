import { cutResult } from './cut-result.js';
import type { RowFormat } from './format.js';
import { templateFormat } from './template-format.js';

/** `{"result":[{…},…]}` */
export const json: RowFormat = {
  mediaType: 'application/json',
  contentType: 'application/json; charset=utf-8',
  extension: 'json',
  isText: true,
  isCompressible: true,
  hasTypedTimes: false,
  hasFormulas: false,
  values: 'json',
  clickHouseFormat: templateFormat,
  cut: (body, { rowCap }) => cutResult(body, rowCap),
  describeBody: ({ list }) => ({
    type: 'object',
    required: ['result'],
    properties: { result: list },
    additionalProperties: false,
  }),
};
