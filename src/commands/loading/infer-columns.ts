import { ClickHouseError, type ClickHouseClient, type ClickHouseSettings } from '@clickhouse/client';

import { stringify } from 'lossless-json';

import { nameBeside, quoteName, quoteText } from '../../endpoint/quote-sql.js';
import { selectRows } from '../../gateway/clickhouse/select-rows.js';
import { whereRejected } from '../../gateway/clickhouse/where-rejected.js';
import type { Column } from './columns.js';
import { explainRejections, misfitsIn } from './explain-rejections.js';
import { jsonLines, readSettings, verbatim } from './json-table.js';
import type { Line } from './line-splitter.js';
import { describeFailure, firstPart, LoadError, shortened } from './load-error.js';
import { readRows } from './read-rows.js';
import { parseLossless, readUnchanged } from './read-unchanged.js';

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
  /** The same lines as rows of a table with these columns; CSV texts of some types are then written in another form. */
  readonly rowsOf: (columns: readonly Column[]) => Promise<readonly Line[]>;
}

/** What the values of a column have in common, as texts. */
interface Texts {
  readonly name: string;
  readonly values: number;
  readonly distinct: number;
  /** Number of texts that a number would change: `007`, `+49`, or `1.10` where another value is `1.9`. */
  readonly codes: number;
  readonly int64: number;
  readonly uint64: number;
  readonly integers: number;
  /** Integers that a Float64 cannot store exactly. */
  readonly longIntegers: number;
  readonly twoDecimals: number;
  readonly booleans: number;
  readonly uuids: number;
  readonly days: number;
  readonly fractionDigits: number;
}

/** Objects and mixed lists are texts of JSON: their fields may differ from row to row. */
const INFERENCE: ClickHouseSettings = {
  schema_inference_make_columns_nullable: 0,
  input_format_try_infer_dates: 1,
  input_format_try_infer_datetimes: 1,
  input_format_try_infer_datetimes_only_datetime64: 1,
  input_format_json_try_infer_named_tuples_from_objects: 0,
  input_format_json_infer_array_of_dynamic_from_array_of_different_types: 0,
  input_format_json_infer_incomplete_types_as_strings: 1,
  input_format_max_rows_to_read_for_schema_inference: '1000000',
  input_format_max_bytes_to_read_for_schema_inference: '268435456',
  output_format_json_quote_64bit_integers: 0,
};

/** SQL of `Texts` with a row for each field, over `(name, text)` for each line. Only FIELD is added to the columns of the file. */
const TEXTS = String.raw`
  SELECT name, count(text) AS values, uniqExact(text) AS distinct,
    countIf(match(text, '^(?:\\+|-?0[0-9])') OR isMixed AND match(text, '^[^.]*[.][0-9]+0$')) AS codes,
    countIf(toString(toInt64OrNull(text)) = text) AS int64, countIf(toString(toUInt64OrNull(text)) = text) AS uint64,
    countIf(match(text, '^-?[0-9]+$')) AS integers, countIf(match(text, '^-?[0-9]{17}')) AS longIntegers,
    countIf(match(text, '^-?[0-9]+[.][0-9]{2}$')) AS twoDecimals,
    countIf(match(text, '^(?i:true|false)$')) AS booleans,
    countIf(match(text, '^(?i:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$')) AS uuids,
    countIf(match(text, '^[0-9]{4}-[0-9]{2}-[0-9]{2}$')) AS days,
    max(length(extract(ifNull(text, ''), '[.,]([0-9]+)'))) AS fractionDigits
  FROM (
    SELECT FIELD.1 AS name, FIELD.2 AS text, uniqExact(length(extract(ifNull(text, ''), '[.]([0-9]+)$'))) OVER (PARTITION BY name) > 1 AS isMixed
    FROM (SELECT arrayJoin([TUPLES]) AS FIELD FROM LINES)
  )
  GROUP BY name`;

/** More different texts than this gain nothing from a dictionary. */
const MAX_DICTIONARY = 10_000;

/** A batch of the check. */
const CHECKED_ROWS = 20_000;

