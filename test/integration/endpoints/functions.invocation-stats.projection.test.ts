import { clockAt, microsOf } from '../../support/models/time.js';
import { openBesideRecords } from './beside-records.js';
import type { Row } from './endpoint-under-test.js';
import { openForAll } from '../../support/opened.js';

const MOMENT = microsOf('2096-03-01T00:00:00Z');
const NOW = clockAt(MOMENT);

const endpoint = openForAll(() => openBesideRecords('functions.invocation-stats', 'function_relay_logs'));

const ROWS = 60_000;
const INSERTS = 4;
/** A standard normal distribution from two uniform ones (Box and Muller). */
const NORMAL =
  'sqrt(-2 * log((cityHash64(number, 1) % 1000000 + 1) / 1000001)) * cos(2 * pi() * (cityHash64(number, 2) % 1000000) / 1000000)';
const DISTRIBUTIONS = {
  'log-normal': `exp(3 + 1.5 * ${NORMAL})`,
  uniform: '(cityHash64(number, 3) % 10000000) / 1000',
  'heavy ties': '[1, 1, 1, 5, 5, 50][1 + cityHash64(number, 4) % 6]',
  'two humps': `if(cityHash64(number, 5) % 10 < 9, 20, 2000) + ${NORMAL}`,
};
const BUCKET: Readonly<Record<string, string>> = {
  '15min': 'toStartOfMinute(timestamp)',
  '1hr': 'toStartOfMinute(timestamp)',
  '1day': 'toStartOfHour(timestamp)',
  '7day': 'toStartOfDay(timestamp)',
};

describe.each(Object.entries(DISTRIBUTIONS))('quantiles of %s times', (_name, expression) => {
  beforeAll(async () => {
    await endpoint.fill([]);
    // Half of them in the last hour, the rest over all days; each insert covers the complete time range.
    for (let part = 0; part < INSERTS; part += 1) {
      await endpoint.database.client.command({
        query: `
          INSERT INTO function_relay_logs (project, function_id, timestamp, execution_time_ms)
          SELECT
            'p', toString(number % 7),
            toDateTime64('2096-02-29 23:59:59', 6, 'UTC')
              - toIntervalSecond(cityHash64(number, 6) % if(number % 2 = 0, 3500, 600000)),
            ${expression}
          FROM numbers(${(ROWS / INSERTS) * part}, ${ROWS / INSERTS})`,
      });
    }
  }, 120_000);

  /**
   * The maximal distance, as a share, between the rank of a value among the sorted ones of its bucket and the required
   * rank. Equal values share their ranks: the nearest one counts.
   */
  const missedRank = async (interval: string, rows: readonly Row[]): Promise<number> => {
    const [missed] = await endpoint.query(
      `
        WITH arrayMap(
          (value, level) -> greatest(
            0,
            arrayCount(time -> time < value, times) / length(times) - level,
            level - arrayCount(time -> time <= value, times) / length(times)),
          [{p95:Array(Float64)}[place], {p99:Array(Float64)}[place]],
          [0.95, 0.99]) AS missed
        SELECT max(arrayMax(missed)) AS most
        FROM
        (
          SELECT
            indexOf({buckets:Array(DateTime('UTC'))}, ${BUCKET[interval] ?? ''}) AS place,
            groupArray(execution_time_ms) AS times
          FROM function_relay_logs
          GROUP BY place
          HAVING place > 0
        )`,
      {
        buckets: rows.map((row) => String(row['timestamp']).slice(0, 19).replace('T', ' ')),
        p95: rows.map((row) => row['p95_execution_time']),
        p99: rows.map((row) => row['p99_execution_time']),
      },
    );
    return Number(missed?.['most']);
  };

  const expectNear = async (interval: string): Promise<void> => {
    const { rows } = await endpoint.call({
      parameters: { project: 'p', interval },
      now: clockAt(MOMENT - 1_000_000n),
    });
    expect(rows.length).toBeGreaterThan(5);
    // A bucket of few records has no rank between two neighbours.
    const fewest = Math.min(...rows.map((row) => Number(row['count'])));
    expect(await missedRank(interval, rows)).toBeLessThanOrEqual(0.01 + 1 / fewest);
  };

  it.each([
    ['as inserted', () => Promise.resolve()],
    ['merged', () => endpoint.database.client.command({ query: 'OPTIMIZE TABLE function_relay_logs FINAL' })],
  ])('are within 1 %% of rank for every interval, %s', async (_how, prepare) => {
    await prepare();
    for (const interval of Object.keys(BUCKET)) await expectNear(interval);
  });
});

describe('ClickHouse reads', () => {
  beforeAll(async () => {
    await endpoint.fill([]);
    await endpoint.database.client.command({
      query: `
        INSERT INTO function_relay_logs (project, function_id, timestamp, execution_time_ms)
        SELECT
          concat('p', toString(number % 3)), concat('f', toString(number % 20)),
          toDateTime64('2096-02-29 23:59:59', 6, 'UTC') - toIntervalSecond(number * 6), 1
        FROM numbers(100000)`,
    });
  });

  it.each([
    ['5min', {}, 'function_relay_logs'],
    ['15min', {}, 'function_relay_logs'],
    ['1hr', { function_id: 'f1' }, 'function_relay_logs'],
    ['1day', {}, 'project_hours'],
    ['1day', { function_id: 'f1' }, 'function_hours'],
    ['other', {}, 'project_hours'],
    ['7day', {}, 'project_hours'],
    ['7day', { function_id: 'f1' }, 'function_hours'],
  ])('for %s and %j %s', async (interval, parameters, source) => {
    const call = { parameters: { project: 'p1', interval, ...parameters }, now: NOW };
    expect(await endpoint.sources(call)).toEqual([source]);
  });
});
