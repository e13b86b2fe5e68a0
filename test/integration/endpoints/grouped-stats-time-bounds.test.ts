import { clockAt, microsOf } from '../../support/models/time.js';
import { openEndpoint, type EndpointUnderTest } from './endpoint-under-test.js';

/** Times around a bound, and at both limits of a timestamp; no TTL ever removes them. */
const TIMES = [
  '2096-02-28T23:59:59.999999Z',
  '2096-02-29T00:00:00.000000Z',
  '2096-02-29T10:05:03.123455Z',
  '2096-02-29T10:05:03.123456Z',
  '2096-02-29T10:05:03.123457Z',
  '2096-02-29T23:59:59.999999Z',
  '2096-03-01T00:00:00.000000Z',
];

describe.each(['get-grouped-stats-events-logs', 'get-grouped-stats-redirects'])('%s', (name) => {
  let endpoint: EndpointUnderTest;

  beforeAll(async () => {
    endpoint = await openEndpoint(name, clockAt(microsOf('2096-03-01T12:00:00Z')));
    await endpoint.fill(
      'custom_events',
      TIMES.map((timestamp) => ({ timestamp, event_type: 'url_redirect', event_name: timestamp })),
    );
  });
  afterAll(() => endpoint.close());

  const found = async (parameters: Readonly<Record<string, string>>): Promise<readonly unknown[]> =>
    (await endpoint.rows(parameters)).map((row) => row['event_name']);

  const BOUNDS: readonly (readonly [string, number])[] = [
    // a bound, and the index of the time at, just after or just before it
    ['2096-02-29T10:05:03.123456Z', 3],
    ['2096-02-29 10:05:03.123456', 3],
    ['2096-02-29T12:05:03.123456+02:00', 3],
    ['2096-02-29T04:35:03,123456-0530', 3],
    ['2096-03-01T00:05:03.123456+14', 3],
    ['2096-02-29', 1],
    ['2096-02-29T00:00Z', 1],
    ['2096-03-01T00:00:00+00:00', 6],
  ];

  it.each(BOUNDS)('start_time %s is inclusive to the microsecond', async (start_time, index) => {
    expect(await found({ start_time })).toEqual(TIMES.slice(index));
  });

  it.each(BOUNDS)('end_time %s is inclusive to the microsecond', async (end_time, index) => {
    expect(await found({ end_time })).toEqual(TIMES.slice(0, index + 1));
  });

  it('applies a bound finer than a microsecond exactly', async () => {
    const finer = '2096-02-29T10:05:03.1234561Z';
    expect(await found({ start_time: finer })).toEqual(TIMES.slice(4));
    expect(await found({ end_time: finer })).toEqual(TIMES.slice(0, 4));
  });

  it('combines both bounds, equal ones too', async () => {
    const at = TIMES[4] ?? '';
    expect(await found({ start_time: at, end_time: at })).toEqual([at]);
    expect(await found({ start_time: '2096-02-29', end_time: '2096-02-29T23:59:59.999999Z' })).toEqual(
      TIMES.slice(1, 6),
    );
    expect(await found({ start_time: '2096-03-01', end_time: '2096-02-29' })).toEqual([]);
  });

  it.each(['1900-01-01', '1969-12-31T23:59:59.999999Z', '1970-01-01'])(
    'accepts %s as a start',
    async (bound) => {
      expect(await found({ start_time: bound })).toEqual(TIMES);
      expect(await found({ end_time: bound })).toEqual([]);
    },
  );

  it.each(['2106-02-07T06:28:16Z', '2299-12-31T23:59:59.999999Z'])('accepts %s as an end', async (bound) => {
    expect(await found({ end_time: bound })).toEqual(TIMES);
    expect(await found({ start_time: bound })).toEqual([]);
  });

  it.each([
    '',
    ' ',
    'yesterday',
    '2096-02-30',
    '2095-02-29',
    '2096-02-29T24:00:00Z',
    '1899-12-31',
    '2300-01-01',
    '0',
  ])('rejects %j, naming both bounds', async (wrong) => {
    await expect(endpoint.rows({ start_time: wrong, end_time: wrong })).rejects.toMatchObject({
      code: 'INVALID_PARAMETERS',
      details: { problems: [{ param: 'start_time' }, { param: 'end_time' }] },
    });
  });
});
