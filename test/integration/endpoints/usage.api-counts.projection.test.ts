import { clockAt, microsOf, MINUTE, printMicros } from '../../support/models/time.js';
import { openBesideRecords, type Call } from './beside-records.js';
import type { Row } from './endpoint-under-test.js';
import { openForAll } from '../../support/opened.js';

const MOMENT = microsOf('2096-03-01T00:00:00Z');

/** Returns the daily counts of a plain query of the records. */
const countRecords = ({ parameters, now }: Call): Promise<readonly Row[]> =>
  endpoint.query(
    `SELECT
       toStartOfDay(log.timestamp) AS timestamp,
       toUInt32(sum(path LIKE '%/rest%')) AS total_rest_requests,
       toUInt32(sum(path LIKE '%/storage%')) AS total_storage_requests,
       toUInt32(sum(path LIKE '%/auth%')) AS total_auth_requests,
       toUInt32(sum(path LIKE '%/realtime%')) AS total_realtime_requests
     FROM edge_logs AS log
     WHERE match(url, {project:String}) AND log.timestamp >= {now:DateTime64(6, 'UTC')} - INTERVAL 7 DAY
     GROUP BY timestamp
     ORDER BY timestamp`,
    { ...parameters, now: now.toISOString().slice(0, -1) },
  );

const endpoint = openForAll(() => openBesideRecords('usage.api-counts', 'edge_logs'));

it('counts as a plain query does if a URL is not UTF-8', async () => {
  await endpoint.fill([]);
  // Invalid bytes before, in and after a name, in the origin and in the rest, and a NUL.
  const urls = [
    'https://a\\xC3aurora.test/',
    'https://auro\\xC3ra.test/aurora',
    'https://x\\xFF/zo\\xC3\\xABy',
    'https://zo\\xC3\\xABy\\xC3.test',
    'https://zo\\xC3',
    'https://au\\0rora.test/?zo\\xC3\\xABy\\0',
    '\\xC3\\xAB://aurora',
  ];
  await endpoint.database.client.command({
    query: `
      INSERT INTO edge_logs (project, timestamp, url, path)
      SELECT 'p', toDateTime64('2096-02-29 12:00:00', 6, 'UTC') - toIntervalHour(number % 30), url, '/rest'
      FROM numbers(300) ARRAY JOIN [${urls.map((url) => `'${url}'`).join(', ')}] AS url`,
  });
  for (const project of ['aurora', 'zoëy', 'test', 'https', 'ëyyy', '.test', 'a.rora', 'zo.y', 'o\\x{eb}y']) {
    const each = { parameters: { project, interval: 'daily' }, now: clockAt(MOMENT) };
    expect((await endpoint.call(each)).rows).toEqual(await countRecords(each));
  }
});

describe('ClickHouse reads', () => {
  beforeAll(async () => {
    await endpoint.fill([]);
    await endpoint.database.client.command({
      query: `
        INSERT INTO edge_logs (project, timestamp, url)
        SELECT
          if(number % 2, 'aurora$', 'boreal'), toDateTime64('2096-02-29 23:59:59', 6, 'UTC') - toIntervalSecond(3 * number),
          concat('https://', if(number % 2, 'aurora', 'boreal'), '.example.co/rest/v1/orders?id=eq.', toString(number))
        FROM numbers(200000)`,
    });
  });
  const sources = (
    project: string,
    interval: string,
    pinned: readonly string[] = [],
  ): Promise<readonly string[]> =>
    endpoint.sources({ parameters: { project, interval }, now: clockAt(MOMENT), pinned });

  it.each(['aurora', '^https://aurora\\.', 'a|b', '(?i)A[^/]+', '\\\\b', 'x\\d*'])(
    'hourly origins for %s as well, which restricts nothing after the origin',
    async (project) => {
      expect(await sources(project, 'daily')).toEqual(['edge_logs', 'origin_hours']);
    },
  );

  it.each(['aurora$', 'a\\b', 'a\\B', 'a\\z', '[$]', '\\Qa\\E', '(?m)a$', 'a\\x24', '\\pL'])(
    'only the records for %s',
    async (project) => {
      expect(await sources(project, 'daily')).toEqual(['edge_logs']);
    },
  );

  it('hourly origins for a project that a key pins, whatever its name', async () => {
    expect(await sources('aurora$', 'daily', ['project'])).toEqual(['edge_logs', 'origin_hours']);
    expect(await sources('aurora$', 'minutely', ['project'])).toEqual(['edge_logs']);
  });
});

describe('the index of the text after the origin', () => {
  const remaining = (project: string): Promise<readonly string[]> =>
    endpoint.granulesLeft('targets', {
      parameters: { project, interval: 'daily' },
      now: clockAt(MOMENT),
    });

  beforeAll(async () => {
    const records = Array.from({ length: 3000 }, (_, index) => ({
      project: index % 2 ? 'aurora' : 'boreal',
      timestamp: printMicros(MOMENT - BigInt(index) * MINUTE),
      url: `https://${index % 2 ? 'aurora' : 'boreal'}.example.co/rest/v1/orders?id=eq.${index}`,
    }));
    await endpoint.fill([records]);
  });

  it('selects no record for a name that only origins contain', async () => {
    const granules = await remaining('aurora');
    expect(granules).toHaveLength(1);
    expect(granules[0]).toMatch(/^0\/[1-9]/);
  });

  it('selects the records that contain a name', async () => {
    expect(await remaining('orders')).toEqual([expect.stringMatching(/^([1-9]\d*)\/\1$/)]);
  });

  it.each(['^https://aurora', 'aurora|boreal', 'aur', 'aurora/', 'a.rora'])(
    'is not used for %s, which is not a name of four characters',
    async (project) => {
      expect(await remaining(project)).toEqual([]);
    },
  );
});
