import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';

import { tableFile } from '../../src/commands/cli/load/table-file.js';
import { inferColumns, type InferredColumn } from '../../src/commands/loading/infer-columns.js';
import { LoadError } from '../../src/commands/loading/load-error.js';
import { loadFile, type LoadOptions } from '../../src/commands/loading/load-file.js';
import type { LoadReport } from '../../src/commands/loading/load-report.js';
import { createTestDatabase, type TestDatabase } from '../support/clickhouse.js';

let database: TestDatabase;
let rejected: Record<number, string>;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(() => {
  rejected = {};
});

function load(text: string | Buffer, options: Partial<LoadOptions> & { table: string }): Promise<LoadReport> {
  return loadFile({
    client: database.client,
    source: '-',
    stdin: Readable.from([Buffer.from(text)]),
    format: 'csv',
    shiftToNow: false,
    now: new Date(),
    onRejected: (line, reason) => (rejected[line] = reason),
    ...options,
  });
}

async function rowsOf(query: string): Promise<unknown[]> {
  const result = await database.client.query({ query, format: 'JSONEachRow' });
  return result.json();
}

describe('loadFile of CSV', () => {
  it('lets ClickHouse convert the texts, and rejects records that do not fit, with their lines', async () => {
    const columns = `id UInt32, at DateTime64(3), day Date, price Decimal(10, 2), ratio Float64, paid Bool, kind Enum8('a' = 1),
      u UUID, tags Array(String), m Map(String, UInt8), note String DEFAULT 'none', n Nullable(Int8)`;
    await database.client.command({ query: `CREATE TABLE typed (${columns}) ENGINE = Memory` });
    const uuid = '0b0e9c52-1111-4111-8111-000000000000';
    const text = [
      'id,at,day,price,ratio,paid,kind,u,tags,m,note,n,extra',
      `1,2026-01-02T03:04:05.678Z,2026-01-02,9.50,0.5,True,a,${uuid},"[""x"",""y""]","{""k"":1}","a`,
      'b",,',
      `2,1767323045678,2026-01-02,1,1e3,f,a,${uuid},[],{},,"5",q`,
      `x,2026-01-02,2026-01-02,1,1,1,a,${uuid},[],{},,,`,
      `4,2026-01-02,2026-01-02,1,1,1,a,${uuid},[],{},,,,`,
      `5,2026-01-02,2026-01-02,1,1,1,b,${uuid},[],{},"",,`,
      `6,2026-01-02,2026-01-02,1,1,maybe,a,${uuid},[],{},,,`,
      `70000000000,2026-01-02,2026-01-02,1,1,1,a,${uuid},[],{},,,`,
      `8,2026-01-02,2026-01-02,1,1,0,a,${uuid},none,{},,,`,
      '',
    ].join('\r\n');
    const report = await load(gzipSync(text), { table: 'typed' });
    expect(report).toMatchObject({ loaded: 2, rejected: 6 });
    expect(report.unknownFields.list()).toEqual([{ field: 'extra', lines: 1, suggestion: undefined }]);
    expect(await rowsOf('SELECT * FROM typed ORDER BY id')).toEqual([
      {
        id: 1,
        at: '2026-01-02 03:04:05.678',
        day: '2026-01-02',
        price: 9.5,
        ratio: 0.5,
        paid: true,
        kind: 'a',
        u: uuid,
        tags: ['x', 'y'],
        m: { k: 1 },
        note: 'a\r\nb',
        n: null,
      },
      expect.objectContaining({
        at: '2026-01-02 03:04:05.678',
        ratio: 1000,
        paid: false,
        note: 'none',
        n: 5,
      }),
    ]);
    expect(rejected).toEqual({
      5: 'id "x" does not fit UInt32',
      6: '14 fields, but the first line names 13 columns',
      7: 'kind "b" does not fit Enum8',
      8: 'paid "maybe" does not fit Bool',
      9: 'id "70000000000" does not fit UInt32',
      10: 'tags "none" does not fit Array',
    });
  });

  it('reads values of SimpleAggregateFunction(f, T) as T, and rejects those outside the range of T', async () => {
    const columns = `id UInt8, most SimpleAggregateFunction(max, UInt16),
      tags SimpleAggregateFunction(groupArrayArray, Array(String)), place Point`;
    await database.client.command({ query: `CREATE TABLE aggregates (${columns}) ENGINE = Memory` });
    const text = 'id,most,tags,place\n1,65535,"[""x""]","[1, 2]"\n2,65536,[],"[0, 0]"\n';
    expect(await load(text, { table: 'aggregates' })).toMatchObject({ loaded: 1, rejected: 1 });
    expect(await rowsOf('SELECT * FROM aggregates')).toEqual([
      { id: 1, most: 65535, tags: ['x'], place: [1, 2] },
    ]);
    expect(rejected).toEqual({ 3: 'most "65536" does not fit UInt16' });
  });

  it('rejects unknown columns with --strict, and shifts times', async () => {
    const now = new Date();
    await database.client.command({
      query: 'CREATE TABLE visits (timestamp DateTime64(3), page String) ENGINE = Memory',
    });
    const text = 'timestamp;page;x\n2020-01-01;a;\n2020-01-02;b;1\n2020-01-02;;\n';
    expect(await load(text, { table: 'visits', strict: true, shiftToNow: true, now })).toMatchObject({
      loaded: 2,
      rejected: 1,
    });
    expect(rejected).toEqual({ 3: 'unknown field `x`' });
    expect(await rowsOf('SELECT page, toUnixTimestamp64Milli(timestamp) AS ms FROM visits')).toEqual([
      { page: 'a', ms: now.getTime() - 86_400_000 },
      { page: '', ms: now.getTime() },
    ]);
  });

  it('states from which line to resume after a record of several lines', async () => {
    const text = gzipSync('timestamp,page\n2020-01-01,"a\nb"\n2020-01-01,"c').subarray(0, -9);
    await expect(load(text, { table: 'visits' })).rejects.toThrow(
      /ends too early, after line 3\. 1 lines were loaded\.$/,
    );
  });

  it('throws before it loads anything where the first line names no column of the table', async () => {
    await expect(load('2020-01-01,a\n', { table: 'visits' })).rejects.toThrow(
      new LoadError(
        'the first line of the file must name the columns: none of `2020-01-01`, `a` is a column of the table, which has `timestamp`, `page`',
      ),
    );
  });
});

