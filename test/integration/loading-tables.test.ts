import { Readable } from 'node:stream';

import type { LoadOptions } from '../../src/commands/loading/load-file.js';
import type { LoadReport } from '../../src/commands/loading/load-report.js';
import { useLoading } from '../support/loading.js';

const NOW = new Date('2026-06-15T12:30:45.500Z');

const { database, load: loadText, rejected, rowsOf } = useLoading({ now: NOW });

/** Creates the table `t`, which keeps its expired rows, and loads lines into it. */
async function load(
  definition: string,
  lines: readonly (object | string)[],
  options: Partial<LoadOptions> = {},
): Promise<LoadReport> {
  await database.client.command({ query: `CREATE OR REPLACE TABLE t ${definition}` });
  await database.client.command({ query: 'SYSTEM STOP TTL MERGES t' });
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  return loadText(text, { table: 't', ...options });
}

describe('loadFile into a table without id, project and timestamp', () => {
  it('loads values of any type, and rejects those that do not fit', async () => {
    const definition = `(
        number UInt64, price Decimal(9, 2), kind Enum8('a' = 1, 'b' = 2), code FixedString(300),
        size LowCardinality(UInt8), place Tuple(x Float32, y Float32), counts Map(String, UInt8),
        words Nested(word String, count UInt8), json JSON, choice Variant(UInt8, UInt16), day Date, at DateTime64(3),
        \`odd\`\`name\` Array(Nullable(Bool))
      ) ENGINE = MergeTree ORDER BY number
      SETTINGS allow_suspicious_low_cardinality_types = 1, allow_suspicious_fixed_string_types = 1,
        allow_suspicious_variant_types = 1`;
    const row = {
      price: 12.5,
      kind: 'b',
      code: 'x'.repeat(300),
      size: 3,
      place: { x: 1, y: 2 },
      counts: { a: 1 },
      'words.word': ['p', 'q'],
      'words.count': [1, 2],
      choice: 300,
      day: '2026-01-02',
      at: '2026-01-02 03:04:05.678',
      'odd`name': [true, null],
    };
    const misfits = [{ kind: 'c' }, { number: -1 }, { number: 1e20 }, { day: 'soon' }];
    const report = await load(definition, [{ ...row, number: 7, json: { a: 'b' } }, {}, ...misfits]);
    expect(rejected).toEqual({
      3: 'kind "c" does not fit Enum8',
      4: 'number -1 does not fit UInt64',
      5: 'number 100000000000000000000 does not fit UInt64',
      6: 'day "soon" is not a time that ClickHouse can read',
    });
    expect(report).toMatchObject({ loaded: 2, ttl: undefined });
    expect(report.unknownFields.list()).toEqual([]);
    expect(await rowsOf('SELECT * EXCEPT (number, json) FROM t WHERE number = 7')).toEqual([row]);
    expect(await rowsOf('SELECT json.a AS a FROM t WHERE number = 7')).toEqual([{ a: 'b' }]);
    expect(await rowsOf('SELECT kind, counts FROM t WHERE number = 0')).toEqual([{ kind: 'a', counts: {} }]);
  });

  it('computes defaults from ephemeral, materialized and alias columns, whatever a line says of these', async () => {
    const definition = `(
        price UInt32, text String EPHEMERAL, name String DEFAULT upper(text), twice UInt32 MATERIALIZED price * 2,
        more UInt32 ALIAS price + 1, total UInt32 DEFAULT twice + more
      ) ENGINE = MergeTree ORDER BY price`;
    await load(definition, [
      { price: 3, text: 'a', twice: 100, more: 100 },
      { price: 4, name: 'b', total: 5 },
    ]);
    expect(await rowsOf('SELECT *, twice, more FROM t ORDER BY price')).toEqual([
      { price: 3, name: 'A', total: 10, twice: 6, more: 4 },
      { price: 4, name: 'b', total: 5, twice: 8, more: 5 },
    ]);
  });

  it('rejects a line whose default cannot be computed, with ClickHouse’s reason, and loads the others', async () => {
    const definition = '(text String, ip IPv4 DEFAULT toIPv4(text)) ENGINE = MergeTree ORDER BY text';
    const report = await load(definition, [{ text: '1.2.3.4' }, { text: 'x' }, {}]);
    expect(report).toMatchObject({ loaded: 1, rejected: 2 });
    expect(rejected[2]).toBe(
      'ClickHouse cannot read the line: Cannot parse IPv4 x: Cannot parse IPv4 from String',
    );
  });

  it('rejects every line of a file of which ClickHouse can read none', async () => {
    const report = await load("(kind Enum8('a' = 1)) ENGINE = MergeTree ORDER BY kind", [{ kind: 'b' }]);
    expect(report).toMatchObject({ loaded: 0, rejected: 1 });
  });

  it('fails with shiftToNow before it reads a byte', async () => {
    const stdin = Readable.from([Buffer.from('{}')]);
    for (const definition of [
      '(day Date) ENGINE = MergeTree ORDER BY day',
      '(timestamp UInt64) ENGINE = MergeTree ORDER BY timestamp',
      '(day Date, timestamp DateTime MATERIALIZED now()) ENGINE = MergeTree ORDER BY day',
    ]) {
      await expect(load(definition, [], { stdin, shiftToNow: true })).rejects.toThrow(
        'the table t has no column timestamp that --shift-to-now can shift',
      );
    }
    expect(stdin.readableDidRead).toBe(false);
  });
});

