import { Ajv2020 } from 'ajv/dist/2020.js';

import { column } from '../../../src/endpoint/definition.js';
import { TIMES, type Times } from '../../../src/gateway/formats/format.js';
import { FORMAT_NAMES, FORMATS, type FormatName } from '../../../src/gateway/formats/formats.js';
import { representationOf } from '../../../src/gateway/formats/representation.js';
import { columnSchema } from '../../../src/gateway/http/describe/column-schema.js';
import { useFormatQueries } from '../../support/fetch-format.js';
import { readRows, type Row } from '../../support/read-formats.js';
import { settleAll } from '../../support/settle-all.js';
import { TYPE_SAMPLES, type TypeSample } from '../../support/sample-types.js';
import { placesOf, selectOf } from '../../support/type-places.js';

const { fetchFormat, queryRows } = useFormatQueries();
const ajv = new Ajv2020({ strict: false, validateFormats: false });

/** Types of which the query says which values they have, so that these stay as ClickHouse writes them. */
const isDynamic = (type: string): boolean => /^(?:Dynamic|Variant|Geometry|JSON)\b/.test(type);
const HAS_TIMES = /Date|Time|Dynamic|Variant|JSON/;
const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** A value with every text and number changed. */
function mapLeaves(value: unknown, change: (leaf: unknown) => unknown): unknown {
  if (!isNested(value)) return change(value);
  if (Array.isArray(value)) return value.map((item) => mapLeaves(item, change));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapLeaves(item, change)]));
}

const ISO = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d)(?:\.(\d+))?Z)?$/;

/** Microseconds since 1970 of a time in ISO 8601, rounded down. */
function microsOf(leaf: unknown): unknown {
  const [, day, time = '00:00:00', fraction = ''] = ISO.exec(String(leaf)) ?? [];
  if (day === undefined) return leaf;
  return Number(BigInt(Date.parse(`${day}T${time}Z`)) * 1000n + BigInt(fraction.padEnd(6, '0').slice(0, 6)));
}

/** What a format has for one of ClickHouse's own values. */
function expectedValue(value: unknown, type: string, format: FormatName, times: Times): unknown {
  if (isDynamic(type)) return value;
  const { values } = FORMATS[format];
  if (values === 'typed') return isNested(value) ? value : microsOf(value);
  return times === 'unix-micros' ? mapLeaves(value, microsOf) : value;
}

/** What a reader of a format found, with JSON text parsed, and numbers and booleans that a format has as text. */
function foundValue(found: unknown, expected: unknown, type: string, format: FormatName): unknown {
  if (FORMATS[format].values === 'json' || typeof found !== 'string') return found;
  return typeof expected === 'string' && !isDynamic(type) ? found : (JSON.parse(found) as unknown);
}

/** Readers return decimals as floats, and what is no UTF-8 is one replacement character or several. */
const comparable = (value: unknown, type: string): unknown =>
  mapLeaves(value, (leaf) => {
    if (typeof leaf === 'number' && type.startsWith('Decimal')) return leaf.toPrecision(12);
    return typeof leaf === 'string' ? leaf.replaceAll(/\uFFFD+/g, '\uFFFD') : leaf;
  });

async function expectRows(
  sample: TypeSample,
  places: readonly string[],
  rows: readonly Row[],
  [format, times]: readonly [FormatName, Times],
): Promise<void> {
  const [type] = sample;
  const { body } = await fetchFormat(format, selectOf(sample, places), {
    columns: 'unknown',
    representation: representationOf(format, { times }),
    rowCap: 100,
  });
  const found = await readRows(format, body);
  expect(found).toHaveLength(rows.length);
  const [actual, expected] = [[] as unknown[], [] as unknown[]];
  for (const [at, row] of rows.entries()) {
    for (const place of places) {
      const value = expectedValue(row[place], type, format, times);
      expected.push([place, at, comparable(value, type)]);
      actual.push([place, at, comparable(foundValue(found[at]?.[place], value, type, format), type)]);
    }
  }
  expect(actual).toEqual(expected);
}

/** Expects values of JSON to be as OpenAPI and MCP describe them. */
function expectSchemas(
  places: ReadonlyMap<string, string>,
  rows: readonly Row[],
  type: string,
  times: Times,
): void {
  const wrong = [...places].filter(([place, ofPlace]) => {
    const isValid = ajv.compile(columnSchema(column(ofPlace, ''), { times }));
    return !rows.every((row) => isValid(expectedValue(row[place], type, 'json', times)));
  });
  expect(wrong).toEqual([]);
}

describe('every type of ClickHouse', () => {
  it('has samples here, but for the states of aggregate functions', async () => {
    const families = await queryRows("SELECT name FROM system.data_type_families WHERE alias_to = ''");
    const names = families.map(({ name }) => String(name)).filter((name) => name !== 'AggregateFunction');
    expect(Object.keys(TYPE_SAMPLES).sort()).toEqual(names.sort());
  });

  /** Each format with both forms of times for types that have some; for others with one of them, in turn. */
  const representationsOf = (type: string, index: number): readonly (readonly [FormatName, Times])[] =>
    FORMAT_NAMES.flatMap((format, at) => {
      const forms = HAS_TIMES.test(type) ? TIMES : TIMES.filter((_, form) => (at + index + form) % 2 === 0);
      return forms.map((times) => [format, times] as const);
    });
  const samples = Object.values(TYPE_SAMPLES).flat();

  it.each(samples.map((sample) => [sample[0], sample] as const))(
    'has the values of %s in every format',
    async (_type, sample) => {
      const places = await placesOf(sample, queryRows);
      const names = [...places.keys()];
      expect(names).toContain('alone');
      const rows = await queryRows(selectOf(sample, names));
      await settleAll(representationsOf(sample[0], samples.indexOf(sample)), (each) =>
        expectRows(sample, names, rows, each),
      );
      for (const times of TIMES) expectSchemas(places, rows, sample[0], times);
    },
  );

  it.each(FORMAT_NAMES)('but states of aggregate functions, which are 406 in %s', async (format) => {
    for (const state of ['uniqState(number)', '[(1, uniqState(number))]']) {
      const sent = fetchFormat(format, `SELECT 1 AS n, ${state} AS state FROM numbers(2)`, {
        columns: 'unknown',
      });
      await expect(sent).rejects.toMatchObject({
        code: 'NOT_ACCEPTABLE',
        message: expect.stringMatching(/column state of type .*AggregateFunction\(uniq, UInt64\)/) as string,
      });
    }
  });
});
