import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';

import { LoadError } from '../../src/commands/loading/load-error.js';
import type { LoadProgress } from '../../src/commands/loading/load-report.js';
import { useLoading } from '../support/loading.js';
import { withTemporaryFolder } from '../support/temporary-folder.js';

const NOW = new Date();
const NOW_MICROS = BigInt(NOW.getTime()) * 1000n;
const RECENT = new Date(NOW.getTime() - 3_600_000).toISOString();

const { database, load, rejected, rowsOf } = useLoading(
  { now: NOW },
  { output_format_json_quote_64bit_integers: 1 },
);

const line = (fields: object): string => JSON.stringify({ timestamp: RECENT, ...fields });

describe('loadFile', () => {
  it('converts each line to the row that a log shipper’s INSERT creates', async () => {
    const lines = [
      line({
        event_message: 'a',
        metadata: { request: { method: 'GET', url: 'http://h/p?q' }, response: { status_code: 404 } },
        unknown: [{}],
      }),
      line({ event_message: 'b', id: null, status_code: null, metadata: null }),
      line({ event_message: 'c', status_code: '201', path: '/é\n\t\\\'"$$', metadata: { a: [1.5, 'ü'] } }),
      line({ event_message: 5, timestamp: NOW.getTime() * 1000, method: true }),
    ];
    await load(lines.join('\n'), { table: 'edge_logs' });
    await database.client.command({ query: 'CREATE TABLE shipped AS edge_logs ENGINE = Memory' });
    await database.insert(
      'shipped',
      lines.map((text) => JSON.parse(text) as object),
    );
    const all = (table: string): Promise<unknown[]> =>
      rowsOf(`SELECT * EXCEPT id, id = toUUID('${'0'.repeat(32)}') FROM ${table} ORDER BY event_message`);
    expect(await all('edge_logs')).toEqual(await all('shipped'));
    expect(await rowsOf('SELECT uniqExact(id) AS ids FROM edge_logs')).toEqual([{ ids: '4' }]);
  });

  it('rejects exactly the lines that cannot be loaded, in order, with the reason', async () => {
    const lines = [
      line({ event_message: 'good 1' }),
      'not json',
      line({ status_code: 'OK' }),
      line({ status_code: 99999 }),
      line({ timestamp: 'yesterday' }),
      line({ timestamp: '2500-01-01T00:00:00Z' }),
      line({ id: 'x' }),
      line({ event_message: 'good 2' }),
      `{"timestamp":"${RECENT}","level":"a","level":"b"}`,
      `{"timestamp":"${RECENT}","level":"\\ud800"}`,
      `{"timestamp":"${RECENT}","unknown":${'['.repeat(2000)}${']'.repeat(2000)}}`,
      '{"event_message":"no time"}',
      line({ id: 'y' }),
      line({ event_message: 'good 3' }),
      '',
      `${line({})},`,
      line({}) + line({}),
      '{"timestamp":null}',
      '{"timestamp":1779012303123456789}',
      `  ${line({ event_message: 'good 4' })} `,
    ];
    const report = await load(lines.join('\r\n'), { table: 'auth_logs' });
    expect(rejected).toEqual({
      2: expect.stringMatching(/^not JSON: /) as string,
      3: 'status_code "OK" does not fit UInt16',
      4: 'status_code 99999 does not fit UInt16',
      5: 'timestamp "yesterday" is not a time that ClickHouse can read',
      6: expect.stringMatching(
        /^timestamp "2500-01-01T00:00:00Z" does not fit DateTime64\(.*\), which would store /,
      ) as string,
      7: 'id "x" does not fit UUID',
      9: 'ClickHouse cannot read the line: Duplicate field found while parsing JSONEachRow format: level',
      10: expect.stringMatching(/^ClickHouse cannot read the line: .*surrogate pair$/) as string,
      11: 'nested in more than 1000 levels',
      12: 'no timestamp',
      13: 'id "y" does not fit UUID',
      16: expect.stringMatching(/^not JSON: /) as string,
      17: expect.stringMatching(/^not JSON: /) as string,
      18: 'no timestamp',
      19: expect.stringMatching(
        /^timestamp 1779012303123456789 does not fit DateTime64\(.*\), which would store /,
      ) as string,
    });
    const numbers = [2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 16, 17, 18, 19];
    expect(Object.keys(rejected).map(Number)).toEqual(numbers);
    expect(report).toMatchObject({ loaded: 4, rejected: numbers.length });
    expect(await rowsOf('SELECT event_message FROM auth_logs ORDER BY event_message')).toEqual(
      [1, 2, 3, 4].map((number) => ({ event_message: `good ${number}` })),
    );
  });

  it('loads a long file in several batches, one part for each, and every line once', async () => {
    const lines = Array.from({ length: 45_000 }, (_, index) =>
      index % 9_000 === 0 ? line({ id: index }) : line({ event_message: String(index) }),
    );
    const progress: LoadProgress[] = [];
    const report = await load(gzipSync(lines.join('\n')), {
      table: 'rest_logs',
      onProgress: (step) => progress.push(step),
    });
    expect(report).toMatchObject({
      loaded: 44_995,
      rejected: 5,
      olderThanRetention: 0,
    });
    expect(await rowsOf('SELECT count() AS n, uniqExact(event_message) AS different FROM rest_logs')).toEqual(
      [{ n: '44995', different: '44995' }],
    );
    const parts = `SELECT max(max_block_number) AS last FROM system.parts WHERE database = currentDatabase() AND table = 'rest_logs'`;
    expect(await rowsOf(parts)).toEqual([{ last: '3' }]);
    expect(progress.map((step) => [step.phase, step.loaded])).toEqual([
      ['loading', 19_997],
      ['loading', 39_995],
      ['loading', 44_995],
    ]);
  });

  it('rejects an unknown table before reading a byte, and names the tables', async () => {
    const stdin = Readable.from([Buffer.from('x')]);
    const loading = load('', { table: 'edge`log', stdin });
    await expect(loading).rejects.toBeInstanceOf(LoadError);
    await expect(loading).rejects.toThrow(
      /^the table edge`log does not exist; the tables are auth_logs, .*custom_events.*\. To add one, .* run querygate migrate$/,
    );
    expect(stdin.readableDidRead).toBe(false);
  });
});

describe('loadFile with shiftToNow', () => {
  const times = {
    iso: '2015-05-17T10:05:03.000001Z',
    zoned: '2015-05-17T12:05:02.5+02:00',
    plain: '2015-05-17 10:05:01',
    textSeconds: '1431857100',
    integer: 1_431_857_099_999_999,
    before1970: '1969-12-31T23:59:59.999999Z',
  };
  const lines = [
    ...Object.entries(times).map(([event_message, timestamp]) => line({ event_message, timestamp })),
    line({ timestamp: '2299-01-01T00:00:00Z', status_code: 'rejected, so it does not count' }),
    line({ timestamp: 'yesterday' }),
    line({ timestamp: '1900-01-01T00:00:00Z', event_message: 'oldest' }),
  ].join('\n');
  const stored = (): Promise<unknown[]> =>
    rowsOf('SELECT event_message, toUnixTimestamp64Micro(timestamp) AS micros FROM shifted ORDER BY micros');

  const newest = async (table: string): Promise<bigint> => {
    const [row] = await rowsOf(`SELECT max(toUnixTimestamp64Micro(timestamp)) AS micros FROM ${table}`);
    return BigInt((row as { micros: string }).micros);
  };

  beforeEach(async () => {
    // Without a TTL, so that old rows stay.
    await database.client.command({ query: 'CREATE OR REPLACE TABLE shifted AS auth_logs ENGINE = Memory' });
  });

  it('moves the newest row to now, to the microsecond, and retains all intervals', async () => {
    await load(lines, { table: 'shifted' });
    const before = (await stored()) as { event_message: string; micros: string }[];
    await database.client.command({ query: 'TRUNCATE TABLE shifted' });
    await load(lines, { table: 'shifted', shiftToNow: true });
    const shift = NOW_MICROS - BigInt(Date.UTC(2015, 4, 17, 10, 5, 3)) * 1000n - 1n;
    expect(before.map((row) => row.event_message)).toEqual(['oldest', ...Object.keys(times).reverse()]);
    expect(await stored()).toEqual(
      before.map(({ event_message, micros }) => ({ event_message, micros: String(BigInt(micros) + shift) })),
    );
  });

  it('rejects the same lines with and without it', async () => {
    await load(lines, { table: 'shifted' });
    const shifted: Record<number, string> = {};
    const onRejected = (line: number, reason: string): void => void (shifted[line] = reason);
    await load(lines, { table: 'shifted', shiftToNow: true, onRejected });
    expect(shifted).toEqual(rejected);
    expect(Object.keys(rejected)).toEqual(['7', '8']);
  });

  it('reads a compressed file and standard input like plain text', async () => {
    await withTemporaryFolder(async (folder) => {
      const source = path.join(folder, 'lines');
      await writeFile(source, gzipSync(lines));
      const phases: string[] = [];
      const report = await load('', {
        table: 'shifted',
        source,
        shiftToNow: true,
        onProgress: ({ phase, bytesRead, bytesTotal }) => phases.push(`${phase} ${bytesRead === bytesTotal}`),
      });
      expect(report).toMatchObject({ loaded: 7, rejected: 2 });
      expect(await newest('shifted')).toBe(NOW_MICROS);
      expect(phases).toEqual(['scanning true', 'loading true']);
    });
  });

  it('rejects a row that the move would take beyond the years that ClickHouse stores', async () => {
    const report = await load(
      [line({ timestamp: '1900-01-01T00:00:00Z' }), line({ timestamp: '2299-12-31T00:00:00Z' })].join('\n'),
      { table: 'shifted', shiftToNow: true },
    );
    expect(report).toMatchObject({ loaded: 1 });
    expect(await newest('shifted')).toBe(NOW_MICROS);
    expect(rejected).toEqual({ 1: 'timestamp, after the shift, is outside the years 1900 to 2299' });
  });
});