describe('loadFile with unknown fields', () => {
  const DEFINITION = `(
      project String, status_code UInt16, origin String MATERIALIZED upper(project)
    ) ENGINE = MergeTree ORDER BY project`;
  const lines = [
    { project: 'a' },
    { projekt: 'b', origin: 'o' },
    { projekt: 'c', ip: '1.2.3.4', status_code: 'rejected' },
    'not JSON',
  ];

  it('loads the lines, and counts the lines with each field', async () => {
    const report = await load(DEFINITION, lines);
    expect(report).toMatchObject({ loaded: 2, rejected: 2 });
    expect(report.unknownFields.list()).toEqual([
      { field: 'projekt', lines: 2, suggestion: 'project' },
      { field: 'origin', lines: 1, suggestion: undefined },
      { field: 'ip', lines: 1, suggestion: undefined },
    ]);
  });

  it('does not shift to a time of a line that is rejected', async () => {
    const definition = '(timestamp DateTime) ENGINE = MergeTree ORDER BY timestamp';
    const times = [{ timestamp: '2020-01-01T00:00:00Z' }, { timestamp: '2021-01-01T00:00:00Z', ip: 1, n: 1 }];
    await load(definition, times, { strict: true, shiftToNow: true });
    expect(rejected).toEqual({ 2: 'unknown field `ip` (and 1 more)' });
    expect(await rowsOf("SELECT toString(timestamp, 'UTC') AS time FROM t")).toEqual([
      { time: '2026-06-15 12:30:45' },
    ]);
  });
});

describe('loadFile with shiftToNow', () => {
  const lines = [{ timestamp: '2020-02-28' }, { timestamp: '2020-03-01' }];

  it.each([
    ['Date', ['2026-06-13', '2026-06-15']],
    ['Date32', ['2026-06-13', '2026-06-15']],
    ['DateTime', ['2026-06-13 12:30:45', '2026-06-15 12:30:45']],
    ["DateTime('Asia/Tokyo')", ['2026-06-13 21:30:45', '2026-06-15 21:30:45']],
    ['DateTime64(3)', ['2026-06-13 12:30:45.500', '2026-06-15 12:30:45.500']],
    ['DateTime64(9)', ['2026-06-13 12:30:45.500000000', '2026-06-15 12:30:45.500000000']],
    ['LowCardinality(DateTime)', ['2026-06-13 12:30:45', '2026-06-15 12:30:45']],
  ])('moves a timestamp of the type %s', async (type, expected) => {
    const settings = 'SETTINGS allow_suspicious_low_cardinality_types = 1';
    await load(`(timestamp ${type}) ENGINE = MergeTree ORDER BY timestamp ${settings}`, lines, {
      shiftToNow: true,
    });
    const query =
      "SELECT toString(timestamp) AS time FROM t ORDER BY timestamp SETTINGS session_timezone = 'UTC'";
    expect(await rowsOf(query)).toEqual(expected.map((time) => ({ time })));
  });

  it('leaves a null', async () => {
    const definition = '(timestamp Nullable(DateTime)) ENGINE = MergeTree ORDER BY tuple()';
    await load(definition, [...lines, { timestamp: null }, {}], { shiftToNow: true });
    expect(
      await rowsOf('SELECT toUInt8(countIf(timestamp IS NULL)) AS nulls, toUInt8(count()) AS n FROM t'),
    ).toEqual([{ nulls: 2, n: 4 }]);
  });
});

