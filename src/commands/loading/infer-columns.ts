import { ClickHouseError, type ClickHouseClient, type ClickHouseSettings } from '@clickhouse/client';

import { quoteName } from '../../endpoint/quote-sql.js';
import { inferredTable, jsonTable, READ_SETTINGS } from './json-table.js';
import { describeFailure, firstPart, LoadError } from './load-error.js';

/** A column of a table that does not exist yet. */
export interface InferredColumn {
  readonly name: string;
  readonly type: string;
  /** What it can be in a sorting key, if it is never null: the time, or one of few different texts. */
  readonly use: 'time' | 'category' | 'other';
  /** Number of its different values in the sample. */
  readonly distinct: number;
}

/** What the values of a column have in common, as texts. */
interface Texts {
  readonly values: number;
  readonly distinct: number;
  /** Texts of digits that a number would change: `007`, `+49`. */
  readonly codes: number;
  /** Integers that a Float64 cannot store exactly. */
  readonly longIntegers: number;
  readonly booleans: number;
  readonly uuids: number;
  readonly days: number;
  readonly fractionDigits: number;
}

interface ColumnFacts extends Texts {
  readonly name: string;
  /** As ClickHouse infers it. */
  readonly inferred: string;
  /** Number of rows in the sample. */
  readonly rows: number;
}

/** Objects and mixed lists are texts of JSON: their fields may differ from row to row. */
const INFERENCE: ClickHouseSettings = {
  ...READ_SETTINGS,
  schema_inference_mode: 'default',
  schema_inference_make_columns_nullable: 0,
  input_format_try_infer_integers: 1,
  input_format_try_infer_dates: 1,
  input_format_try_infer_datetimes: 1,
  input_format_try_infer_datetimes_only_datetime64: 1,
  input_format_json_try_infer_named_tuples_from_objects: 0,
  input_format_json_infer_array_of_dynamic_from_array_of_different_types: 0,
  input_format_json_infer_incomplete_types_as_strings: 1,
  input_format_max_rows_to_read_for_schema_inference: '1000000',
  input_format_max_bytes_to_read_for_schema_inference: '268435456',
};

/** More different texts than this gain nothing from a dictionary. */
const MAX_DICTIONARY = 10_000;

/**
 * Infers the columns of a table from rows: ClickHouse's inference, where its types would lose nothing of the texts.
 *
 * @param rows lines of JSON objects.
 * @param valuesAreTexts whether numbers stand in strings, as in rows of CSV.
 * @throws LoadError where the values of a field have types that no column has together.
 */
export async function inferColumns(
  client: ClickHouseClient,
  rows: readonly string[],
  valuesAreTexts: boolean,
): Promise<InferredColumn[]> {
  try {
    const described = await describe(client, rows, valuesAreTexts);
    if (described.length > 0) return (await readTexts(client, rows, described)).map(columnOf);
  } catch (cause) {
    if (!(cause instanceof ClickHouseError)) throw new LoadError(describeFailure(cause), { cause });
    throw new LoadError(
      `the columns cannot be inferred: ${firstPart(cause.message)}. ` +
        'Create the table in a file in clickhouse-schema/, and load without --create',
      { cause },
    );
  }
  throw new LoadError('the lines have no fields with names to infer columns from');
}

interface Described {
  readonly name: string;
  readonly type: string;
}

async function describe(
  client: ClickHouseClient,
  rows: readonly string[],
  valuesAreTexts: boolean,
): Promise<Described[]> {
  const result = await client.query({
    query: `DESCRIBE TABLE ${inferredTable(rows)}`,
    format: 'JSONEachRow',
    clickhouse_settings: {
      ...INFERENCE,
      input_format_json_try_infer_numbers_from_strings: valuesAreTexts ? 1 : 0,
    },
  });
  return result.json<Described>();
}

async function readTexts(
  client: ClickHouseClient,
  rows: readonly string[],
  described: readonly Described[],
): Promise<ColumnFacts[]> {
  const columns = described.map(({ name }) => ({ name, type: 'Nullable(String)', defaultExpression: '' }));
  const result = await client.query({
    query: `SELECT ${described.map(({ name }) => textsOf(quoteName(name))).join(', ')} FROM ${jsonTable({ columns, computed: [] }, rows)}`,
    format: 'JSONCompact',
    clickhouse_settings: { ...READ_SETTINGS, output_format_json_quote_64bit_integers: 0 },
  });
  const [facts = []] = (await result.json<readonly (readonly number[])[]>()).data;
  return described.map(({ name, type }, index) => {
    const [values = 0, distinct = 0, codes = 0, longIntegers = 0, ...others] = facts[index] ?? [];
    const [booleans = 0, uuids = 0, days = 0, fractionDigits = 0] = others;
    const texts = { values, distinct, codes, longIntegers, booleans, uuids, days, fractionDigits };
    return { name, inferred: type.replace(/^Nullable\((.*)\)$/, '$1'), rows: rows.length, ...texts };
  });
}

/** SQL: the numbers of `Texts`, in its order. */
function textsOf(column: string): string {
  const matching = (pattern: string): string => `countIf(match(${column}, '${pattern}'))`;
  const numbers = [
    `count(${column})`,
    `uniqExact(${column})`,
    matching(String.raw`^(?:\\+|-?0[0-9])`),
    matching('^-?[0-9]{17}'),
    matching('^(?i:true|false)$'),
    matching('^(?i:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$'),
    matching('^[0-9]{4}-[0-9]{2}-[0-9]{2}$'),
    `max(length(extract(ifNull(${column}, ''), '[.,]([0-9]+)')))`,
  ];
  return `tuple(${numbers.join(', ')})`;
}

function columnOf(facts: ColumnFacts): InferredColumn {
  const { name, values, rows, distinct } = facts;
  const type = plainType(facts);
  const isNullable = values < rows && !type.startsWith('Array(');
  const isCategory = type === 'String' && values > 0 && distinct * 2 <= values && distinct <= MAX_DICTIONARY;
  const inner = isNullable ? `Nullable(${type})` : type;
  return {
    name,
    type: isCategory ? `LowCardinality(${inner})` : inner,
    use: isNullable ? 'other' : isCategory ? 'category' : type.startsWith('Date') ? 'time' : 'other',
    distinct,
  };
}

function plainType(facts: ColumnFacts): string {
  const { inferred, values, booleans, uuids, days } = facts;
  if (/^(?:U?Int64|Float64)$/.test(inferred)) return isExact(facts) ? inferred : 'String';
  if (inferred.startsWith('DateTime64')) return days === values ? 'Date32' : timeType(facts);
  if (/^(?:Date|Bool|Array\(.*\))$/.test(inferred)) return inferred;
  if (values > 0 && booleans === values) return 'Bool';
  return values > 0 && uuids === values ? 'UUID' : 'String';
}

/** Whether the numbers are those of the texts. */
function isExact({ inferred, codes, longIntegers }: ColumnFacts): boolean {
  return codes === 0 && (inferred !== 'Float64' || longIntegers === 0);
}

/** As precise as the most precise value, and UTC, which the values are converted to. */
function timeType({ fractionDigits }: ColumnFacts): string {
  const precision = [3, 6].find((digits) => fractionDigits <= digits) ?? 9;
  return `DateTime64(${precision}, 'UTC')`;
}
