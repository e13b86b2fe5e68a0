import { DataType, tableFromIPC, type Table, type Vector } from 'apache-arrow';
import { parse } from 'csv-parse/sync';
import { parquetReadObjects } from 'hyparquet';

import type { FormatName } from '../../src/gateway/formats/formats.js';
import { metricSamples } from './metric-samples.js';

export type Row = Readonly<Record<string, unknown>>;

interface Reader {
  readonly read: (body: Buffer) => readonly Row[] | Promise<readonly Row[]>;
  /** Whether all values are text or null, because the format has no other types. */
  readonly isUntyped?: boolean;
}

/** A third-party reader of each format; native time types become microseconds since 1970. */
const READERS: Readonly<Record<FormatName, Reader>> = {
  json: { read: (body) => (parseJson(body) as { result: Row[] }).result },
  'json-table': { read: (body) => (parseJson(body) as { data: Row[] }).data },
  ndjson: { read: (body) => linesOf(body).map((line) => JSON.parse(line) as Row) },
  csv: { read: (body) => readCsv(body) },
  tsv: { read: (body) => readTsv(body), isUntyped: true },
  parquet: { read: (body) => readParquet(body) },
  arrow: { read: (body) => readArrow(tableFromIPC(body)) },
  prometheus: { read: (body) => metricSamples(textOf(body)).map((sample) => ({ ...sample })) },
};

/** The rows of a body, as a third-party reader of the format parses them. */
export async function readRows(format: FormatName, body: Buffer): Promise<readonly Row[]> {
  return READERS[format].read(body);
}

/** Whether a format's reader returns numbers and booleans as text. */
export function isUntyped(format: FormatName): boolean {
  return READERS[format].isUntyped === true;
}

const textOf = (body: Buffer): string =>
  new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
const parseJson = (body: Buffer): unknown => JSON.parse(textOf(body));

/** Splits text into lines, the last of which must end like the others. */
function linesOf(body: Buffer): readonly string[] {
  const text = textOf(body);
  if (text === '') return [];
  if (!text.endsWith('\n')) throw new Error('the last line has no line end');
  return text.slice(0, -1).split('\n');
}

/** Reads strict RFC 4180; an unquoted value is a number, a boolean or null. */
function readCsv(body: Buffer): readonly Row[] {
  const text = textOf(body);
  if (!text.endsWith('\r\n')) throw new Error('the last line has no line end');
  const rows: unknown = parse(text, {
    columns: true,
    record_delimiter: '\r\n',
    relax_quotes: false,
    cast: (value: string, { quoting, header }): unknown => {
      if (quoting || header) return value;
      return value === '' ? null : JSON.parse(value);
    },
  });
  return rows as readonly Row[];
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', 0: '\0' };

/** Reads cells that are all text or null. */
function readTsv(body: Buffer): readonly Row[] {
  const unescaped = (cell: string): string | null =>
    cell === '\\N' ? null : cell.replaceAll(/\\(.)/g, (_, letter: string) => ESCAPES[letter] ?? letter);
  const [header = [], ...rows] = linesOf(body).map((line) => line.split('\t').map(unescaped));
  return rows.map((cells) => {
    if (cells.length !== header.length)
      throw new Error(`expected ${header.length} cells, got ${cells.length}`);
    return Object.fromEntries(header.map((name, index) => [String(name), cells[index]] as const));
  });
}

async function readParquet(body: Buffer): Promise<readonly Row[]> {
  const file = body.buffer.slice(body.byteOffset, body.byteOffset + body.length) as ArrayBuffer;
  const rows = await parquetReadObjects({
    file,
    parsers: {
      timestampFromMilliseconds: Number,
      timestampFromMicroseconds: Number,
      timestampFromNanoseconds: (nanoseconds: bigint) => microsOf(nanoseconds, NANOSECOND),
      dateFromDays: (days: number) => days * 86_400_000_000,
      stringFromBytes: (bytes: Uint8Array) => textOf(Buffer.from(bytes)),
    },
  });
  return rows.map(plainNumbers);
}

function readArrow(table: Table): readonly Row[] {
  const columns = table.schema.fields.map(({ name }, index) => {
    const vector = table.getChildAt(index);
    if (!vector) throw new Error(`column ${name} is missing`);
    return [name, valuesOf(vector)] as const;
  });
  return Array.from({ length: table.numRows }, (_, row) =>
    plainNumbers(Object.fromEntries(columns.map(([name, values]) => [name, values[row]]))),
  );
}

/** Arrow's reader returns times as floats of milliseconds, and decimals as words. */
function valuesOf(vector: Vector): readonly unknown[] {
  const type = vector.type as DataType;
  const values = Array.from(vector) as unknown[];
  if (DataType.isDate(type)) return values.map((value) => (value === null ? null : Number(value) * 1000));
  if (DataType.isTimestamp(type)) {
    const raw = vector.data.flatMap((data) => Array.from(data.values as BigInt64Array));
    return values.map((value, row) => (value === null ? null : microsOf(raw[row] ?? 0n, type.unit)));
  }
  return DataType.isDecimal(type)
    ? values.map((value) => (value === null ? null : decimalOf(value as Uint32Array, type.scale)))
    : values;
}

const NANOSECOND = 3;

/** Rounded down. @param unit of Arrow; ClickHouse writes microseconds and nanoseconds */
function microsOf(time: bigint, unit: number): number {
  return Number(unit === NANOSECOND ? (time - (((time % 1000n) + 1000n) % 1000n)) / 1000n : time);
}

function decimalOf(words: Uint32Array, scale: number): number {
  const unscaled = words.reduceRight((value, word) => (value << 32n) | BigInt(word), 0n);
  return Number(BigInt.asIntN(words.length * 32, unscaled)) / 10 ** scale;
}

function plainNumbers(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]),
  );
}
