import { FORMAT_NAMES } from '../../../../src/gateway/formats/formats.js';
import { representationOf, REPRESENTATIONS } from '../../../../src/gateway/formats/representation.js';

describe('REPRESENTATIONS', () => {
  it('has every format under its name', () => {
    expect([...REPRESENTATIONS.keys()]).toEqual(expect.arrayContaining([...FORMAT_NAMES]));
  });

  it('keeps these names, because cache keys contain them', () => {
    const names = [
      'arrow',
      'csv',
      'csv;formula-safe',
      'csv;unix-micros',
      'csv;unix-micros;formula-safe',
      'json',
      'json-table',
      'json-table;text-numbers',
      'json-table;unix-micros',
      'json-table;unix-micros;text-numbers',
      'json;text-numbers',
      'json;unix-micros;text-numbers',
      'json;unix-micros',
      'ndjson',
      'ndjson;text-numbers',
      'ndjson;unix-micros',
      'ndjson;unix-micros;text-numbers',
      'parquet',
      'prometheus',
      'tsv',
      'tsv;unix-micros',
    ];
    expect([...REPRESENTATIONS.keys()]).toEqual(expect.arrayContaining(names));
    expect(REPRESENTATIONS.size).toBe(names.length);
  });
});

describe('representationOf', () => {
  it('returns the same representation for options that make no difference', () => {
    expect(representationOf('parquet', { times: 'unix-micros', numbers: 'text', formulaSafe: true })).toBe(
      representationOf('parquet'),
    );
    expect(representationOf('json', { formulaSafe: true })).toBe(representationOf('json'));
  });

  it.each(FORMAT_NAMES)('returns ISO times without formula protection by default: %s', (format) => {
    expect(representationOf(format)).toMatchObject({ format, times: 'iso', formulaSafe: false });
  });
});
