import { openTestRedis, sharedRedisUrl, type TestRedis } from '../../support/test-redis.js';
import { SettableClock } from '../../support/settable-clock.js';
import {
  versionedEndpoint,
  VersionedServer,
  type VersionedGateway,
} from '../../support/versioned-gateway.js';

const RANGE = `parameters:
  from: { kind: timestamp, required: true, description: The begin. }
  to: { kind: timestamp, required: true, description: The end. }
  zone: { kind: timezone, default: UTC, description: The zone of the days. }`;
const piecesOf = (bucket: string, more = ''): string =>
  `pieces: { table: events, time: t, bucket: ${bucket}, from: from, to: to${more} }`;
const COUNTS = `columns: { bucket: "DateTime('UTC')", n: UInt64, s: UInt64 }`;

/** Endpoints over a table of days. */
const select = (bucket: string, more = ''): string =>
  `SELECT ${bucket} AS bucket, count() AS n, sum(v) AS s FROM events WHERE t >= @from AND t < @to AND @zone != '' ${more}`;
const GROUPED = 'GROUP BY bucket ORDER BY bucket';
const ENDPOINTS = {
  hourly: [`limits: { concurrent: 1 }\n${piecesOf('bucket')}`, select('toStartOfHour(t)', GROUPED)],
  'latest-first': [piecesOf('bucket desc'), select('toStartOfHour(t)', `${GROUPED} DESC`)],
  weekly: [piecesOf('bucket'), select("toDateTime(toMonday(t), 'UTC')", GROUPED)],
  'by-day-of-zone': [piecesOf('bucket'), select("toTimeZone(toStartOfDay(t, @zone), 'UTC')", GROUPED)],
  'few-rows': [`maxRows: 30\n${piecesOf('bucket')}`, select('toStartOfHour(t)', GROUPED)],
  'without-key': [piecesOf('bucket'), select('min(t)')],
} as const;

type Name = keyof typeof ENDPOINTS;
const NAMES = Object.keys(ENDPOINTS) as readonly Name[];

let server: VersionedServer;
let redis: TestRedis;
let gateway: VersionedGateway;
const time = new SettableClock();

beforeAll(async () => {
  server = await VersionedServer.start();
  redis = await openTestRedis();
  await server.run(
    `CREATE TABLE events (t DateTime('UTC'), v UInt64) ENGINE = MergeTree PARTITION BY toYYYYMMDD(t) ORDER BY t
     SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1`,
  );
  gateway = await server.openGateway(
    Object.fromEntries(
      Object.entries(ENDPOINTS).map(([name, [header, query]], index) => [
        name,
        versionedEndpoint(name, index, `${RANGE}\n${COUNTS}\n${header}`, query),
      ]),
    ),
    {
      clock: time.clock,
      environment: { REDIS_URL: sharedRedisUrl(), CACHE_KEY_PREFIX: redis.prefix, ADMIN_PORT: '0' },
    },
  );
}, 120_000);

beforeEach(async () => {
  await server.run('TRUNCATE TABLE events');
  // From the first to the sixth of January, a row every half hour, at the borders of days too.
  await server.run(
    "INSERT INTO events SELECT toDateTime('2026-01-01 00:00:00', 'UTC') + number * 1800, number FROM numbers(6 * 48)",
  );
  time.advance(10_000);
  // The first result of a kind is not composed.
  for (const name of NAMES) await call(name, asked('01T00:00:00Z', '02T00:00:00Z'));
});

afterAll(async () => {
  await gateway.close();
  redis.close();
  await server.stop();
}, 120_000);

const asked = (from: string, to: string, more = ''): string =>
  `from=2026-01-${encodeURIComponent(from)}&to=2026-01-${encodeURIComponent(to)}${more}`;

/** Calls an endpoint, later than any result is fresh. */
const call = (
  name: Name,
  range: string,
  headers?: Readonly<Record<string, string>>,
): ReturnType<VersionedGateway['get']> => {
  time.advance(2000);
  return gateway.get(`${name}?${range}`, headers);
};

/** The number of rows that a call counts, and how it was served. */
async function counted(name: Name, range: string): Promise<readonly [sum: number, cache: string | null]> {
  const { rows, cache } = await call(name, range);
  return [rows.reduce((sum, { n }) => sum + Number(n), 0), cache];
}

it('answers the first of a kind from one query, and keeps pieces from the second on', async () => {
  const caches: (string | null)[] = [];
  for (const from of ['01T12:00:00Z', '01T13:00:00Z', '01T14:00:00Z'])
    caches.push((await call('hourly', asked(from, '05T00:00:00Z', '&zone=Europe/Paris'))).cache);
  expect(caches).toEqual(['MISS', 'MISS', 'PARTIAL']);
});

