import { column, jsonColumn } from '../../../../src/endpoint/definition.js';
import { templateFormat } from '../../../../src/gateway/formats/template-format.js';

const declared = new Map([
  ['city', column('String', 'A city.')],
  ['metadata', jsonColumn('The rest.')],
]);
const { settings } = templateFormat({ declared, described: [] });

describe('templateFormat', () => {
  it('writes each column as JSON under its name, and a column that contains JSON unchanged', () => {
    expect(settings).toMatchObject({
      format_template_resultset_format: '{"result":[${data}]}',
      format_template_row_format: '{"city":${city:JSON},"metadata":${metadata:Raw}}',
      format_template_rows_between_delimiter: ',\n',
    });
  });

  it('sets the options whose defaults differ between releases of ClickHouse', () => {
    expect(settings).toMatchObject({
      date_time_output_format: 'iso',
      output_format_json_quote_64bit_integers: 0,
      output_format_json_quote_denormals: 0,
    });
  });
});
