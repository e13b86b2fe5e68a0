import { ClickHouseLogLevel, createClient, type ClickHouseClient, type DataFormat } from '@clickhouse/client';

import { sharedSqlGateway, SQL_KEYS } from '../../support/sql-gateway.js';

const opened = sharedSqlGateway();

const OF_JSON = [
  ...['JSON', 'JSONStrings', 'JSONCompact', 'JSONCompactStrings', 'JSONColumnsWithMetadata'],
  ...['JSONObjectEachRow', 'JSONEachRow', 'JSONStringsEachRow', 'JSONCompactEachRow'],
  ...['JSONCompactStringsEachRow', 'JSONCompactEachRowWithNames', 'JSONCompactEachRowWithNamesAndTypes'],
  ...['JSONCompactStringsEachRowWithNames', 'JSONCompactStringsEachRowWithNamesAndTypes'],
] as const;
const OF_TEXT = [
  ...['CSV', 'CSVWithNames', 'CSVWithNamesAndTypes', 'TabSeparated', 'TabSeparatedRaw'],
  ...['TabSeparatedWithNames', 'TabSeparatedWithNamesAndTypes', 'CustomSeparated'],
  ...['CustomSeparatedWithNames', 'CustomSeparatedWithNamesAndTypes', 'Parquet'],
] as const;

describe.each([true, false])('the client for JavaScript, compressed: %s', (response) => {
  let client: ClickHouseClient;
  beforeAll(() => {
    client = createClient({
      ...{ url: opened().sqlUrl, username: 'me', password: SQL_KEYS.tenant, database: 'querygate' },
      ...{ compression: { response }, log: { level: ClickHouseLogLevel.OFF } },
    });
  });
  afterAll(() => client.close());
  const query = 'SELECT status FROM edge_by_status ORDER BY status LIMIT 1';

  test.each(OF_JSON)('reads %s', async (format) => {
    const result = await client.query({ query, format });
    expect(JSON.stringify(await result.json())).toMatch(/\b101\b/);
  });

  test.each(OF_TEXT)('reads %s', async (format: DataFormat) => {
    const result = await client.exec({ query: `${query} FORMAT ${format}` });
    const text = Buffer.concat(await result.stream.toArray()).toString('latin1');
    expect(text).toMatch(format === 'Parquet' ? /^PAR1[^]*PAR1$/ : /^101$/m);
  });

  test('reads a stream to its end', async () => {
    const rows = (
      await client.query({ query: 'SELECT number FROM numbers(200000)', format: 'JSONEachRow' })
    ).stream();
    let count = 0;
    for await (const some of rows) count += some.length;
    expect(count).toBe(200_000);
  });

  test('sees the error of a stream', async () => {
    const rows = (
      await client.query({
        ...{ query: 'SELECT number, intDiv(1, number - 800000) FROM numbers(900000)', format: 'CSV' },
      })
    ).stream();
    const read = async (): Promise<void> => {
      for await (const some of rows) expect(some.length).toBeGreaterThan(0);
    };
    await expect(read()).rejects.toMatchObject({ code: response ? 'ECONNRESET' : '153' });
  });
});

describe('what JDBC sends', () => {
  test('as constant rows', async () => {
    const { rows } = opened();
    const joined =
      'SELECT name, c2, c3 FROM system.data_type_families AS dt ' +
      "LEFT JOIN (SELECT * FROM VALUES (('UInt8', 3, true), ('Date', 10, false))) AS attrs ON dt.name = attrs.c1 WHERE c2 = 3";
    expect(await rows(joined)).toBe('UInt8\t3\ttrue\n');
    expect(await rows('SELECT * FROM values((1, [2]), (3, []))')).toBe('1\t[2]\n3\t[]\n');
    expect(await rows('SELECT * FROM (VALUES (1), (2)) AS t')).toBe('1\n2\n');
    const search = { param_p: 'x' };
    expect(await rows('SELECT * FROM values((1, {p:String}))', { search })).toBe('1\tx\n');
  });

  test.each([
    ["values('a UInt8, b String ALIAS file(\\'/etc/hostname\\')', 1)", 'other than rows in brackets'],
    ["values('a UInt8', 1)", 'other than rows in brackets'],
    ['values({p:String}, 1)', 'other than rows in brackets'],
    ['values((1), (SELECT 1))', 'more than constants'],
    ["values((1, lower('x')))", 'more than constants'],
    ['values([version()])', 'more than constants'],
  ])('is refused as %s', async (table, problem) => {
    const response = await opened().send(`SELECT * FROM ${table}`, { search: { param_p: 'a UInt8' } });
    expect([response.status, await response.text()]).toEqual([403, expect.stringContaining(problem)]);
  });

  test('is sent as a frame of LZ4 where it accepts nothing else', async () => {
    const { send, rows } = opened();
    const sql = 'SELECT number, hex(number) FROM numbers(100000)';
    const options = { search: { enable_http_compression: '1' }, headers: { 'Accept-Encoding': 'lz4' } };
    const response = await send(sql, options);
    expect(response.headers.get('content-encoding')).toBe('lz4');
    const frame = Buffer.from(await response.arrayBuffer());
    expect(frame.subarray(0, 7).toString('hex')).toBe('04224d18405077');
    expect(contentOf(frame.subarray(7))).toBe(await rows(sql));
  });
});

test('a database that is not there is error 81', async () => {
  const response = await opened().send('SELECT 1', { search: { database: 'logs' } });
  expect([response.status, response.headers.get('x-clickhouse-exception-code')]).toEqual([404, '81']);
});

test('advice ends as a sentence does', async () => {
  const unknown = await opened().send('SELECT * FROM edge_by_statu');
  expect(await unknown.text()).toContain('Did you mean edge_by_status? (UNKNOWN_TABLE)');
});

/** The content of blocks that are not compressed. */
function contentOf(blocks: Buffer): string {
  const contents: Buffer[] = [];
  let at = 0;
  for (let length; (length = blocks.readUInt32LE(at)) !== 0; at += 4 + length) {
    length -= 0x80000000;
    expect(length).toBeGreaterThan(0);
    expect(length).toBeLessThanOrEqual(256 * 1024);
    contents.push(blocks.subarray(at + 4, at + 4 + length));
  }
  expect(at + 4).toBe(blocks.length);
  return Buffer.concat(contents).toString();
}
