import { createQueryRunner } from '../../src/gateway/clickhouse/query-runner.js';
import { column } from '../../src/endpoint/definition.js';
import { defineEndpoint } from '../../src/endpoint/endpoint.js';
import { boolean, integer, listOf, sql, timezone, whenGiven, where } from '../../src/endpoint/index.js';
import { useTestDatabase } from '../support/clickhouse.js';
import { createTestGateway, type TestGateway } from '../support/test-gateway.js';

const ENDPOINT = defineEndpoint({
  id: '5d0c4b7e-0f7a-4f0e-9a51-8e2b6f1c3d49',
  name: 'numbers.near',
  summary: 'A number and whether it is even.',
  parameters: {
    number: integer({ description: 'The number.', required: true, minimum: -1 }),
    even: boolean({ description: 'Only where this is whether it is even.' }),
  },
  columns: { number: column('Int64', 'The number.'), even: column('Bool', 'Whether it is even.') },
  maxRows: 10,
  caching: 60,
  warming: 0,
  sandboxing: 'disabled',
  example: { number: '4' },
  build: ({ number, even }) => sql`
    SELECT ${number} AS number, CAST(number % 2 = 0, 'Bool') AS even
    FROM system.one
    ${where(whenGiven(even, sql`even = ${even}`))}`,
});

/**
 * Requests per day, as the reader's calendar has days. Berlin's clock goes from 02:00 to 03:00 on March 29th, 2026: its day
 * lasts from 23:00 UTC to 22:00 UTC.
 */
const DAYS = defineEndpoint({
  id: '5d0c4b7e-0f7a-4f0e-9a51-8e2b6f1c3d4a',
  name: 'requests.per-day',
  summary: 'Requests per day of the reader.',
  parameters: {
    zone: timezone({ description: 'The time zone whose days count.', default: 'UTC' }),
    statuses: listOf('integer', { description: 'Only these status codes.', minimum: 100, maximum: 599 }),
  },
  columns: { day: column('Date', 'The day.'), requests: column('UInt64', 'Its requests.') },
  maxRows: 100,
  caching: 60,
  warming: 0,
  sandboxing: 'disabled',
  example: { zone: 'Europe/Berlin' },
  build: ({ zone, statuses }) => sql`
    SELECT toDate(timestamp, ${zone}) AS day, count() AS requests
    FROM values(
      'timestamp DateTime64(6, \\'UTC\\'), status_code UInt16',
      ('2026-03-28 22:59:59', 200),
      ('2026-03-28 23:00:00', 200),
      ('2026-03-29 00:59:59', 404),
      ('2026-03-29 01:00:00', 200),
      ('2026-03-29 21:59:59', 500),
      ('2026-03-29 22:00:00', 200)
    )
    ${where(whenGiven(statuses, sql`has(${statuses}, status_code)`))}
    GROUP BY day
    ORDER BY day`,
});

const database = useTestDatabase();
let gateway: TestGateway;

const get = (query: string): ReturnType<TestGateway['get']> =>
  gateway.get(`/api/endpoints/query/numbers.near?${query}`);

beforeAll(async () => {
  gateway = await createTestGateway({ endpoints: [ENDPOINT, DAYS] });
  gateway.runQuery.respondWith(createQueryRunner(database.client, { timeoutMs: 20_000 }));
});

describe('parameters of the kinds integer and boolean', () => {
  it('are bound as numbers and truth values that ClickHouse compares', async () => {
    expect((await get('number=4&even=1')).body).toEqual({ result: [{ number: 4, even: true }] });
    expect((await get('number=4&even=false')).body).toEqual({ result: [] });
    expect((await get('number=5&even=')).body).toEqual({ result: [{ number: 5, even: false }] });
  });

  it('keep an integer beyond 2^53 exact', async () => {
    expect((await get('number=9007199254740993')).text).toContain('"number":9007199254740993');
  });

  it('have one cache entry for each value, however the value is written', async () => {
    await get('number=7');
    const responses = await Promise.all(['number=07', 'number=%2B7'].map((query) => get(query)));
    expect(responses.map(({ headers }) => headers['x-cache'])).toEqual(['HIT', 'HIT']);
  });

  it('are reported together where they are invalid', async () => {
    const response = await get('number=-2&even=maybe');
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({
      detail:
        'Invalid parameters: number must be a whole number between -1 and 9223372036854775807; even must be true or false.',
      problems: [{ param: 'number' }, { param: 'even' }],
    });
  });
});

describe('days in the time zone of the reader', () => {
  const daysIn = async (query: string): Promise<unknown> => {
    const { body } = (await gateway.get(`/api/endpoints/query/requests.per-day?${query}`)) as {
      body: { result: readonly { day: string; requests: number }[] };
    };
    return body.result.map(({ day, requests }) => `${day} ${requests}`);
  };

  it('begin at its midnight, also on the day of 23 hours when summer time begins', async () => {
    expect(await daysIn('zone=Europe/Berlin')).toEqual(['2026-03-28 1', '2026-03-29 4', '2026-03-30 1']);
    expect(await daysIn('zone=America/New_York')).toEqual(['2026-03-28 4', '2026-03-29 2']);
    expect(await daysIn('zone=Asia/Kolkata')).toEqual(['2026-03-29 4', '2026-03-30 2']);
  });

  it('are those of UTC by default', async () => {
    expect(await daysIn('')).toEqual(['2026-03-28 2', '2026-03-29 4']);
  });

  it('count the records of a list of numbers', async () => {
    expect(await daysIn('statuses=404,500')).toEqual(['2026-03-29 2']);
    expect(await daysIn('zone=Europe/Berlin&statuses=200')).toEqual([
      '2026-03-28 1',
      '2026-03-29 2',
      '2026-03-30 1',
    ]);
  });

  it('share a cached result for every spelling of the zone', async () => {
    const url = (zone: string): string => `/api/endpoints/query/requests.per-day?zone=${zone}`;
    await gateway.get(url('Europe/Berlin'));
    expect((await gateway.get(url('europe/berlin'))).headers['x-cache']).toBe('HIT');
    expect((await gateway.get(url('Europe/Paris'))).headers['x-cache']).toBe('MISS');
  });
});