it('keeps the days that a range covers, for other ranges too, and says how many', async () => {
  const first = await call('hourly', asked('01T12:00:00Z', '06T12:00:00Z'));
  expect([first.cache, first.headers.get('cache-status')]).toEqual([
    'MISS',
    'querygate; fwd=miss; stored; ttl=1',
  ]);
  const second = await call('hourly', asked('01T18:00:00Z', '06T18:00:00Z'));
  expect([second.cache, second.headers.get('cache-status')]).toEqual([
    'PARTIAL',
    'querygate; fwd=miss; stored; ttl=1; detail="4 of 6 days"',
  ]);
  expect(second.rows).toHaveLength(5 * 24);
});

it.each([
  ...['json', 'ndjson', 'csv', 'csv&csv_safe=1', 'tsv', 'csv timestamps=unix-micros', 'json numbers=text'],
])('has in %s the bytes of one query, also where a limit leaves it one query at a time', async (chosen) => {
  const [format = '', Prefer = ''] = chosen.split(' ');
  const bodyOf = async (name: Name, range: string, more = {}): Promise<readonly [string | null, string]> => {
    time.advance(2000);
    const url = `${gateway.gateway.url}/api/endpoints/query/${name}?${range}&format=${format}`;
    const response = await fetch(url, { headers: { 'X-API-KEY': 'a key of every caller', Prefer, ...more } });
    return [response.headers.get('x-cache'), await response.text()];
  };
  for (const name of ['hourly', 'latest-first'] as const) {
    for (const range of [asked('01T12:30:00Z', '05T00:00:00Z'), asked('02T00:00:00Z', '05T17:00:00Z')]) {
      const [, first] = await bodyOf(name, range);
      const [, whole] = await bodyOf(name, range, { 'Cache-Control': 'no-cache' });
      expect(first).toBe(whole);
    }
    const range = asked('01T11:00:00Z', '05T11:00:00Z');
    const composed = await bodyOf(name, range);
    const [, whole] = await bodyOf(name, range, { 'Cache-Control': 'no-cache' });
    expect(composed).toEqual(['PARTIAL', whole]);
    expect(whole.length).toBeGreaterThan(1000);
  }
});

it('queries in other formats the whole range', async () => {
  await call('hourly', asked('02T00:00:00Z', '05T00:00:00Z', '&format=json'));
  time.advance(2000);
  const range = asked('02T00:00:00Z', '05T00:00:00Z', '&format=parquet');
  const response = await fetch(`${gateway.gateway.url}/api/endpoints/query/hourly?${range}`, {
    headers: { 'X-API-KEY': 'a key of every caller' },
  });
  expect([response.status, response.headers.get('x-cache')]).toEqual([200, 'MISS']);
});

describe('what changes', () => {
  const RANGE_OF_DAYS = asked('02T00:00:00Z', '05T00:00:00Z');

  it('is counted: late rows, rows at the border of two days, and rows of an hour that was not over', async () => {
    expect(await counted('hourly', RANGE_OF_DAYS)).toEqual([3 * 48, 'MISS']);
    await server.run("INSERT INTO events VALUES ('2026-01-03 07:00:00', 1)");
    expect(await counted('hourly', RANGE_OF_DAYS)).toEqual([3 * 48 + 1, 'PARTIAL']);
    await server.run("INSERT INTO events VALUES ('2026-01-03 00:00:00', 1)");
    await server.run("INSERT INTO events VALUES ('2026-01-02 23:59:59', 1)");
    expect(await counted('hourly', RANGE_OF_DAYS)).toEqual([3 * 48 + 3, 'PARTIAL']);
    await server.run("INSERT INTO events VALUES ('2026-01-04 23:59:59', 1)");
    expect(await counted('hourly', RANGE_OF_DAYS)).toEqual([3 * 48 + 4, 'PARTIAL']);
  });

  it('is counted where a lightweight update, a delete or a dropped day changes it', async () => {
    const total = async (): Promise<number> =>
      (await call('hourly', RANGE_OF_DAYS)).rows.reduce((sum, { s }) => sum + Number(s), 0);
    const before = await total();
    await server.run("UPDATE events SET v = v + 1 WHERE t = '2026-01-03 00:00:00'", {
      enable_lightweight_update: 1,
    });
    expect(await total()).toBe(before + 1);
    await server.run("DELETE FROM events WHERE t = '2026-01-03 00:00:00'", { lightweight_deletes_sync: '2' });
    expect(await total()).toBe(before - 96);
    await server.run("ALTER TABLE events DROP PARTITION '20260104'");
    expect(await counted('hourly', RANGE_OF_DAYS)).toEqual([2 * 48 - 1, 'PARTIAL']);
  });

  it('is counted in a day that had no rows before', async () => {
    await server.run("ALTER TABLE events DROP PARTITION '20260103'");
    expect(await counted('hourly', RANGE_OF_DAYS)).toEqual([2 * 48, 'MISS']);
    await server.run("INSERT INTO events VALUES ('2026-01-03 07:00:00', 1)");
    expect(await counted('hourly', RANGE_OF_DAYS)).toEqual([2 * 48 + 1, 'PARTIAL']);
  });
});

