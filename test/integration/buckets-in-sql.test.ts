import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { createQueryRunner } from '../../src/gateway/clickhouse/query-runner.js';
import { readSqlEndpoint } from '../support/read-sql-endpoint.js';
import { checkSqlFile } from '../support/check-sql-file.js';
import { useTestDatabase } from '../support/clickhouse.js';
import { ROOT } from '../support/documentation.js';
import { createTestGateway, type TestGateway } from '../support/test-gateway.js';

const EXAMPLE = path.join(ROOT, 'src/commands/cli/templates/example');
const INTERVALS = ['minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'] as const;
/** With clocks that are set forward and back, at midnight too, and with offsets of half and quarter hours. */
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'America/Santiago',
  'Asia/Kathmandu',
];
const DAY_MS = 86_400_000;
const STEP_MS = 15 * 60_000;
const [FIRST, END] = [Date.UTC(2026, 0, 1), Date.UTC(2027, 0, 1)];

const database = useTestDatabase();
let source: string;
let gateway: TestGateway;
beforeAll(async () => {
  source = await readFile(path.join(EXAMPLE, 'endpoints/requests.over-time.sql'), 'utf8');
  const schema = await readFile(path.join(EXAMPLE, 'clickhouse-schema/0001_requests.sql'), 'utf8');
  await database.client.command({ query: schema.replace(/^--.*\n/, '').replace(/;\s*$/, '') });
  await database.client.command({
    query: `INSERT INTO requests (shop, timestamp, status)
      SELECT 'harbour', toDateTime64(${FIRST / 1000} + number * ${STEP_MS / 1000}, 3, 'UTC'), 200
      FROM numbers(${(END - FIRST) / STEP_MS})`,
  });
  gateway = await createTestGateway({ endpoints: [readSqlEndpoint(source)], clock: () => new Date(END) });
  gateway.runQuery.respondWith(createQueryRunner(database.client, { timeoutMs: 20_000 }));
});

interface LocalTime {
  readonly day: number;
  readonly text: string;
}

/** Of each zone: every interval needs the same times, and Node takes its time for each. */
const knownTimes = new Map<string, Map<number, LocalTime>>();

/** The local time of an instant as the parts that Node's own time zones give it. */
function localTimes(zone: string): (at: number) => LocalTime {
  const known = knownTimes.get(zone) ?? new Map<number, LocalTime>();
  knownTimes.set(zone, known);
  const format = new Intl.DateTimeFormat('en', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  return (at) => {
    const before = known.get(at);
    if (before) return before;
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
    const { year = '', month = '', day = '', hour = '', minute = '' } = parts;
    const local = { day: Date.UTC(Number(year), Number(month) - 1, Number(day)), text: `${hour}:${minute}` };
    known.set(at, local);
    return local;
  };
}

/** What tells the bucket of an instant from the others. */
function bucketOf(
  interval: (typeof INTERVALS)[number],
  local: ReturnType<typeof localTimes>,
): (at: number) => string {
  const month = (day: number): number => new Date(day).getUTCMonth();
  const year = (day: number): number => new Date(day).getUTCFullYear();
  return (at) => {
    const { day, text } = local(at);
    if (interval === 'minute') return String(at);
    // The offset tells the hour that comes twice.
    if (interval === 'hour') return `${day} ${text.slice(0, 2)} ${day + minutes(text) * 60_000 - at}`;
    if (interval === 'day') return String(day);
    if (interval === 'week') return String(Math.floor((day / DAY_MS + 3) / 7));
    if (interval === 'month') return `${year(day)} ${month(day)}`;
    return interval === 'quarter' ? `${year(day)} ${Math.floor(month(day) / 3)}` : String(year(day));
  };
}

const minutes = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));

function expected(interval: (typeof INTERVALS)[number], zone: string): readonly number[] {
  const of = bucketOf(interval, localTimes(zone));
  const counts = new Map<string, number>();
  for (let at = FIRST; at < END; at += STEP_MS) counts.set(of(at), (counts.get(of(at)) ?? 0) + 1);
  return [...counts.values()];
}

interface Row {
  readonly bucket: string;
  readonly requests: number;
}