describe('loadFile into a table with a TTL', () => {
  const YEARS_AGO = '2020-01-01 00:00:00';
  const recent = new Date(Date.now() - 3_600_000).toISOString();

  it.each([
    [
      'of any column',
      '(expires_at DateTime) ENGINE = MergeTree ORDER BY expires_at TTL expires_at',
      'expires_at',
    ],
    ['of a Date', '(day Date) ENGINE = MergeTree ORDER BY day TTL day + INTERVAL 1 WEEK', 'day'],
    [
      'of a materialized column',
      '(at DateTime, day Date MATERIALIZED toDate(at)) ENGINE = MergeTree ORDER BY at TTL day + INTERVAL 1 YEAR DELETE',
      'at',
    ],
    [
      'with several parts',
      `(at DateTime, kind String) ENGINE = MergeTree ORDER BY at
        TTL at + INTERVAL 1 DAY RECOMPRESS CODEC(ZSTD(3)), at + INTERVAL 1 DAY DELETE WHERE kind = 'x', at + INTERVAL 1 YEAR`,
      'at',
    ],
  ])('%s counts the lines that ClickHouse will delete', async (_, definition, column) => {
    const day = recent.slice(0, column === 'day' ? 10 : 19);
    const old = column === 'day' ? '2020-01-01' : YEARS_AGO;
    const report = await load(definition, [{ [column]: old }, { [column]: day }, { [column]: old }]);
    // What expired at once is not older than a day.
    const expired = column === 'expires_at' ? 3 : 2;
    expect(report).toMatchObject({ loaded: 3, olderThanRetention: expired });
    await database.client.command({ query: 'SYSTEM START TTL MERGES t' });
    await database.client.command({ query: 'OPTIMIZE TABLE t FINAL' });
    expect(await rowsOf('SELECT toUInt8(count()) AS n FROM t')).toEqual([{ n: 3 - expired }]);
  });

  it('counts a line that never expires as such', async () => {
    const definition = '(expires_at DateTime) ENGINE = MergeTree ORDER BY expires_at TTL expires_at';
    expect(await load(definition, [{ expires_at: 0 }, {}])).toMatchObject({
      loaded: 2,
      olderThanRetention: 0,
    });
  });

  it('counts after the shift', async () => {
    const definition =
      '(timestamp DateTime, day Date MATERIALIZED toDate(timestamp)) ENGINE = MergeTree ORDER BY day TTL day + INTERVAL 1 MONTH';
    const lines = [{ timestamp: '2020-01-01 00:00:00' }, { timestamp: '2020-06-01 00:00:00' }];
    expect(await load(definition, lines)).toMatchObject({ olderThanRetention: 2 });
    expect(await load(definition, lines, { shiftToNow: true, now: new Date() })).toMatchObject({
      olderThanRetention: 1,
    });
  });

  it('rejects a line of which it cannot be computed', async () => {
    const definition = '(text String) ENGINE = MergeTree ORDER BY text TTL toDateTime(text) + INTERVAL 1 DAY';
    await load(definition, [{ text: YEARS_AGO }, { text: 'x' }]);
    expect(Object.keys(rejected)).toEqual(['2']);
    expect(rejected[2]).toMatch(/^ClickHouse cannot read the line: .*Cannot parse DateTime from String$/);
  });
});
