import { parsesAsJson } from './csv-row.js';
import { JsonSplitter } from './json-splitter.js';
import { LineSplitter, type LineReader } from './line-splitter.js';
import { LoadError } from './load-error.js';
import { peek } from './peek.js';

/** Enough to see what a file is. */
const HEAD_BYTES = 64 * 1024;

/** The text of a source, in UTF-8 and with line feeds. */
export interface SourceText {
  /** Its beginning. */
  readonly head: string;
  readonly bytes: AsyncIterable<Buffer>;
}

const toNdjson = (format: string): string =>
  `is ${format}: clickhouse local -q "SELECT * FROM file('FILE', ${format}) FORMAT JSONEachRow" makes NDJSON of it`;
const unpackedBy = (program: string): string =>
  `is compressed by ${program}, not gzip: ${program} -dc FILE unpacks it`;

/** How files of other kinds begin, as bytes, and what can be done with FILE. All of them have control characters. */
const BINARY: Readonly<Record<string, string>> = {
  'PK\x03\x04': 'is a zip archive, as .xlsx files are: unpack it, or save the sheet as CSV',
  '\xd0\xcf\x11\xe0': 'is of an old Microsoft Office, such as .xls: save the sheet as CSV',
  'SQLite format 3': "is a SQLite database: sqlite3 -csv -header FILE 'SELECT …' makes CSV of it",
  PAR1: toNdjson('Parquet'),
  ARROW1: toNdjson('Arrow'),
  ORC: toNdjson('ORC'),
  'Obj\x01': toNdjson('Avro'),
  '\x28\xb5\x2f\xfd': unpackedBy('zstd'),
  '\x04\x22\x4d\x18': unpackedBy('lz4'),
  '\xfd7zXZ': unpackedBy('xz'),
  BZh: unpackedBy('bzip2'),
  '\x1f\x8b': 'is compressed twice: gzip -dc FILE makes a file that can be loaded',
};

/** The first bytes of UTF-16 and UTF-32: a byte order mark, or zeros next to each of two letters. */
const ENCODINGS: readonly (readonly [start: RegExp, encoding: string])[] = [
  [/^(?:\xff\xfe\0\0|\0\0\xfe\xff)/, 'UTF-32'],
  [/^(?:\xff\xfe|\xfe\xff)/, 'UTF-16'],
  [/^[^\0]\0[^\0]\0/, 'UTF-16LE'],
  [/^\0[^\0]\0[^\0]/, 'UTF-16BE'],
];

/**
 * Opens bytes as text. Carriage returns become line feeds where the text has no other line ends.
 *
 * @param source path of the file, or `-`.
 * @throws LoadError where the bytes are not UTF-8, with the type of the file and how to convert it.
 */
export async function openText(bytes: AsyncIterable<Buffer>, source: string): Promise<SourceText> {
  const { head, bytes: whole } = await peek(bytes, HEAD_BYTES);
  const what = otherThanText(head.toString('latin1'));
  const file = source === '-' ? 'FILE' : quoted(source);
  if (what !== undefined) throw new LoadError(`${inputOf(source)} ${what.replace('FILE', () => file)}`);
  const text = head.toString('utf8').replace(/^\ufeff/, '');
  // The head can end between a carriage return and its line feed.
  const hasReturns = !text.includes('\n') && /\r./s.test(text);
  return hasReturns
    ? { head: text.replaceAll('\r', '\n'), bytes: withLineFeeds(whole) }
    : { head: text, bytes: whole };
}

/** What messages call a source. */
export const inputOf = (source: string): string => (source === '-' ? 'standard input' : source);

/** Type of FILE, where it is not text in UTF-8. */
function otherThanText(head: string): string | undefined {
  const [, encoding] = ENCODINGS.find(([start]) => start.test(head)) ?? [];
  if (encoding !== undefined)
    return `is ${encoding}, not UTF-8: iconv -f ${encoding} -t UTF-8 FILE converts it`;
  if (!/\p{Cc}/u.test(head.replace(/[\t-\r\x7f-\xff]/g, ''))) return undefined;
  const start = Object.keys(BINARY).find((bytes) => head.startsWith(bytes));
  if (start !== undefined) return BINARY[start];
  if (head.slice(257, 262) === 'ustar') return 'is a tar archive: tar -xOf FILE unpacks it';
  return head.includes('\0') ? 'is not a text: NDJSON, CSV and TSV can be loaded' : undefined;
}

const quoted = (file: string): string =>
  /^[\w./-]+$/.test(file) ? file : `'${file.replaceAll("'", String.raw`'\''`)}'`;

async function* withLineFeeds(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) {
    const copy = Buffer.from(chunk);
    for (let at = copy.indexOf('\r'); at !== -1; at = copy.indexOf('\r', at)) copy.write('\n', at);
    yield copy;
  }
}

/** The reader of JSON that begins so: an object on each line, an array of objects, or objects over several lines. */
export function jsonReader(head: string): LineReader {
  if (/^\s*\[\s*(?:\{|\]|$)/.test(head)) return new JsonSplitter('expected');
  const [first = '', second = ''] = linesOf(head);
  return continues(first, second) ? new JsonSplitter('none') : new LineSplitter();
}

/** Whether an object continues in the next line, or another one follows on the same line. */
function continues(first: string, second: string): boolean {
  if (!first.startsWith('{') || parsesAsJson(first)) return false;
  const splitter = new JsonSplitter('none');
  const found = splitter.push(Buffer.from(`${first}\n`));
  // An object of its own after one that is not closed: the first line is cut short.
  if (found.length === 0) return splitter.isOpen && second !== '' && !second.startsWith('{');
  return found.some((one) => 'text' in one && parsesAsJson(one.text));
}

const linesOf = (head: string): string[] =>
  head
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

const ACCESS_LOG = /^\S+ \S+ .*\[\d\d\/\w{3}\/\d{4}:\d\d:\d\d:\d\d/;
const CSV = 'it looks like CSV or TSV, not NDJSON: add --format csv or --format tsv';
const OTHER =
  'it is a text, not NDJSON: where it has fields, convert it to CSV or TSV and add --format csv or --format tsv';

/** Descriptions of JSON files without a valid line, with what to do. The first whose test accepts the first two lines counts. */
const TEXTS: readonly (readonly [isSo: (first: string, second: string) => boolean, what: string])[] = [
  [(first) => first.startsWith('<'), 'it is HTML or XML, not NDJSON'],
  [
    (first) => ACCESS_LOG.test(first),
    `it is the access log of a web server: let the server write NDJSON, or convert the file to CSV and add --format csv`,
  ],
  [parsesAsJson, 'its values are not objects with names, such as {"name":"ann"}'],
  [(first) => first.startsWith('{'), 'its lines are not valid JSON'],
  [
    (first, second) =>
      [',', ';', '\t'].some(
        (one) => first.includes(one) && first.split(one).length === second.split(one).length,
      ),
    CSV,
  ],
];

/** Describes a file without a valid line, with what to do. */
export function describeText(head: string, isJson: boolean): string {
  const [first = '', second = ''] = linesOf(head);
  if (first === '') return 'it is empty';
  if (/^(?:#|\/\/|--)/.test(first)) return 'it begins with a comment: remove the lines before the data';
  if (isJson) return TEXTS.find(([isSo]) => isSo(first, second))?.[1] ?? OTHER;
  return second === '' ? 'it has only the names of columns' : 'no record fits the names of the columns';
}