const rowsOf = async (interval: string, zone: string, since: string): Promise<readonly Row[]> => {
  const query = new URLSearchParams({ shop: 'harbour', interval, zone, since });
  const response = await gateway.get(`/api/endpoints/query/requests.over-time?${query.toString()}`);
  expect(response.status).toBe(200);
  return (response.body as { readonly result: readonly Row[] }).result;
};

describe('the buckets of requests.over-time', () => {
  it.each(ZONES.flatMap((zone) => INTERVALS.slice(2).map((interval) => [interval, zone] as const)))(
    'of a %s in %s have the records of a year that belong to them, and begin at local midnight',
    async (interval, zone) => {
      const rows = await rowsOf(interval, zone, '2026-01-01');
      expect(rows.map(({ requests }) => requests)).toEqual(expected(interval, zone));
      const local = localTimes(zone);
      // In Santiago the clocks are set forward at midnight: that day begins at one.
      const starts = new Set(rows.slice(1).map(({ bucket }) => local(Date.parse(bucket)).text));
      expect([...starts].filter((text) => text !== '00:00' && text !== '01:00')).toEqual([]);
    },
  );

  it.each([
    [
      'Europe/Berlin',
      '2026-10-25T00:00:00Z',
      ['2026-10-25T00:00:00Z', '2026-10-25T01:00:00Z', '2026-10-25T02:00:00Z'],
    ],
    [
      'America/New_York',
      '2026-11-01T05:00:00Z',
      ['2026-11-01T05:00:00Z', '2026-11-01T06:00:00Z', '2026-11-01T07:00:00Z'],
    ],
    [
      'Asia/Kolkata',
      '2026-05-01T00:30:00Z',
      ['2026-05-01T00:30:00Z', '2026-05-01T01:30:00Z', '2026-05-01T02:30:00Z'],
    ],
  ])('of an hour in %s tell the hour that comes twice', async (zone, since, starts) => {
    const rows = await rowsOf('hour', zone, since);
    expect(rows.slice(0, 3)).toEqual(starts.map((bucket) => ({ bucket, requests: 4, failures: 0 })));
    expect((await rowsOf('minute', zone, since))[1]?.bucket).toBe(
      new Date(Date.parse(since) + STEP_MS).toISOString().replace('.000', ''),
    );
  });
});

describe('querygate check', () => {
  const written = (): string =>
    source
      .replace(/\ncolumns:[^]*?(?=\ncaching)/, '')
      .replace(/example: .*/, 'example: { shop: harbour, zone: Asia/Tokyo }');

  it('writes a column whose zone a parameter decides without the zone, and accepts it with any', async () => {
    const { faults, text } = await checkSqlFile(database.client, written());
    expect(faults).toEqual([]);
    expect(text).toContain('bucket: DateTime64(0)');
    for (const type of ['DateTime64(0)', "DateTime64(0, 'UTC')"]) {
      const again = await checkSqlFile(
        database.client,
        text.replace('bucket: DateTime64(0)', `bucket: ${type}`),
      );
      expect(again.faults).toEqual([]);
    }
  });

  it('compares zones that no parameter decides', async () => {
    const { text } = await checkSqlFile(database.client, written());
    const fixed = text
      .replace('@zone)', "'Asia/Seoul')")
      .replace('0, @zone)', "0, 'Asia/Seoul')")
      .replace('FROM requests', 'FROM requests WHERE @zone != ');
    const { faults } = await checkSqlFile(
      database.client,
      fixed.replace('WHERE @zone != \nWHERE', "WHERE @zone != '' AND"),
    );
    expect(faults.join()).toContain(
      "column bucket is declared as DateTime64(0), but the query returns DateTime64(0, 'Asia/Seoul')",
    );
  });

  it('says that toTimeZone in a result has no effect, and what to write', async () => {
    const zoned = written()
      .replace(
        'toDateTime64(date_trunc(@interval, timestamp, @zone), 0, @zone)',
        "toTimeZone(date_trunc('hour', timestamp), @zone)",
      )
      .replace(/ {2}interval:[^]*?(?= {2}zone)/, '');
    const { warnings } = await checkSqlFile(database.client, zoned);
    expect(warnings.join()).toContain(
      'column bucket: toTimeZone has no effect, because times are written in UTC',
    );
    expect(warnings.join()).toContain("formatDateTime(bucket, '%F %T', zone)");
  });
});