it('counts kept and queried pieces, and what the kept ones did not read again', async () => {
  const admin = gateway.gateway.adminUrl ?? '';
  const figures = async (): Promise<readonly number[]> => {
    const metrics = await (await fetch(`${admin}/metrics`)).text();
    const samples = [
      'total{endpoint="latest-first",from="cache"}',
      'total{endpoint="latest-first",from="clickhouse"}',
    ];
    const { endpoints } = (await (await fetch(`${admin}/cache`)).json()) as {
      readonly endpoints: readonly {
        endpoint: string;
        partial: number;
        savedRows: number;
        savedBytes: number;
      }[];
    };
    const of = endpoints.find(({ endpoint }) => endpoint === 'latest-first');
    const counted = [...samples, 'saved_rows_total{endpoint="latest-first"}'].map((sample) => {
      const [, line = '0'] = metrics.split(`querygate_pieces_${sample} `);
      return Number.parseInt(line, 10);
    });
    return [...counted, of?.partial ?? 0, of?.savedRows ?? 0];
  };
  await call('latest-first', asked('01T12:00:00Z', '05T12:00:00Z'));
  const before = await figures();
  await call('latest-first', asked('01T13:00:00Z', '05T13:00:00Z'));
  const after = await figures();
  // Three days are kept, and two are cut.
  expect(after.map((figure, index) => figure - (before[index] ?? 0))).toEqual([3, 2, 3 * 48, 1, 3 * 48]);
  // From 13:00 on, the first day is kept too: a query over its rows reads its one granule.
  await call('latest-first', asked('01T12:30:00Z', '05T12:30:00Z'));
  const later = await figures();
  const saved = 4 * 48;
  expect(later.map((figure, index) => figure - (after[index] ?? 0))).toEqual([3, 2, saved, 1, saved]);
});

it('keeps no piece of a day that the range cuts', async () => {
  expect(await counted('hourly', asked('02T06:00:00Z', '04T06:00:00Z'))).toEqual([2 * 48, 'MISS']);
  expect(await counted('hourly', asked('02T00:00:00Z', '05T00:00:00Z'))).toEqual([3 * 48, 'PARTIAL']);
});

it('divides no day where a bucket has rows before and after a full hour', async () => {
  await call('by-day-of-zone', asked('01T00:00:00Z', '05T00:00:00Z'));
  const sums: (readonly [number, string | null])[] = [];
  for (const from of ['01T12:10:00Z', '01T12:20:00Z', '01T12:40:00Z'])
    sums.push(await counted('by-day-of-zone', asked(from, '05T00:00:00Z')));
  expect(sums).toEqual([
    [23 + 3 * 48, 'PARTIAL'],
    [23 + 3 * 48, 'PARTIAL'],
    [22 + 3 * 48, 'PARTIAL'],
  ]);
});

describe('a result comes from one query', () => {
  const expectWhole = async (name: Name, ranges: readonly string[]): Promise<void> => {
    for (const range of ranges) {
      const composed = await call(name, range);
      const whole = await call(name, range, { 'Cache-Control': 'no-cache' });
      expect([composed.cache, composed.rows]).toEqual(['MISS', whole.rows]);
    }
  };

  it('where a bucket has rows of several days', async () => {
    await expectWhole('weekly', [
      asked('01T00:00:00Z', '06T00:00:00Z'),
      asked('02T00:00:00Z', '07T00:00:00Z'),
    ]);
  });

  it('where the days of the caller are not those of the table, and only then', async () => {
    const inZone = '&zone=Europe/Berlin';
    await expectWhole('by-day-of-zone', [
      asked('01T23:00:00Z', '05T23:00:00Z', inZone),
      asked('02T23:00:00Z', '06T00:00:00Z', inZone),
    ]);
    await call('by-day-of-zone', asked('01T00:00:00Z', '05T00:00:00Z'));
    expect((await call('by-day-of-zone', asked('02T00:00:00Z', '06T00:00:00Z'))).cache).toBe('PARTIAL');
  });

  it('where it has more rows than the cap', async () => {
    for (const to of ['03T00:00:00Z', '04T00:00:00Z']) {
      const { cache, rows, headers } = await call('few-rows', asked('01T00:00:00Z', to));
      expect([cache, rows.length, headers.get('x-truncated')]).toEqual(['MISS', 30, 'true']);
    }
  });

  it('where its bucket is no key of the groups, with a line in the log', async () => {
    const { rows, cache } = await call('without-key', asked('01T00:00:00Z', '05T00:00:00Z'));
    expect([rows.length, cache]).toEqual([1, 'MISS']);
    expect(gateway.logger.lines).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        message: 'the results of an endpoint cannot be composed of pieces: each comes from one query',
        fields: { endpoint: 'without-key', reason: 'the column bucket is not computed of single rows' },
      }),
    );
  });
});
