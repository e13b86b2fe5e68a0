import { clockAt, microsOf, printMicros } from '../../support/models/time.js';
import { openEndpoint, type EndpointUnderTest, type Row } from './endpoint-under-test.js';

/** Half a minute into the day after a leap day. */
const NOW = microsOf('2096-03-01T00:00:30.500Z');
const TABLE = 'function_relay_logs';

let endpoint: EndpointUnderTest;

beforeAll(async () => {
  endpoint = await openEndpoint('functions.invocation-stats', clockAt(NOW));
});
afterAll(() => endpoint.close());

const invocation = (fields: object): object => ({
  project: 'aurora',
  timestamp: '2096-03-01T00:00:30.000000Z',
  ...fields,
});

const column = (rows: readonly Row[], name: string): readonly unknown[] => rows.map((row) => row[name]);

describe.each([
  // interval, start of the first bucket, end of the last, and the bucket of a record in the middle of a bucket
  ['5min', '2096-02-29T23:55:30Z', '2096-03-01T00:00:31Z', '2096-03-01T00:00:30Z'],
  ['15min', '2096-02-29T23:45:00Z', '2096-03-01T00:01:00Z', '2096-03-01T00:00:00Z'],
  ['1hr', '2096-02-29T23:00:00Z', '2096-03-01T00:01:00Z', '2096-03-01T00:00:00Z'],
  ['1day', '2096-02-29T00:00:00Z', '2096-03-01T01:00:00Z', '2096-03-01T00:00:00Z'],
  ['7day', '2096-02-23T00:00:00Z', '2096-03-02T00:00:00Z', '2096-03-01T00:00:00Z'],
])('interval %s', (interval, first, end, last) => {
  it(`counts from ${first} on, inclusive to the microsecond`, async () => {
    await endpoint.fill(TABLE, [
      invocation({ timestamp: printMicros(microsOf(first) - 1n) }),
      invocation({ timestamp: printMicros(microsOf(first)) }),
    ]);
    expect(await endpoint.rows({ project: 'aurora', interval })).toMatchObject([
      { timestamp: first, count: 1 },
    ]);
  });

  it(`counts all of now's bucket, and nothing from ${end} on`, async () => {
    await endpoint.fill(TABLE, [
      invocation({ timestamp: printMicros(NOW) }),
      invocation({ timestamp: printMicros(microsOf(end) - 1n) }),
      invocation({ timestamp: printMicros(microsOf(end)) }),
    ]);
    expect(await endpoint.rows({ project: 'aurora', interval })).toMatchObject([
      { timestamp: last, count: 2 },
    ]);
  });
});

describe('interval', () => {
  it.each([
    ['5min', ['22:59:58', '22:59:59', '23:00:00']],
    ['15min', ['22:59:00', '23:00:00']],
    ['1hr', ['22:59:00', '23:00:00']],
    ['1day', ['22:00:00', '23:00:00']],
    ['7day', ['00:00:00']],
  ])('%s groups by its own unit, oldest bucket first, without empty buckets', async (interval, starts) => {
    const times = ['23:00:00.000000', '22:59:59.999999', '22:59:58.000001', '22:59:59.000000'];
    await endpoint.fill(
      TABLE,
      times.map((time) => invocation({ timestamp: `2096-02-28T${time}Z` })),
    );
    const now = new Date('2096-02-28T23:00:00.000Z');
    const rows = await endpoint.rows({ project: 'aurora', interval }, now);
    expect(column(rows, 'timestamp')).toEqual(starts.map((start) => `2096-02-28T${start}Z`));
  });

  it.each(['1DAY', '2day', ' 1day', '', "'", '5min\n'])('%j behaves as 1day', async (interval) => {
    const times = ['2096-02-29T00:00:00Z', '2096-02-29T12:34:56Z', '2096-02-28T23:59:59Z'];
    await endpoint.fill(
      TABLE,
      times.map((timestamp) => invocation({ timestamp })),
    );
    const day = await endpoint.rows({ project: 'aurora', interval: '1day' });
    expect(column(day, 'timestamp')).toEqual(['2096-02-29T00:00:00Z', '2096-02-29T12:00:00Z']);
    expect(await endpoint.rows({ project: 'aurora', interval })).toEqual(day);
    expect(await endpoint.rows({ project: 'aurora' })).toEqual(day);
  });
});

describe('project and function_id', () => {
  beforeAll(() =>
    endpoint.fill(TABLE, [
      invocation({ function_id: 'a' }),
      invocation({ function_id: 'b' }),
      invocation({ function_id: 'b' }),
      invocation({}),
      invocation({ project: 'Aurora', function_id: 'a' }),
      invocation({ project: 'borealis', function_id: 'c' }),
      invocation({ project: '', function_id: 'a' }),
    ]),
  );

  it('counts only the records of the project', async () => {
    expect(await endpoint.rows({ project: 'aurora' })).toMatchObject([{ count: 4 }]);
    expect(await endpoint.rows({ project: 'Aurora' })).toMatchObject([{ count: 1 }]);
  });

  it('selects for an empty project the project whose reference is empty', async () => {
    expect(await endpoint.rows({ project: '' })).toMatchObject([{ count: 1 }]);
  });

  it('rejects a call without a project', async () => {
    await expect(endpoint.rows({})).rejects.toMatchObject({
      code: 'INVALID_PARAMETERS',
      details: { problems: [{ param: 'project', problem: 'is required' }] },
    });
  });

  it('returns no row for an unknown project or function', async () => {
    expect(await endpoint.rows({ project: 'nobody' })).toEqual([]);
    expect(await endpoint.rows({ project: 'aurora', function_id: 'c' })).toEqual([]);
    expect(await endpoint.rows({ project: 'aurora', function_id: 'A' })).toEqual([]);
  });

  it('counts only the named function', async () => {
    expect(await endpoint.rows({ project: 'aurora', function_id: 'b' })).toMatchObject([{ count: 2 }]);
  });

  it('treats an empty function_id as omitted', async () => {
    expect(await endpoint.rows({ project: 'aurora', function_id: '' })).toMatchObject([{ count: 4 }]);
  });
});

