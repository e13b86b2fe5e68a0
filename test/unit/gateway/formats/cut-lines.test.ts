import fc from 'fast-check';

import { cutLines, FormulaDisarmer } from '../../../../src/gateway/formats/cut-lines.js';

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const csvOf = (rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => `${cells.map(quoted).join(',')}\r\n`).join('');
const cells = fc.array(fc.string({ unit: fc.constantFrom('"', '\n', '\r', ',', '=', 'a', '-', 'é') }), {
  minLength: 2,
  maxLength: 2,
});

describe('cutLines', () => {
  it('returns exactly the header and the first rows of CSV, whatever the cells contain', () => {
    fc.assert(
      fc.property(fc.array(cells, { maxLength: 6 }), fc.integer({ min: 1, max: 7 }), (rows, cap) => {
        const header = ['a', 'b'];
        const cut = cutLines(Buffer.from(csvOf([header, ...rows])), cap, true);
        expect(cut.body.toString()).toBe(csvOf([header, ...rows.slice(0, cap)]));
        expect([cut.rowCount, cut.rowsReceived]).toEqual([Math.min(cap, rows.length), rows.length]);
        expect(cut.truncated).toBe(rows.length > cap);
      }),
    );
  });

  it('ignores quotes in TSV', () => {
    const cut = cutLines(Buffer.from('a\n"\n"\n'), 1, false);
    expect([cut.body.toString(), cut.rowsReceived, cut.truncated]).toEqual(['a\n"\n', 2, true]);
  });

  it.each(['', 'a', '"a"\r\n1', '"a"\r\n"x', '<html></html>'])('rejects %j as incomplete', (text) => {
    expect(() => cutLines(Buffer.from(text), 10, true)).toThrow('not complete');
  });
});

describe('FormulaDisarmer', () => {
  it('puts an apostrophe before each text that begins like a formula, and changes nothing else', () => {
    fc.assert(
      fc.property(fc.array(cells, { maxLength: 6 }), (rows) => {
        const safe = rows.map((row) => row.map((cell) => (/^[=\-\r\n]/.test(cell) ? `'${cell}` : cell)));
        expect(new FormulaDisarmer().disarm(Buffer.from(csvOf(rows))).toString()).toBe(csvOf(safe));
      }),
    );
  });

  it('does not change numbers and nulls', () => {
    const csv = '"a","b"\r\n-1,\r\n,-2.5\r\n';
    expect(new FormulaDisarmer().disarm(Buffer.from(csv)).toString()).toBe(csv);
  });
});
