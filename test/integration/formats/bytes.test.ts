import { column, jsonColumn } from '../../../src/endpoint/definition.js';
import { FORMAT_NAMES } from '../../../src/gateway/formats/formats.js';
import { EVERY_ROW_READER } from '../../../src/endpoint/figures.js';
import { useFormatQueries } from '../../support/fetch-format.js';
import { readRows } from '../../support/read-formats.js';

const { fetchFormat } = useFormatQueries();

describe('a text with characters that programs take for the end of a line', () => {
  const LINES = 'a\u0085b\u2028c\u2029d';
  const query = `SELECT 'a\u0085b\u2028c\u2029d' AS text, '{"raw":"a\u0085b\u2028c"}' AS metadata`;
  const columns = new Map([
    ['text', column('String', 'A text.')],
    ['metadata', jsonColumn('JSON text.')],
  ]);

  it.each(['json', 'json-table', 'ndjson'] as const)('has escapes for them as %s', async (format) => {
    const { body } = await fetchFormat(format, query, { columns });
    expect(body.toString()).not.toMatch(/[\u0085\u2028\u2029]/);
    expect(body.toString()).toContain(
      String.raw`{"text":"a\u0085b\u2028c\u2029d","metadata":{"raw":"a\u0085b\u2028c"}}`,
    );
    const [row] = await readRows(format, body);
    expect(row?.['text']).toBe(LINES);
  });

  it.each(['csv', 'tsv'] as const)('has them unchanged as %s', async (format) => {
    const { body } = await fetchFormat(format, query, { columns });
    expect(body.toString()).toContain(LINES);
  });
});

describe('the bytes of a body that are the same for equal rows', () => {
  it('are all but the cost as json-table, and all in every other format', async () => {
    for (const format of FORMAT_NAMES) {
      const [first, second] = await Promise.all(
        [1, 2].map(() =>
          fetchFormat(format, 'SELECT number AS n FROM numbers(3) ORDER BY n', { reader: EVERY_ROW_READER }),
        ),
      );
      const end = format === 'json-table' ? (first?.equalBytes ?? 0) : undefined;
      expect(first?.equalBytes).toBe(end);
      expect(first?.body.subarray(0, end)).toEqual(second?.body.subarray(0, end));
      if (end !== undefined) expect(first?.body.toString('utf8', end)).toMatch(/^,"statistics":/);
    }
  });
});
