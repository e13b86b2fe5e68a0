import { ClickHouseError, type ClickHouseClient } from '@clickhouse/client';
import { isLosslessNumber, stringify } from 'lossless-json';

import type { Column } from './columns.js';
import { explainRejections, misfitsIn } from './explain-rejections.js';
import type { Line } from './line-splitter.js';
import { describeFailure, firstPart, LoadError, shortened } from './load-error.js';
import { parseLossless, readUnchanged, type Fields } from './read-unchanged.js';
import { NOT_FINITE, numberIn } from './same-value.js';
import { readTime } from './written-time.js';

/** A column of a table that does not exist yet. */
export interface InferredColumn {
  readonly name: string;
  readonly type: string;
  /** What it can be in a sorting key, if it is never null: the time, or one of few different texts. */
  readonly use: 'time' | 'category' | 'other';
  /** Number of its different values in the sample. */
  readonly distinct: number;
  /** Whether each value is a number with two decimals, as a price has them. */
  readonly isMoney: boolean;
}

/** The first lines of a file, and how they are read into columns. */
export interface Sample {
  readonly rows: readonly Line[];
  /** The same lines as rows of a table with these columns: of CSV the texts of some types are written otherwise. */
  readonly rowsOf: (columns: readonly Column[]) => Promise<readonly Line[]>;
}

/** What a sample has of a column. */
interface Field {
  readonly name: string;
  /** The values that are not null, as texts. */
  readonly texts: readonly string[];
  /** Without Nullable and LowCardinality. */
  readonly type: string;
}

/** More different texts than this gain nothing from a dictionary. */
const MAX_DICTIONARY = 10_000;

/** A batch of the check. */
const CHECKED_ROWS = 20_000;

/**
 * Infers the columns of a table from rows, each the narrowest type that its values are written as. What the load would reject of
 * these rows, because ClickHouse cannot read it as this type or would change it, makes the column one of texts.
 *
 * @param sample lines of JSON objects.
 * @param valuesAreTexts whether numbers stand in strings, as in rows of CSV.
 * @throws LoadError where the rows have no fields, or ClickHouse fails
 */
export async function inferColumns(
  client: ClickHouseClient,
  sample: Sample,
  valuesAreTexts: boolean,
): Promise<InferredColumn[]> {
  // Parsing that keeps the text of numbers is slow, and rows of texts have none.
  const parse = valuesAreTexts ? (text: string) => JSON.parse(text) as Fields : parseLossless;
  const fields = [...valuesByName(sample.rows, parse)].map(([name, values]): Field => {
    return { name, texts: values.map(textOf), type: typeOf(values, valuesAreTexts) };
  });
  if (fields.length === 0) throw new LoadError('the lines have no fields with names to infer columns from');
  try {
    return await withoutMisfits(client, sample, fields);
  } catch (cause) {
    if (cause instanceof ClickHouseError) throw notInferred(shortened(firstPart(cause.message), 200), cause);
    throw cause instanceof LoadError ? cause : new LoadError(describeFailure(cause), { cause });
  }
}

function notInferred(reason: string, cause?: Error): LoadError {
  return new LoadError(
    `the columns cannot be inferred: ${reason}. Create the table in a file in clickhouse-schema/, and load without --create`,
    { cause },
  );
}

/** The values of each field that are not null; none of a field without a name, which no column can have. */
function valuesByName(
  rows: readonly Line[],
  parse: (text: string) => Fields,
): ReadonlyMap<string, readonly unknown[]> {
  const valuesBy = new Map<string, unknown[]>();
  for (const { text } of rows)
    for (const [name, value] of Object.entries(parse(text))) {
      if (name === '') continue;
      const values = valuesBy.get(name) ?? [];
      valuesBy.set(name, values);
      if (value !== null) values.push(value);
    }
  return valuesBy;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (stringify(value) ?? ''));

async function withoutMisfits(
  client: ClickHouseClient,
  sample: Sample,
  fields: readonly Field[],
): Promise<InferredColumn[]> {
  const columns = fields.map((field) => columnOf(field, sample.rows.length));
  const misfits = await misfitsOf(client, sample, columns);
  const isMisfit = ({ name, type }: Field): boolean => type !== 'String' && misfits.has(name);
  if (!fields.some(isMisfit)) return columns;
  const texts = fields.map((field) => (isMisfit(field) ? { ...field, type: 'String' } : field));
  return withoutMisfits(client, sample, texts);
}

