import { Ajv2020 } from 'ajv/dist/2020.js';
import { isSafeNumber, parse } from 'lossless-json';

import { column, jsonColumn } from '../../../src/endpoint/definition.js';
import type { Times } from '../../../src/gateway/formats/format.js';
import { FORMAT_NAMES, FORMATS, type FormatName } from '../../../src/gateway/formats/formats.js';
import { representationOf } from '../../../src/gateway/formats/representation.js';
import { columnSchema } from '../../../src/gateway/http/describe/column-schema.js';
import type { QueryRequest } from '../../../src/gateway/query/ports.js';
import { useFormatQueries } from '../../support/fetch-format.js';
import { NARROW, NUMBER_PLACES, NUMBER_SAMPLES, OWN_TYPES, WIDE } from '../../support/number-samples.js';
import { readRows } from '../../support/read-formats.js';
import { settleAll } from '../../support/settle-all.js';
import type { TypeSample } from '../../support/sample-types.js';
import { placesOf, selectOf } from '../../support/type-places.js';

const { fetchFormat, queryRows, queryLines } = useFormatQueries();
const ajv = new Ajv2020({ strict: false, validateFormats: false });

const JSON_FORMATS = FORMAT_NAMES.filter((format) => FORMATS[format].values === 'json');
const DICTIONARIES = { allow_suspicious_low_cardinality_types: 1 } as const;

const asText = (
  format: FormatName,
  columns: QueryRequest['columns'] = 'unknown',
  times: Times = 'iso',
): Partial<QueryRequest> => ({
  columns,
  representation: representationOf(format, { numbers: 'text', times }),
  rowCap: 100,
});