/**
 * Infers the columns of a table from rows. Uses ClickHouse's inference, where its types would not lose a part of the texts. A column
 * becomes a text where the load would otherwise reject one of these rows.
 *
 * @param sample lines of JSON objects.
 * @param valuesAreTexts whether numbers are in strings, as in rows of CSV.
 * @throws LoadError where the rows have no fields, or ClickHouse fails
 */
export async function inferColumns(
  client: ClickHouseClient,
  sample: Sample,
  valuesAreTexts: boolean,
): Promise<InferredColumn[]> {
  const numbers = { input_format_json_try_infer_numbers_from_strings: valuesAreTexts ? 1 : 0 } as const;
  const run: Run = async <T>(query: string): Promise<T[]> => {
    const clickhouse_settings = { ...(await readSettings(client)), ...INFERENCE, ...numbers };
    return selectRows<T>(client, query, {}, { clickhouse_settings });
  };
  try {
    const types = await inferTypes(run, sample.rows);
    if (types.length === 0) throw new LoadError('the lines have no fields with names to infer columns from');
    let { rows } = sample;
    const readTexts = (): Promise<Texts[]> => run(textsQuery(types, rows));
    const found = await readTexts().catch(async (error: unknown) => {
      if (!(error instanceof ClickHouseError)) throw error;
      rows = await readableRows(client, types, rows);
      return readTexts();
    });
    const texts = new Map(found.map((one) => [one.name, one]));
    const inferred = types.flatMap(({ name, type }) => {
      const one = texts.get(name);
      return one ? [{ texts: one, type: plainType(type, one, valuesAreTexts) }] : [];
    });
    return await withoutMisfits(client, { ...sample, rows }, inferred);
  } catch (cause) {
    if (!(cause instanceof ClickHouseError))
      throw cause instanceof LoadError ? cause : new LoadError(describeFailure(cause), { cause });
    throw notInferred(shortened(firstPart(cause.message), 200), cause);
  }
}

function notInferred(reason: string, cause?: Error): LoadError {
  return new LoadError(
    `the columns cannot be inferred: ${reason}. Create the table in a file in clickhouse-schema/, and load without --create`,
    { cause },
  );
}

const asTexts = (fields: readonly FieldType[]): Column[] =>
  fields.map(({ name }) => ({ name, type: 'Nullable(String)', defaultExpression: '' }));

/** The rows that ClickHouse can read as texts; the load rejects the others. */
async function readableRows(
  client: ClickHouseClient,
  fields: readonly FieldType[],
  rows: readonly Line[],
): Promise<readonly Line[]> {
  const query = {
    client,
    shape: { columns: asTexts(fields), computed: [], time: undefined },
    expressions: [],
  };
  const read = await readRows(query, rows);
  if (read.size > 0) return rows.filter((row) => read.has(row));
  const [first] = await explainRejections(query, rows.slice(0, 1));
  throw notInferred(first ? `line ${first.line}: ${first.reason}` : 'there are no lines');
}

type Run = <T>(query: string) => Promise<T[]>;

interface FieldType {
  readonly name: string;
  readonly type: string;
}

const describeRows = (rows: readonly string[]): string =>
  `DESCRIBE format(JSONEachRow, ${verbatim(rows.join('\n'))})`;

const textsOf = (rows: readonly Line[]): string[] => rows.map(({ text }) => text);

/** The inferred types. A field whose values have no common type is a text. */
async function inferTypes(run: Run, rows: readonly Line[]): Promise<FieldType[]> {
  try {
    return await run<FieldType>(describeRows(textsOf(rows)));
  } catch (error) {
    if (!(error instanceof ClickHouseError)) throw error;
  }
  const fields = new Map<string, string[]>();
  for (const { text } of rows)
    for (const [name, value] of Object.entries(parseLossless(text))) {
      const values = fields.get(name) ?? [];
      fields.set(name, values);
      values.push(stringify({ [name]: value }) ?? '{}');
    }
  const types: FieldType[] = [];
  for (const [name, values] of fields) {
    const found = await run<FieldType>(describeRows(values)).catch(whereRejected([]));
    types.push(found[0] ?? { name, type: 'String' });
  }
  return types;
}

