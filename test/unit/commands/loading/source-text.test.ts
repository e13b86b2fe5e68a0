import { LoadError } from '../../../../src/commands/loading/load-error.js';
import { describeText, jsonReader, openText } from '../../../../src/commands/loading/source-text.js';
import { chunks, drain, inChunksOf } from './streams.js';

async function opened(bytes: string | Buffer, source = 'a.csv'): Promise<string> {
  const { bytes: text } = await openText(inChunksOf(7, Buffer.from(bytes)), source);
  return Buffer.concat((await drain(text)).items).toString();
}

const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
const binary = (start: string): Buffer => Buffer.from(`${start}\0\x01\xff`, 'latin1');

describe('openText', () => {
  it('passes texts on, with line feeds where they have carriage returns only', async () => {
    expect(await opened('a,b,c\r1,2,3\r')).toBe('a,b,c\n1,2,3\n');
    expect(await opened('a\r\n"b\rc"\r\n')).toBe('a\r\n"b\rc"\r\n');
    expect(await opened('a\u001b[31m\u0001')).toBe('a\u001b[31m\u0001');
    expect(await opened('ORC,PAR1\n')).toBe('ORC,PAR1\n');
  });

  it('does not take the end of a chunk between a carriage return and its line feed for a line end', async () => {
    const long = `${'a'.repeat(64 * 1024 - 1)}\r\n`;
    const { bytes } = await openText(chunks(long), 'a.csv');
    expect(Buffer.concat((await drain(bytes)).items).toString()).toBe(long);
  });

  it('passes an error on after what came before it', async () => {
    const failure = new Error('disk');
    const { bytes } = await openText(chunks('a\n', failure), 'a.csv');
    expect(await drain(bytes)).toEqual({ items: [Buffer.from('a\n')], error: failure });
  });

  it.each([
    ['UTF-16 with a mark', utf16('\ufeffa,b\n'), 'is UTF-16, not UTF-8: iconv -f UTF-16 -t UTF-8 '],
    ['UTF-16 without a mark', utf16('a,b\n'), 'is UTF-16LE, not UTF-8: iconv -f UTF-16LE -t UTF-8 '],
    ['UTF-16 of the other order', utf16('a,b\n').swap16(), 'is UTF-16BE, not UTF-8: iconv -f UTF-16BE '],
    ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]), 'is UTF-32, not UTF-8: iconv -f UTF-32 '],
    ['a sheet', binary('PK\x03\x04'), 'is a zip archive, as .xlsx files are: '],
    ['Parquet', binary('PAR1'), `is Parquet: clickhouse local -q "SELECT * FROM file('`],
    ['zstd', binary('\x28\xb5\x2f\xfd'), 'is compressed by zstd, not gzip: zstd -dc '],
    ['gzip in gzip', binary('\x1f\x8b'), 'is compressed twice: gzip -dc '],
    ['a tar archive', Buffer.from(`a\0${'x'.repeat(255)}ustar`), 'is a tar archive: tar -xOf '],
    ['another kind', binary('\x7fELF'), 'is not a text: '],
  ])('says what to do with a file that is no text: %s', async (_, bytes, message) => {
    const failure = opened(bytes, "b's.csv");
    await expect(failure).rejects.toThrow(LoadError);
    await expect(failure).rejects.toThrow(`b's.csv ${message}`);
    await expect(opened(bytes, '-')).rejects.toThrow(`standard input ${message}`);
  });

  it('quotes the name of a file in a command', async () => {
    await expect(opened(utf16('\ufeffa'), "b's 1.csv")).rejects.toThrow(
      String.raw`iconv -f UTF-16 -t UTF-8 'b'\''s 1.csv' converts it`,
    );
  });
});

describe('jsonReader', () => {
  it.each([
    ['{"a":1}\n{"a":2}\n', 'LineSplitter'],
    ['\n{"a":1,\n{"a":2}\n', 'LineSplitter'],
    ['{"a":"x\ny"}\n', 'LineSplitter'],
    ['{"a":1} x\n{"a":2}\n', 'JsonSplitter'],
    ['{"a":1},\n{"a":2}\n', 'JsonSplitter'],
    ['[28/Nov/2026] GET /\n', 'LineSplitter'],
    ['[1,2]\n', 'LineSplitter'],
    ['', 'LineSplitter'],
    [' [\n {"a":1}', 'JsonSplitter'],
    ['[]', 'JsonSplitter'],
    ['{\n  "a": 1\n}\n', 'JsonSplitter'],
    ['{ "a": [\r\n 1 ] }\n', 'JsonSplitter'],
  ])('reads %j by a %s', (head, name) => {
    expect(jsonReader(head).constructor.name).toBe(name);
  });
});

describe('describeText', () => {
  it.each([
    [' \n', /^it is empty$/],
    ['# made by x\na,b\n', /^it begins with a comment: remove the lines before the data$/],
    ['127.0.0.1 - - [28/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 5\n', /access log .*--format csv/],
    ['<!doctype html>\n', /^it is HTML or XML/],
    ['[1,2]\n[3,4]\n', /^its values are not objects/],
    ['{"a":1,}\n', /^its lines are not valid JSON$/],
    ['a;b\n1;2\n', /^it looks like CSV or TSV.*--format csv or --format tsv$/],
    ['a\tb\n1\t2\n', /^it looks like CSV or TSV/],
    ['Nov 28 10:00:00 host sshd[1]: x\n', /^it is a text, not NDJSON: .*--format csv or --format tsv$/],
  ])('says what the text %j is, which is not NDJSON', (head, what) => {
    expect(describeText(head, true)).toMatch(what);
  });

  it('says why CSV has no records', () => {
    expect(describeText('a,b\n', false)).toBe('it has only the names of columns');
    expect(describeText('a,b\n1\n', false)).toBe('no record fits the names of the columns');
  });
});