/** The type of each column by its name. */
const typesOf = (columns: readonly InferredColumn[]): Readonly<Record<string, string>> =>
  Object.fromEntries(columns.map(({ name, type }) => [name, type]));

const infer = (rows: readonly object[], valuesAreTexts = false): Promise<InferredColumn[]> =>
  inferColumns(
    database.client,
    rows.map((row) => JSON.stringify(row)),
    valuesAreTexts,
  );

describe('inferColumns', () => {
  it('infers types of NDJSON, nullable only where a value is null or missing', async () => {
    const uuid = '0b0e9c52-1111-4111-8111-000000000000';
    const columns = await infer([
      { i: 1, f: 1, b: true, o: { a: 1 }, l: [1], mixed: [1, 'x'], u: uuid, s: '12', n: null, shop: 'x' },
      { i: -2, f: 1.5, b: false, o: { b: [2] }, l: [], mixed: [], u: uuid, s: '7', n: 3, shop: 'x' },
      { i: 3, f: 2, b: true, o: {}, l: [4], mixed: [], u: uuid, s: 'x', n: 1, missing: true, shop: null },
    ]);
    expect(typesOf(columns)).toEqual({
      i: 'Int64',
      f: 'Float64',
      b: 'Bool',
      o: 'String',
      l: 'Array(Int64)',
      mixed: 'Array(String)',
      u: 'UUID',
      s: 'String',
      n: 'Nullable(Int64)',
      shop: 'LowCardinality(Nullable(String))',
      missing: 'Nullable(Bool)',
    });
  });

  it('infers types of the texts of CSV, and none that would change a text', async () => {
    const row = {
      id: '18446744073709551615',
      number: '-5',
      ratio: '1e3',
      zip: '01234',
      phone: '+4912345',
      serial: '123456789012345678901234',
      paid: 'True',
      day: '2026-01-02',
      birthday: '1950-01-02',
      second: '2026-01-02 03:04:05',
      micro: '2026-01-02T03:04:05.123456+02:00',
      nano: '2026-01-02 03:04:05.123456789',
      empty: null,
      word: 'a',
    };
    const columns = await infer([row, { ...row, word: '' }], true);
    expect(typesOf(columns)).toEqual({
      id: 'UInt64',
      number: 'Int64',
      ratio: 'Float64',
      zip: 'LowCardinality(String)',
      phone: 'LowCardinality(String)',
      serial: 'LowCardinality(String)',
      paid: 'Bool',
      day: 'Date',
      birthday: 'Date32',
      second: "DateTime64(3, 'UTC')",
      micro: "DateTime64(6, 'UTC')",
      nano: "DateTime64(9, 'UTC')",
      empty: 'Nullable(String)',
      word: 'String',
    });
  });

  it('throws where the lines have no fields', async () => {
    await expect(infer([{}, { '': 1 }])).rejects.toThrow('the lines have no fields with names');
  });

  it('says what to do where no column has the types of a field', async () => {
    await expect(infer([{ a: [1] }, { a: 2 }])).rejects.toThrow(
      /^the columns cannot be inferred: .*'a'.*\. Create the table in a file in clickhouse-schema\/, and load without --create$/,
    );
  });
});

describe('loadFile with createTable', () => {
  it('creates the table of awkward names from a sample of standard input, then loads all of it', async () => {
    const createTable = async (sample: readonly string[]): Promise<void> => {
      const columns = await inferColumns(database.client, sample, true);
      await database.client.command({ query: tableFile('awkward', columns, 'a;\n*/b.csv') });
    };
    const header = 'at,"we`ird, col",select,c.d,shop\n';
    const rows = Array.from({ length: 4 }, (_, n) => `2026-01-0${n + 1},w${n},${n},,${'ab'[n % 2]}\n`);
    expect(await load(header + rows.join(''), { table: 'awkward', createTable })).toMatchObject({
      loaded: 4,
      rejected: 0,
    });
    const [shown] = (await rowsOf('SHOW CREATE TABLE awkward')) as [{ readonly statement: string }];
    expect(shown.statement).toContain('ORDER BY (shop, at)');
    expect(await rowsOf('SELECT * FROM awkward ORDER BY at LIMIT 1')).toEqual([
      { at: '2026-01-01', 'we`ird, col': 'w0', select: 0, 'c.d': null, shop: 'a' },
    ]);
  });

  it('creates nothing for a source without a valid line', async () => {
    const createTable = (): Promise<void> => Promise.reject(new Error('called'));
    await expect(load('a,b\n1\n', { table: 'none', createTable })).rejects.toThrow(
      'standard input has no valid line, so the columns of a new table cannot be inferred',
    );
    await expect(
      load(gzipSync('{}').subarray(0, 4), { table: 'none', createTable, format: 'ndjson' }),
    ).rejects.toThrow(/^standard input: the gzip data ends too early/);
  });
});