function textsQuery(fields: readonly FieldType[], rows: readonly Line[]): string {
  const shape = { columns: asTexts(fields), computed: [] };
  const parts = new Map([
    ['FIELD', nameBeside(shape.columns, 'querygate_field')],
    ['TUPLES', fields.map(({ name }) => `(${quoteText(name)}, ${quoteName(name)})`).join(', ')],
    ['LINES', jsonLines(shape, textsOf(rows))],
  ]);
  return TEXTS.replaceAll(/\b(?:FIELD|TUPLES|LINES)\b/g, (part) => parts.get(part) ?? part);
}

interface Inferred {
  readonly texts: Texts;
  readonly type: string;
}

async function withoutMisfits(
  client: ClickHouseClient,
  sample: Sample,
  inferred: readonly Inferred[],
): Promise<InferredColumn[]> {
  const columns = inferred.map((one) => columnOf(one, sample.rows.length));
  const misfits = await misfitsOf(client, sample, columns);
  const isMisfit = ({ texts, type }: Inferred): boolean => type !== 'String' && misfits.has(texts.name);
  if (!inferred.some(isMisfit)) return columns;
  const texts = inferred.map((one) => (isMisfit(one) ? { ...one, type: 'String' } : one));
  return withoutMisfits(client, sample, texts);
}

/** Columns that would change a value of the sample, or cannot read it. */
async function misfitsOf(
  client: ClickHouseClient,
  sample: Sample,
  inferred: readonly InferredColumn[],
): Promise<ReadonlySet<string>> {
  const columns = inferred.map(({ name, type }) => ({ name, type, defaultExpression: '' }));
  const shape = { columns, computed: [], time: undefined };
  const rows = await sample.rowsOf(columns);
  const misfits = new Set<string>();
  for (let start = 0; start < rows.length; start += CHECKED_ROWS) {
    const some = rows.slice(start, start + CHECKED_ROWS);
    const read = await readUnchanged({ client, shape, expressions: [] }, some);
    for (const { change } of read.values()) if (change) misfits.add(change.column);
    const unread = some.filter((row) => !read.has(row));
    for (const { column } of await misfitsIn({ client, shape }, unread)) misfits.add(column.name);
  }
  return misfits;
}

function columnOf({ texts, type }: Inferred, rows: number): InferredColumn {
  const { name, values, distinct, twoDecimals } = texts;
  const isNullable = values < rows && !type.startsWith('Array(');
  const isCategory = type === 'String' && values > 0 && distinct * 2 <= values && distinct <= MAX_DICTIONARY;
  const inner = isNullable ? `Nullable(${type})` : type;
  const use = isCategory ? 'category' : type.startsWith('Date') ? 'time' : 'other';
  return {
    name,
    type: isCategory ? `LowCardinality(${inner})` : inner,
    use: isNullable ? 'other' : use,
    distinct,
    isMoney: type === 'Float64' && twoDecimals === values,
  };
}

function plainType(inferred: string, texts: Texts, valuesAreTexts: boolean): string {
  const type = inferred.replace(/^Nullable\((.*)\)$/, '$1');
  const { values, days, integers } = texts;
  const isNumber = /^(?:U?Int64|Float64)$/.test(type);
  // ClickHouse infers a text where an integer is too long.
  if (isNumber || (valuesAreTexts && type === 'String' && values > 0 && integers === values))
    return numberType(texts, valuesAreTexts);
  if (type.startsWith('DateTime64')) return days === values ? 'Date32' : timeType(texts);
  if (/^(?:Date|Bool|Array\(.*\))$/.test(type)) return type;
  return textType(texts);
}

function textType({ values, booleans, uuids }: Texts): string {
  if (values > 0 && booleans === values) return 'Bool';
  return values > 0 && uuids === values ? 'UUID' : 'String';
}

function numberType(texts: Texts, valuesAreTexts: boolean): string {
  const { values, codes, integers, int64, uint64, longIntegers } = texts;
  if (valuesAreTexts && codes > 0) return 'String';
  if (int64 === values) return 'Int64';
  if (uint64 === values) return 'UInt64';
  return integers === values || longIntegers > 0 ? 'String' : 'Float64';
}

/** The type of times, as precise as the most precise value. It is in UTC, to which the values are converted. */
function timeType({ fractionDigits }: Texts): string {
  const precision = [3, 6].find((digits) => fractionDigits <= digits) ?? 9;
  return `DateTime64(${precision}, 'UTC')`;
}
