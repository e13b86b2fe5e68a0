import { formatOfName } from '../../../../src/commands/loading/source-format.js';

describe('formatOfName', () => {
  it.each([
    ['a.csv', 'csv'],
    ['/x.tsv/A.CSV.GZ', 'csv'],
    ['a.tsv.gz', 'tsv'],
    ['a.ndjson.gz', 'ndjson'],
    ['csv', 'ndjson'],
    ['a.csv.zip', 'ndjson'],
    ['-', 'ndjson'],
  ])('%s is %s', (name, format) => {
    expect(formatOfName(name)).toBe(format);
  });
});
