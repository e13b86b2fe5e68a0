import fc from 'fast-check';

import { CsvReader, type CsvOptions } from '../../../../src/commands/loading/csv-reader.js';
import { LoadError } from '../../../../src/commands/loading/load-error.js';

const COMMA: CsvOptions = { delimiter: ',', columns: undefined };

/** Reads CSV in parts: `line: text` of each record, `line! reason` of each rejected one. */
function read(parts: readonly (string | Buffer)[], options = COMMA): readonly string[] {
  const reader = new CsvReader(options);
  const lines = [...parts.flatMap((part) => reader.push(Buffer.from(part))), ...reader.end()];
  return lines.map((one) => ('text' in one ? `${one.line}: ${one.text}` : `${one.line}! ${one.reason}`));
}

describe('CsvReader', () => {
  it('names the fields after the first line and numbers records by the line where they begin', () => {
    expect(read(['a,b\n1,2\n\n"x\n\ny",3\r\n4,5'])).toEqual([
      '2: {"a":"1","b":"2"}',
      '4: {"a":"x\\n\\ny","b":"3"}',
      '7: {"a":"4","b":"5"}',
    ]);
  });

  it('keeps the last line of a record of several lines, from which a load can be resumed', () => {
    const reader = new CsvReader(COMMA);
    expect(reader.push(Buffer.from('a,b\n"x\ny",2\n"x\ny"\n'))).toEqual([
      { line: 2, lastLine: 3, text: '{"a":"x\\ny","b":"2"}' },
      { line: 4, lastLine: 5, reason: '1 field, but the first line names 2 columns' },
    ]);
  });

  it('rejects a record with too many or too few fields, and reads the others', () => {
    expect(read(['a,b\n1\n2,3\n4,5,6\n'])).toEqual([
      '2! 1 field, but the first line names 2 columns',
      '3: {"a":"2","b":"3"}',
      '4! 3 fields, but the first line names 2 columns',
    ]);
  });

  it('rejects only the first line of a record whose quotes are malformed', () => {
    const rest = '3,4\n"5","6"\n';
    const others = ['3: {"a":"3","b":"4"}', '4: {"a":"5","b":"6"}'];
    expect(read([`a,b\n1,"2\n${rest}`])).toEqual(['2! text follows a closing quote', ...others]);
    expect(read([`a,b\n1,"2" x\n${rest}`])).toEqual(['2! text follows a closing quote', ...others]);
    expect(read([`a,b\n1,2\n${rest}7,"8\n9,0\n`]).slice(-2)).toEqual([
      '5! a quote is not closed',
      '6: {"a":"9","b":"0"}',
    ]);
  });

  it('rejects a quote that is not closed within the maximum length, and reads on after its line', () => {
    const rows = Array.from({ length: 20 }, (_, index) => `${index},x`);
    const found = read([`a,b\n0,"x\n${rows.join('\n')}\n`], { ...COMMA, maxRecordBytes: 30 });
    expect(found[0]).toBe('2! a quote is not closed: longer than 30 bytes');
    expect(found.slice(1)).toEqual(rows.map((_, index) => `${index + 3}: {"a":"${index}","b":"x"}`));
  });

  it('rejects lines that are not valid UTF-8, or too long, also in the middle of a record', () => {
    const options = { ...COMMA, maxRecordBytes: 12 };
    const invalid = Buffer.from([0x31, 0x2c, 0xff, 0x0a]);
    expect(read(['a,b\n', invalid, '1,"2\n', invalid, '3,4\n5,6666666666666\n7,8'], options)).toEqual([
      expect.stringMatching(/^2! not valid UTF-8; perhaps iconv /),
      '3! a quote is not closed',
      expect.stringMatching(/^4! not valid UTF-8; perhaps iconv /),
      '5: {"a":"3","b":"4"}',
      '6! longer than 12 bytes',
      '7: {"a":"7","b":"8"}',
    ]);
  });

  it('takes a quote inside a field without quotes as it is', () => {
    expect(read(['a,b\n5" pipe,x"y"z\n'])).toEqual([String.raw`2: {"a":"5\" pipe","b":"x\"y\"z"}`]);
  });

  it.each([
    ['a;b\n1;2,5\n', '2: {"a":"1","b":"2,5"}'],
    ['"a,x"\tb\n1\t2\n', '2: {"a,x":"1","b":"2"}'],
    ['a,b;c\n1;2,3\n', '2: {"a":"1;2","b;c":"3"}'],
    ['a;b\tc\n1\n', '2: {"a;b\\tc":"1"}'],
  ])('finds the delimiter in the first line only where it is certain: %j', (text, record) => {
    expect(read([text])).toEqual([record]);
  });

  it('removes a byte order mark and the space around names', () => {
    expect(read(['\ufeffa , "b"\n1,2\n'])).toEqual([String.raw`2: {"a":"1","\"b\"":"2"}`]);
  });

  it.each([
    ['a,\n', 'its name 2 is empty'],
    ['a,b,a\n', '`a` stands there twice'],
    ['"a,b\n1,2', 'a quote is not closed'],
    [Buffer.from([0xff, 0x0a]), 'not valid UTF-8; perhaps iconv -f WINDOWS-1252 -t UTF-8 converts the file'],
    [
      '# by x\n# at y\na,b\n',
      'it is a comment; remove the lines before the names, as grep -v "^#" FILE does',
    ],
  ])('throws where the first line does not name columns: %j', (text, reason) => {
    expect(() => read([text])).toThrow(
      new LoadError(`the first line of the file must name the columns: ${reason}`),
    );
  });

  it('takes the delimiter that Excel writes above the names, and names that begin as a comment does', () => {
    expect(read(['\ufeffsep=;\r\na,b;c\r\n1,5;2\r\n'])).toEqual([String.raw`3: {"a,b":"1,5","c":"2"}`]);
    expect(read(['# a,b\n1,2\n# 3,4\n'])).toEqual(['2: {"# a":"1","b":"2"}', '3: {"# a":"# 3","b":"4"}']);
  });

  it('reads nothing from an empty file', () => {
    expect(read(['', '\n\r\n'])).toEqual([]);
  });

  it('reads every table of texts as it was written, however the bytes are divided', () => {
    const character = fc.oneof(
      fc.constantFrom('"', ',', '\n', '\r', ';', '\t', ' ', '\\N', 'é'),
      fc.string(),
    );
    const text = fc.array(character, { maxLength: 6 }).map((parts) => parts.join(''));
    const names = fc.uniqueArray(
      text.map((name) => name.trim()).filter((name) => name !== ''),
      { minLength: 2, maxLength: 4 },
    );
    const table = names.chain((header) =>
      fc.record({
        header: fc.constant(header),
        rows: fc.array(fc.array(fc.option(text), { minLength: header.length, maxLength: header.length }), {
          maxLength: 5,
        }),
        lineBreak: fc.constantFrom('\n', '\r\n'),
        size: fc.integer({ min: 1, max: 20 }),
        delimiter: fc.constantFrom(',' as const, '\t' as const),
      }),
    );
    fc.assert(
      fc.property(table, ({ header, rows, lineBreak, size, delimiter }) => {
        const written = [header, ...rows].map((row) => row.map(quoted).join(delimiter) + lineBreak).join('');
        const bytes = Buffer.from(written);
        const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        );
        const records = read(parts, { delimiter, columns: undefined }).map((line) =>
          line.replace(/^\d+: /, ''),
        );
        const expected = rows.map((row): unknown =>
          Object.fromEntries(row.map((value, at) => [header[at] ?? '', value])),
        );
        expect(records.map((record) => JSON.parse(record) as unknown)).toEqual(expected);
      }),
    );
  });
});

/** A field as a writer of RFC 4180 writes it; null is an empty field. */
const quoted = (value: string | null): string => (value === null ? '' : `"${value.replaceAll('"', '""')}"`);
