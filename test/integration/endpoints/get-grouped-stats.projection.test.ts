import { clockAt, microsOf } from '../../support/models/time.js';
import { openBesideRecords, type EndpointBesideRecords } from './beside-records.js';

const MOMENT = microsOf('2096-02-29T00:00:00Z');
const NOW = clockAt(MOMENT);

const NAMES = ['get-grouped-stats-events-logs', 'get-grouped-stats-redirects'];

describe.each(NAMES)('%s', (name) => {
  let endpoint: EndpointBesideRecords;
  beforeAll(async () => {
    endpoint = await openBesideRecords(name, 'custom_events');
  });
  afterAll(() => endpoint.close());

  describe('on 60,000 records of three days', () => {
    beforeAll(async () => {
      await endpoint.fill([]);
      await endpoint.database.client.command({
        query: `
          INSERT INTO custom_events (timestamp, event_id, event_type, event_name, country)
          SELECT
            toDateTime64('2096-02-27 06:00:00', 6, 'UTC') + INTERVAL (intDiv(number, 4) % 4) * 6 HOUR
              + INTERVAL if(number % 7 = 0, 1, 0) DAY,
            toString(number % 100), if(number % 4 = 0, 'url_redirect', 'view'), toString(cityHash64(number % 500)),
            ['DE', 'IT', NULL][1 + number % 3]
          FROM numbers(60000)`,
      });
    });

    // Both daily projections have the columns for redirects; for few records ClickHouse may use the wider one.
    const DAYS = expect.stringMatching(/^(?:event|redirect)_days$/) as unknown;

    it.each([
      [{}, [DAYS]],
      [{ country: 'DE' }, [DAYS]],
      [{ start_time: '2096-02-28' }, [DAYS]],
      [{ start_time: '2096-02-28', end_time: '2096-02-28T23:59:59.999999Z' }, [DAYS]],
      [{ start_time: '2096-02-28T00:00:00.000001Z' }, ['custom_events', DAYS]],
      [{ end_time: '2096-02-28' }, ['custom_events', DAYS]],
    ])('reads complete days from a projection for %j', async (parameters, expected) => {
      expect(await endpoint.sources({ parameters, now: NOW })).toEqual(expected);
    });

    it.each([
      {},
      { start_time: '2096-02-27T06:00:00.000001Z' },
      { end_time: '2096-02-28T05:00:00Z' },
      { start_time: '2096-02-27T06:00:00.000001Z', end_time: '2096-02-28T17:00:00Z' },
      { country: 'DE', start_time: '2096-02-28' },
    ])('returns the first groups for %j, and reports that there are more', async (parameters) => {
      const { rows } = await endpoint.call({ parameters, now: NOW, cap: 100_000 });
      expect(rows.length).toBeGreaterThan(7);
      for (const cap of [1000, 7])
        expect(await endpoint.call({ parameters, now: NOW, cap })).toEqual({
          rows: rows.slice(0, cap),
          truncated: rows.length > cap,
        });
    });
  });
});

describe('get-grouped-stats-events-logs', () => {
  let endpoint: EndpointBesideRecords;
  beforeAll(async () => {
    endpoint = await openBesideRecords('get-grouped-stats-events-logs', 'custom_events');
    await endpoint.fill([[{ event_type: 'view' }]]);
  });
  afterAll(() => endpoint.close());

  it.each(['level', 'search_term', 'user_id', 'profile_id', 'view_id', 'event_target'])(
    'reads the records for a %s, a column that the projection lacks',
    async (name) => {
      const call = { parameters: { [name]: '' }, now: NOW };
      expect(await endpoint.sources(call)).toEqual(['custom_events']);
    },
  );
});
