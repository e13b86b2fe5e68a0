import { checkSqlFile, type SqlCheck } from '../support/check-sql-file.js';
import { useTestDatabase } from '../support/clickhouse.js';
import { sqlEndpointFile } from '../support/sql-endpoint-file.js';

const database = useTestDatabase();

describe('a time filter', () => {
  /** 10 granules; each time is a minute after the one before. */
  const tableOf = (name: string, keys: string): string =>
    `CREATE TABLE ${name} ENGINE = MergeTree ${keys} SETTINGS index_granularity = 1024 AS
     SELECT toUInt32(number) AS n, toDateTime('2026-01-01', 'UTC') + number * 60 AS at FROM numbers(10240)`;

  const checkFilter = (table: string, condition: string, kind = 'timestamp'): Promise<SqlCheck> =>
    checkSqlFile(
      database.client,
      sqlEndpointFile(
        'visits',
        [
          'columns: { n: UInt32 }',
          'limit: 1000',
          'example: { since: 2020-01-01 }',
          'parameters:',
          `  since: { kind: ${kind}, description: From. }`,
          '  until: { kind: timestamp, description: To. }',
        ],
        `SELECT n FROM ${table} WHERE ${condition} [[ AND at < @until ]]`,
      ),
    );

  beforeAll(async () => {
    for (const query of [
      tableOf('by_time', 'PARTITION BY toYYYYMM(at) ORDER BY (n % 10, at)'),
      tableOf('by_number', 'ORDER BY n'),
    ])
      await database.client.command({ query });
  });

  it.each(['timestamp', 'date'])(
    'of kind %s is no warning where some value of it excludes rows, although the example reads all of them',
    async (kind) => {
      const { faults, warnings, tables } = await checkFilter('by_time', 'at >= @since', kind);
      expect([faults, warnings, tables[0]?.granules]).toEqual([[], [], { read: 10, of: 10 }]);
    },
  );

  it('is no warning where other filters exclude rows', async () => {
    const { warnings } = await checkFilter('by_number', "dateDiff('day', @since, at) > 0 AND n < 5000");
    expect(warnings).toEqual([]);
  });

  it('is a warning with the keys of the table where no value of it excludes rows', async () => {
    const { warnings } = await checkFilter('by_time', "dateDiff('day', @since, at) > 0");
    expect(warnings).toEqual([
      expect.stringMatching(
        /^the time filter since does not prune: whatever its value, ClickHouse reads all 10 granules in 1 part of by_time\. Compare .*\(partition key: toYYYYMM\(at\); sorting key: n % 10, at\)/,
      ),
    ]);
  });
});