/** Columns that would change a value of the sample, or cannot read it. @throws LoadError where the cause is in every row, and in no column */
async function misfitsOf(
  client: ClickHouseClient,
  sample: Sample,
  inferred: readonly InferredColumn[],
): Promise<ReadonlySet<string>> {
  const columns = inferred.map(({ name, type }) => ({ name, type, defaultExpression: '' }));
  const query = { client, shape: { columns, computed: [], time: undefined }, expressions: [] };
  const rows = await sample.rowsOf(columns);
  const misfits = new Set<string>();
  let readable = 0;
  for (let start = 0; start < rows.length; start += CHECKED_ROWS) {
    const some = rows.slice(start, start + CHECKED_ROWS);
    const read = await readUnchanged(query, some);
    readable += read.size;
    for (const { change } of read.values()) if (change) misfits.add(change.column);
    const unread = some.filter((row) => !read.has(row));
    for (const { column } of await misfitsIn(query, unread)) misfits.add(column.name);
  }
  if (readable > 0 || misfits.size > 0) return misfits;
  const [first] = await explainRejections(query, rows.slice(0, 1));
  throw notInferred(first ? `line ${first.line}: ${first.reason}` : 'there are no lines');
}

function columnOf({ name, texts, type }: Field, rows: number): InferredColumn {
  const distinct = new Set(texts).size;
  const isNullable = texts.length < rows && !type.startsWith('Array(');
  const isCategory =
    type === 'String' && texts.length > 0 && distinct * 2 <= texts.length && distinct <= MAX_DICTIONARY;
  const inner = isNullable ? `Nullable(${type})` : type;
  const use = isCategory ? 'category' : type.startsWith('Date') ? 'time' : 'other';
  return {
    name,
    type: isCategory ? `LowCardinality(${inner})` : inner,
    use: isNullable ? 'other' : use,
    distinct,
    isMoney: type === 'Float64' && texts.every((text) => /^-?\d+[.]\d{2}$/.test(text)),
  };
}

/** The type of values that are not null. Objects and mixed lists are texts of JSON: their fields may differ from row to row. */
function typeOf(values: readonly unknown[], valuesAreTexts: boolean): string {
  if (values.length === 0) return 'String';
  if (values.every((value) => Array.isArray(value))) return `Array(${typeOf(values.flat(), false)})`;
  if (values.every((value) => typeof value === 'boolean')) return 'Bool';
  const texts = values.map(textOf);
  if (values.every(isLosslessNumber)) return numberType(texts);
  if (!values.every((value) => typeof value === 'string')) return 'String';
  const areNumbers =
    valuesAreTexts && texts.every((text) => numberIn(text) !== undefined || NOT_FINITE.test(text));
  return areNumbers && !areVersions(texts) ? numberType(texts) : textType(texts);
}

/** Whether a number would cut a zero that distinguishes texts: `1.10` beside `1.9`. */
function areVersions(texts: readonly string[]): boolean {
  const lengths = new Set(texts.map((text) => /[.](\d+)$/.exec(text)?.[1]?.length ?? 0));
  return lengths.size > 1 && texts.some((text) => /^[^.]*[.]\d+0$/.test(text));
}

function numberType(texts: readonly string[]): string {
  const fit = (least: bigint, greatest: bigint): boolean =>
    texts.every((text) => text.length <= 20 && BigInt(text) >= least && BigInt(text) <= greatest);
  if (texts.every((text) => /^-?\d+$/.test(text))) {
    if (fit(-(2n ** 63n), 2n ** 63n - 1n)) return 'Int64';
    return fit(0n, 2n ** 64n - 1n) ? 'UInt64' : 'String';
  }
  // Integers that a Float64 cannot store exactly.
  return texts.some((text) => /^-?\d{17}/.test(text)) ? 'String' : 'Float64';
}

function textType(texts: readonly string[]): string {
  const areAll = (pattern: RegExp): boolean => texts.every((text) => pattern.test(text));
  if (areAll(/^(?:true|false)$/i)) return 'Bool';
  if (areAll(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i)) return 'UUID';
  if (!texts.every((text) => /[^\d.]/.test(text) && readTime(text))) return 'String';
  if (areAll(/^\d{4}[-/]\d\d[-/]\d\d$/))
    return texts.every((day) => day >= '1970-01-01' && day <= '2149-06-06') ? 'Date' : 'Date32';
  return timeType(texts);
}

/** As precise as the most precise value, and UTC, which the values are converted to. */
function timeType(texts: readonly string[]): string {
  const fractions = texts.map((text) => /[.,](\d+)/.exec(text)?.[1]?.length ?? 0);
  const precision = [3, 6].find((digits) => fractions.every((length) => length <= digits)) ?? 9;
  return `DateTime64(${precision}, 'UTC')`;
}
