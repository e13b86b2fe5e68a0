import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';

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