describe('execution times and errors', () => {
  it('returns minimum, maximum, average, quantiles and counts in the order of the specification', async () => {
    const times = [0.5, 20, 3.25, 1];
    await endpoint.fill(
      TABLE,
      times.map((execution_time_ms) => invocation({ execution_time_ms, status_code: 200 })),
    );
    const { text } = await endpoint.run({ project: 'aurora', interval: '7day' });
    expect(text).toBe(
      '{"result":[{"timestamp":"2096-03-01T00:00:00Z","min_execution_time":0.5,"max_execution_time":20,' +
        '"avg_execution_time":6.1875,"p95_execution_time":20,"p99_execution_time":20,"count":4,"error_count":0}]}',
    );
  });

  it('counts status codes from 400 as errors, and a record without a status only in count', async () => {
    const codes = [100, 200, 302, 399, 400, 404, 499, 500, 599, null, null];
    await endpoint.fill(
      TABLE,
      codes.map((status_code) => invocation({ status_code, execution_time_ms: 1 })),
    );
    expect(await endpoint.rows({ project: 'aurora' })).toMatchObject([{ count: 11, error_count: 5 }]);
  });

  it('excludes records without an execution time from the times, but not from the counts', async () => {
    await endpoint.fill(TABLE, [
      invocation({ execution_time_ms: 10, status_code: 500 }),
      invocation({ execution_time_ms: null, status_code: 500 }),
      invocation({ execution_time_ms: 30 }),
    ]);
    expect(await endpoint.rows({ project: 'aurora' })).toMatchObject([
      { min_execution_time: 10, max_execution_time: 30, avg_execution_time: 20, count: 3, error_count: 2 },
    ]);
  });

  it('returns null times for a bucket without execution times', async () => {
    await endpoint.fill(TABLE, [invocation({ execution_time_ms: null })]);
    expect(await endpoint.rows({ project: 'aurora' })).toEqual([
      {
        timestamp: '2096-03-01T00:00:00Z',
        min_execution_time: null,
        max_execution_time: null,
        avg_execution_time: null,
        p95_execution_time: null,
        p99_execution_time: null,
        count: 1,
        error_count: 0,
      },
    ]);
  });

  it('returns p95 and p99 within 1 % of rank on thousands of long-tail values in several parts', async () => {
    // The quantiles of a Pareto distribution, in an order unrelated to their size.
    const values = Array.from({ length: 6000 }, (_, index) => (1 - ((index * 2741) % 6000) / 6000) ** -1.5);
    await endpoint.fill(TABLE, []);
    for (const from of [0, 2000, 4000]) {
      const part = values.slice(from, from + 2000);
      await endpoint.database.insert(
        TABLE,
        part.map((execution_time_ms) => invocation({ execution_time_ms })),
      );
    }
    const [row] = await endpoint.rows({ project: 'aurora' });
    const rankOf = (name: string): number =>
      values.filter((value) => value <= Number(row?.[name])).length / values.length;
    expect(Math.abs(rankOf('p95_execution_time') - 0.95)).toBeLessThanOrEqual(0.01);
    expect(Math.abs(rankOf('p99_execution_time') - 0.99)).toBeLessThanOrEqual(0.01);
  });

  it.each([[1234.5678901], [16777217], [16777219, 16777217], [3.5e38, 4e38, 1e300], [-1e-320, -1e300]])(
    'returns p95 and p99 of %j, … as elements of the data, to the last bit',
    async (...times) => {
      await endpoint.fill(
        TABLE,
        times.map((execution_time_ms) => invocation({ execution_time_ms })),
      );
      for (const interval of ['5min', '1hr', '1day', '7day']) {
        const [row] = await endpoint.rows({ project: 'aurora', interval });
        const largest = Math.max(...times);
        expect(row).toMatchObject({ max_execution_time: largest, p95_execution_time: largest });
        expect(row).toMatchObject({ p99_execution_time: largest });
      }
    },
  );

  it('treats NaN as no execution time, and infinity as one whose percentile is null', async () => {
    await endpoint.fill(TABLE, []);
    const times = [...Array.from({ length: 98 }, (_, index) => index), 'nan', '1e999', '1e999'];
    await endpoint.insertLines(
      TABLE,
      ...times.map((time) => JSON.stringify(invocation({ execution_time_ms: time }))),
    );
    expect(await endpoint.rows({ project: 'aurora' })).toMatchObject([
      { min_execution_time: 0, max_execution_time: null, p95_execution_time: 94, p99_execution_time: null },
    ]);
  });
});