/** With these ClickHouse's own format has the numbers of a type as text where JavaScript does not hold them. */
const settingsFor = ([type]: TypeSample): Parameters<typeof queryLines>[1] => ({
  ...DICTIONARIES,
  output_format_json_quote_64bit_integers: 1,
  output_format_json_quote_decimals: /^Decimal(?:32|\(\d,|\(1[0-5],)/.test(type) ? 0 : 1,
});

/** Readers replace what is no UTF-8 by one character or several. */
const comparable = (text: string): string => text.replaceAll(/\uFFFD+/g, '\uFFFD');
const linesOf = (body: Buffer): readonly string[] => comparable(body.toString()).trimEnd().split('\n');

/** The numbers in a text that are others for `JSON.parse`. */
function roundedIn(text: string): readonly string[] {
  const rounded: string[] = [];
  parse(text, null, (number) => (isSafeNumber(number) ? 0 : rounded.push(number)));
  return rounded;
}

/** A query with the places of a sample as its columns. */
async function placed(
  sample: TypeSample,
): Promise<{ readonly places: ReadonlyMap<string, string>; readonly query: string }> {
  const places = await placesOf(sample, (text) => queryRows(text, DICTIONARIES), NUMBER_PLACES);
  const names = [...places.keys()];
  expect(names).toContain('alone');
  const query = `SELECT ${names.join(', ')} FROM (${selectOf(sample, names, NUMBER_PLACES)} SETTINGS allow_suspicious_low_cardinality_types = 1)`;
  return { places, query };
}

/** One query with the places of several samples, and the lines that ClickHouse's own format has of each, put together. */
async function mixed(
  samples: readonly TypeSample[],
): Promise<{ readonly query: string; readonly own: readonly string[] }> {
  const parts = await Promise.all(
    samples.map(async ([type, [value = '', smallest = value]], index) => {
      const sample: TypeSample = [type, [smallest]];
      const { places, query } = await placed(sample);
      const names = [...places.keys()].map((name) => `${name} AS s${index}_${name}`).join(', ');
      const named = `SELECT ${names} FROM (${query} LIMIT 1)`;
      const [line = ''] = await queryLines(named, settingsFor(sample));
      return { named, inside: line.slice(1, -1) };
    }),
  );
  return {
    query: `SELECT * FROM ${parts.map(({ named }, index) => `(${named}) AS s${index}`).join(', ')}`,
    own: [`{${parts.map(({ inside }) => inside).join(',')}}`],
  };
}

describe('numbers as text', () => {
  it.each(NUMBER_SAMPLES)('are ClickHouse’s own of %s, wherever they are', async (...sample) => {
    const [type] = sample;
    const { places, query } = await placed(sample);
    const own = (await queryLines(query, settingsFor(sample))).map(comparable);
    const { body } = await fetchFormat('ndjson', query, asText('ndjson'));
    expect(linesOf(body)).toEqual(own);
    if (!type.startsWith('JSON')) expect(own.flatMap(roundedIn)).toEqual([]);
    const rows = own.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    await settleAll(JSON_FORMATS, async (format) => {
      const { body: ofFormat } = await fetchFormat(format, query, asText(format));
      expect(await readRows(format, Buffer.from(comparable(ofFormat.toString())))).toEqual(rows);
    });
    const wrong = [...places].filter(([place, ofPlace]) => {
      const isValid = ajv.compile(columnSchema(column(ofPlace, ''), { times: 'iso', numbers: 'text' }));
      return !rows.every((row) => isValid(row[place]));
    });
    expect(wrong).toEqual([]);
  });

  it('are of the columns that ClickHouse’s settings would write otherwise too: decimals with few digits beside others', async () => {
    const { query, own } = await mixed([...NARROW, ...WIDE]);
    expect(linesOf((await fetchFormat('ndjson', query, asText('ndjson'))).body)).toEqual(own);
  });

  it.each(OWN_TYPES)('leave decimals with few digits numbers beside a %s', async (...sample) => {
    const { query, own } = await mixed([...NARROW, sample, ...WIDE]);
    const { body } = await fetchFormat('ndjson', query, asText('ndjson'));
    expect(linesOf(body).map((line) => JSON.parse(line) as unknown)).toEqual(
      own.map((line) => JSON.parse(line) as unknown),
    );
    expect(linesOf(body).flatMap(roundedIn)).toEqual([]);
  });

  it('are of declared columns, and of whole microseconds', async () => {
    const types = {
      n: 'UInt64',
      price: 'Decimal(9, 2)',
      sum: 'Nullable(Decimal(38, 2))',
      at: "DateTime('UTC')",
    };
    const columns = new Map(Object.entries(types).map(([name, type]) => [name, column(type, '')]));
    const values = Object.entries(types).map(
      ([name, type], index) =>
        `CAST(${index + 1}, ${JSON.stringify(type).replaceAll("'", "\\'").replaceAll('"', "'")}) AS ${name}`,
    );
    const query = `SELECT ${values.join(', ')}`;
    const iso = await fetchFormat('ndjson', query, asText('ndjson', columns));
    expect(iso.body.toString()).toBe('{"n":"1","price":2,"sum":"3","at":"1970-01-01T00:00:04Z"}\n');
    const micros = await fetchFormat('ndjson', query, asText('ndjson', columns, 'unix-micros'));
    expect(micros.body.toString()).toBe('{"n":"1","price":2,"sum":"3","at":"4000000"}\n');
    const table = await fetchFormat('json-table', query, asText('json-table', columns));
    expect(JSON.parse(table.body.toString())).toMatchObject({
      meta: Object.entries(types).map(([name, type]) => ({ name, type })),
      data: [{ n: '1' }],
    });
  });

  it('are not in texts that the query itself writes, nor in JSON of a text', async () => {
    const written = `toJSONString(map('n', 1::UInt64))`;
    const query = `SELECT ${written} AS text, ${written} AS data, toString('{"n": 1}'::JSON) AS shown, 1::UInt64 AS n
UNION ALL SELECT formatRow('JSONEachRow', 1.5::Decimal(38, 2) AS n), '{"n": 2}', '', 2`;
    const columns = new Map([
      ['text', column('String', '')],
      ['data', jsonColumn('')],
      ['shown', column('String', '')],
      ['n', column('UInt64', '')],
    ]);
    const ordered = `SELECT * FROM (${query}) ORDER BY n`;
    const rows = await readRows('json', (await fetchFormat('json', ordered, asText('json', columns))).body);
    expect(rows).toEqual([
      { text: '{"n":1}', data: { n: 1 }, shown: '{"n":1}', n: '1' },
      { text: '{"n":1.5}\n', data: { n: 2 }, shown: '', n: '2' },
    ]);
    const own = await readRows('json', (await fetchFormat('json', ordered, asText('json'))).body);
    expect(own.map(({ text, n }) => [text, n])).toEqual(rows.map(({ text, n }) => [text, n]));
  });
});
