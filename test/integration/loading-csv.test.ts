import { gzipSync } from 'node:zlib';

import { tableFile } from '../../src/commands/cli/load/table-file.js';
import { inferColumns, type Sample } from '../../src/commands/loading/infer-columns.js';
import { LoadError } from '../../src/commands/loading/load-error.js';
import { useLoading } from '../support/loading.js';

const { database, load, rejected, rowsOf } = useLoading({ format: 'csv' });

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

describe('loadFile with createTable', () => {
  let tables = 0;
  /** Creates a table for a text, loads it, and returns the rows. */
  async function created(text: string | Buffer, format: 'csv' | 'ndjson' = 'ndjson'): Promise<unknown[]> {
    const table = `created_${(tables += 1)}`;
    const createTable = async (sample: Sample): Promise<void> => {
      const columns = await inferColumns(database.client, sample, format === 'csv');
      await database.client.command({ query: tableFile(table, columns, 'a') });
    };
    await load(text, { table, createTable, format });
    return rowsOf(`SELECT * FROM ${table} ORDER BY ALL`);
  }

  it('loads an array of objects, objects over several lines, and lines that end with a carriage return', async () => {
    const objects = [
      { a: 1, b: 'x' },
      { a: 2, b: 'y' },
    ];
    const pretty = objects.map((one) => JSON.stringify(one, null, 2)).join('\n');
    for (const text of [
      JSON.stringify(objects),
      JSON.stringify(objects, null, 2),
      gzipSync(JSON.stringify(objects)),
      pretty,
      pretty.replaceAll('\n', '\r'),
      objects.map((one) => `${JSON.stringify(one)},`).join('\n'),
    ])
      expect(await created(text)).toEqual(objects);
    expect(await created('a,b\r1,x\r2,y', 'csv')).toEqual(objects);
    expect(await created('sep=;\r\na;b\r\n1;x\r\n2;y', 'csv')).toEqual(objects);
    expect(rejected).toEqual({});
  });

  it('rejects lines that ClickHouse cannot read as texts either, and infers from the others', async () => {
    const deep = '['.repeat(6000) + ']'.repeat(6000);
    expect(await created(`{"a":1,"a":1}\n{"a":"\\ud800"}\n{"a":${deep}}\n{"a":[3]}\n`)).toEqual([
      { a: '1' },
      { a: '[3]' },
    ]);
    expect(rejected).toEqual({
      2: expect.stringMatching(/^ClickHouse cannot read the line: .*surrogate pair$/) as string,
      3: 'nested in more than 1000 levels',
    });
    await expect(created('\n{"a":"\\ud800"}\n')).rejects.toThrow(
      /^the columns cannot be inferred: line 2: .*\. Create the table in a file/,
    );
  });

  it('rejects objects of one line each by its number, and loads the others', async () => {
    const long = Array.from({ length: 30_000 }, (_, n) => ({ n }));
    const text = JSON.stringify([...long, 5, { n: 'x' }, { n: -1 }]);
    const rejections: string[] = [];
    const columns = [{ name: 'n', type: 'Int64', use: 'other', distinct: 1, isMoney: false }] as const;
    await database.client.command({ query: tableFile('numbered', columns, 'a') });
    const report = await load(text, {
      ...{ table: 'numbered', format: 'ndjson' },
      onRejected: (line, reason) => rejections.push(`${line}: ${reason}`),
    });
    expect(report).toMatchObject({ loaded: 30_001, rejected: 2 });
    expect(rejections).toEqual([
      '1: object 30001: not a JSON object',
      '1: object 30002: n "x" does not fit Int64',
    ]);
    expect(await rowsOf('SELECT count() AS c, uniqExact(n) AS u FROM numbered')).toEqual([
      { c: 30_001, u: 30_001 },
    ]);
  });

  it('rejects lines after the sample that lack a value, or have a number where the others have times or booleans', async () => {
    // Of the sample, whose size is limited.
    const long = 'x'.repeat(1_000_000);
    const first = `{"at":"2026-01-01T00:00:00Z","ok":true,"n":1,"s":"${long}","l":[1]}\n`;
    const rows = [
      { at: 1_779_012_303, ok: true, n: 1, s: 'x', l: [] },
      { at: '2026-01-02T00:00:00Z', ok: 1, n: 1, s: 'x', l: [] },
      { at: '2026-01-02T00:00:00Z', ok: true, s: 'x', l: [] },
      { at: '2026-01-02T00:00:00Z', ok: true, n: 1, l: [] },
      { at: '2026-01-02T00:00:00Z', ok: false, n: 2, s: 'y' },
      { at: '2026-01-02T00:00:00Z', ok: true, n: 1, s: 'x', l: ['LONG'] },
    ];
    const later = rows
      .map((row) => JSON.stringify(row))
      .join('\n')
      .replace('"LONG"', '9223372036854775808');
    expect(await created(first.repeat(16) + later)).toHaveLength(17);
    const none = 'and Int64 has neither null nor a default';
    expect(rejected).toEqual({
      17: `at 1779012303 does not fit DateTime64(3, 'UTC'), which would store 1970-01-21T14:10:12.303Z`,
      18: 'ok 1 does not fit Bool, which would store true',
      19: `n has no value, ${none}`,
      20: `s has no value, ${none.replace('Int64', 'LowCardinality(String)')}`,
      22: 'l [9223372036854775808] does not fit Array(Int64), which would store ["-9223372036854775808"]',
    });
    expect(await created(`s,n\n${`${long},1\n`.repeat(16)}x,""\n`, 'csv')).toHaveLength(16);
    expect(rejected[18]).toBe(`n has no value, ${none}`);
  });

  it('creates the table of awkward names from a sample of standard input, then loads all of it', async () => {
    const createTable = async (sample: Sample): Promise<void> => {
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
    const none = 'standard input has no valid line, so the columns of a new table cannot be inferred: ';
    const options = { table: 'none', createTable };
    await expect(load('a,b\n1\n', options)).rejects.toThrow(
      `${none}no record fits the names of the columns (line 2: 1 field, but the first line names 2 columns)`,
    );
    await expect(load('', options)).rejects.toThrow(`${none}it is empty`);
    await expect(load('a,b\n1,2\n', { ...options, format: 'ndjson' })).rejects.toThrow(
      `${none}it looks like CSV or TSV, not NDJSON: add --format csv or --format tsv (line 1: not JSON: `,
    );
    const names = 'the first line of the file must name the columns: ';
    await expect(load('1,2026-01-01T00:00:00Z\n2,2026-01-02T00:00:00Z\n', options)).rejects.toThrow(
      `${names}\`1\`, \`2026-01-01T00:00:00Z\` can only be values: put a line of names before them`,
    );
    await expect(load('<!DOCTYPE html>\n<html>\n</html>\n', options)).rejects.toThrow(
      `${names}it is HTML or XML`,
    );
    await expect(load('{"a":1,"b":2}\n', options)).rejects.toThrow(
      'the first line of the file must name the columns: it is JSON, which --format ndjson loads',
    );
    await expect(load(Buffer.from('a,b\n', 'utf16le'), options)).rejects.toThrow(
      /^standard input is UTF-16LE, not UTF-8: iconv /,
    );
    await expect(
      load(gzipSync('{}').subarray(0, 4), { table: 'none', createTable, format: 'ndjson' }),
    ).rejects.toThrow(/^standard input: the gzip data ends too early/);
  });
});
