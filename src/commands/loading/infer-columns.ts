import { ClickHouseError, type ClickHouseClient, type ClickHouseSettings } from '@clickhouse/client';

import { quoteName, quoteText } from '../../endpoint/quote-sql.js';
import { jsonTable, READ_SETTINGS, verbatim } from './json-table.js';
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
  readonly name: string;
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

/** Objects and mixed lists are texts of JSON: their fields may differ from row to row. */
const INFERENCE: ClickHouseSettings = {
  ...READ_SETTINGS,
  schema_inference_make_columns_nullable: 0,
  input_format_try_infer_datetimes_only_datetime64: 1,
  input_format_json_try_infer_named_tuples_from_objects: 0,
  input_format_json_infer_array_of_dynamic_from_array_of_different_types: 0,
  input_format_json_infer_incomplete_types_as_strings: 1,
  input_format_max_rows_to_read_for_schema_inference: '1000000',
  input_format_max_bytes_to_read_for_schema_inference: '268435456',
  output_format_json_quote_64bit_integers: 0,
};

/** SQL of `Texts`, a row for each field, of `(name, text)` for each line. */
const TEXTS = String.raw`
  SELECT name, count(text) AS values, uniqExact(text) AS distinct,
    countIf(match(text, '^(?:\\+|-?0[0-9])')) AS codes,
    countIf(match(text, '^-?[0-9]{17}')) AS longIntegers,
    countIf(match(text, '^(?i:true|false)$')) AS booleans,
    countIf(match(text, '^(?i:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$')) AS uuids,
    countIf(match(text, '^[0-9]{4}-[0-9]{2}-[0-9]{2}$')) AS days,
    max(length(extract(ifNull(text, ''), '[.,]([0-9]+)'))) AS fractionDigits
  FROM (SELECT arrayJoin([FIELDS]) AS field, field.1 AS name, field.2 AS text FROM LINES)
  GROUP BY name`;

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
  const numbers = { input_format_json_try_infer_numbers_from_strings: valuesAreTexts ? 1 : 0 } as const;
  const clickhouse_settings = { ...INFERENCE, ...numbers };
  const run = async <T>(query: string): Promise<T[]> =>
    (await client.query({ query, format: 'JSONEachRow', clickhouse_settings })).json<T>();
  try {
    const types = await run<{ name: string; type: string }>(
      `DESCRIBE format(JSONEachRow, ${verbatim(rows.join('\n'))})`,
    );
    const texts = types.length > 0 ? await run<Texts>(textsQuery(types, rows)) : [];
    const textsOf = new Map(texts.map((one) => [one.name, one]));
    const columns = types.flatMap(({ name, type }) => columnsOf(type, textsOf.get(name), rows.length));
    if (columns.length > 0) return columns;
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

function textsQuery(fields: readonly { readonly name: string }[], rows: readonly string[]): string {
  const columns = fields.map(({ name }) => ({ name, type: 'Nullable(String)', defaultExpression: '' }));
  const tuples = fields.map(({ name }) => `(${quoteText(name)}, ${quoteName(name)})`).join(', ');
  return TEXTS.replace('FIELDS', () => tuples).replace('LINES', () =>
    jsonTable({ columns, computed: [] }, rows),
  );
}

function columnsOf(inferred: string, texts: Texts | undefined, rows: number): InferredColumn[] {
  if (!texts) return [];
  const { name, values, distinct } = texts;
  const type = plainType(inferred.replace(/^Nullable\((.*)\)$/, '$1'), texts);
  const isNullable = values < rows && !type.startsWith('Array(');
  const isCategory = type === 'String' && values > 0 && distinct * 2 <= values && distinct <= MAX_DICTIONARY;
  const inner = isNullable ? `Nullable(${type})` : type;
  const use = isCategory ? 'category' : type.startsWith('Date') ? 'time' : 'other';
  return [
    {
      name,
      type: isCategory ? `LowCardinality(${inner})` : inner,
      use: isNullable ? 'other' : use,
      distinct,
    },
  ];
}

function plainType(inferred: string, texts: Texts): string {
  const { values, codes, longIntegers, booleans, uuids, days } = texts;
  if (/^(?:U?Int64|Float64)$/.test(inferred)) {
    const isExact = codes === 0 && (inferred !== 'Float64' || longIntegers === 0);
    return isExact ? inferred : 'String';
  }
  if (inferred.startsWith('DateTime64')) return days === values ? 'Date32' : timeType(texts);
  if (/^(?:Date|Bool|Array\(.*\))$/.test(inferred)) return inferred;
  if (values > 0 && booleans === values) return 'Bool';
  return values > 0 && uuids === values ? 'UUID' : 'String';
}

/** As precise as the most precise value, and UTC, which the values are converted to. */
function timeType({ fractionDigits }: Texts): string {
  const precision = [3, 6].find((digits) => fractionDigits <= digits) ?? 9;
  return `DateTime64(${precision}, 'UTC')`;
}
