import { clockAt, microsOf } from '../../support/models/time.js';
import { openBesideRecords, type EndpointBesideRecords } from './beside-records.js';
import type { Row } from './endpoint-under-test.js';

const MOMENT = microsOf('2096-03-01T00:00:00Z');
const NOW = clockAt(MOMENT);

let endpoint: EndpointBesideRecords;
beforeAll(async () => {
  endpoint = await openBesideRecords('functions.invocation-stats', 'function_relay_logs');
});
afterAll(() => endpoint.close());

const ROWS = 120_000;
/** Standard normal, from two uniform draws (Box and Muller). */
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
    // Half of them in the last hour, the rest over the days; in eight inserts, each over all of the time.
    for (let part = 0; part < 8; part += 1) {
      await endpoint.database.client.command({
        query: `
          INSERT INTO function_relay_logs (project, function_id, timestamp, execution_time_ms)
          SELECT
            'p', toString(number % 7),
            toDateTime64('2096-02-29 23:59:59', 6, 'UTC')
              - toIntervalSecond(cityHash64(number, 6) % if(number % 2 = 0, 3500, 600000)),
            ${expression}
          FROM numbers(${(ROWS / 8) * part}, ${ROWS / 8})`,
      });
    }
  }, 60_000);

  /** How far the rank of a value among the sorted ones is from what it should be, as a share. */
  const missedRank = async (interval: string, row: Row, name: string, level: number): Promise<number> => {
    // Of equal values any rank is theirs: the nearest counts.
    const [rank] = await endpoint.query(
      `
        SELECT
          countIf(execution_time_ms < {value:Float64}) / count() AS from,
          countIf(execution_time_ms <= {value:Float64}) / count() AS to
        FROM function_relay_logs WHERE ${BUCKET[interval] ?? ''} = parseDateTimeBestEffort({bucket:String})`,
      { value: row[name], bucket: row['timestamp'] },
    );
    return Math.max(0, Number(rank?.['from']) - level, level - Number(rank?.['to']));
  };

  it.each(['15min', '1hr', '1day', '7day'])(
    'are within 1 % of rank for %s',
    async (interval) => {
      const asked = { parameters: { project: 'p', interval }, now: clockAt(MOMENT - 1_000_000n) };
      for (const merged of [false, true]) {
        if (merged) {
          await endpoint.database.client.command({ query: 'OPTIMIZE TABLE function_relay_logs FINAL' });
        }
        const { rows } = await endpoint.call(asked);
        expect(rows.length).toBeGreaterThan(5);
        const missed = await Promise.all(
          rows.flatMap((row) => [
            missedRank(interval, row, 'p95_execution_time', 0.95),
            missedRank(interval, row, 'p99_execution_time', 0.99),
          ]),
        );
        // A bucket of few records has no rank between two of them.
        const fewest = Math.min(...rows.map((row) => Number(row['count'])));
        expect(Math.max(...missed)).toBeLessThanOrEqual(0.01 + 1 / fewest);
      }
    },
    60_000,
  );
});

describe('ClickHouse reads', () => {
  beforeAll(async () => {
    await endpoint.fill([]);
    await endpoint.database.client.command({
      query: `
        INSERT INTO function_relay_logs (project, function_id, timestamp, execution_time_ms)
        SELECT
          concat('p', toString(number % 3)), concat('f', toString(number % 20)),
          toDateTime64('2096-02-29 23:59:59', 6, 'UTC') - toIntervalSecond(number * 2), 1
        FROM numbers(300000)`,
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
