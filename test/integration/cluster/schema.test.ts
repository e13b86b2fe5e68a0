import type { ClickHouseSettings } from '@clickhouse/client';
import { text } from 'node:stream/consumers';

import { connectClickHouse } from '../../../src/gateway/clickhouse/connect-clickhouse.js';
import { migrate } from '../../../src/commands/schema/migrate.js';
import type { Migration } from '../../../src/gateway/schema/migration-files.js';
import { CLUSTER, openSharedCluster, type ShardedServers } from '../../support/sharded-servers.js';

let cluster: ShardedServers;

beforeAll(async () => {
  cluster = await openSharedCluster('cluster_schema');
}, 120_000);

afterAll(async () => {
  await cluster.close();
});

const migration = (name: string, ...statements: readonly string[]): Migration => ({
  name,
  statements,
  checksum: `checksum of ${name}`,
});

const SOURCE = migration(
  '0001_source',
  `CREATE TABLE IF NOT EXISTS hits (project LowCardinality(String), n UInt64)
   ENGINE = MergeTree ORDER BY project COMMENT 'Hits'`,
);
const PROJECTION = migration(
  '0002_projection',
  `ALTER TABLE hits ADD PROJECTION IF NOT EXISTS sums (SELECT project, sum(n) GROUP BY project)`,
  'ALTER TABLE hits MATERIALIZE PROJECTION sums',
);
const COLUMN = migration(
  '0003_column',
  `ALTER TABLE hits ADD COLUMN IF NOT EXISTS twice UInt64 DEFAULT n * 2 COMMENT 'Twice n',
     ADD INDEX IF NOT EXISTS twices twice TYPE minmax GRANULARITY 1`,
  'ALTER TABLE hits MATERIALIZE COLUMN twice',
);

const INSERT =
  "INSERT INTO hits (project, n) SELECT concat('p', toString(number % 20)), number FROM numbers(1000)";

describe('the schema on two shards', () => {
  /** Runs a statement in a test's own database. */
  const queryIn =
    (database: string) =>
    async (query: string, shard: 0 | 1 = 0, settings: ClickHouseSettings = {}): Promise<string> => {
      const client = connectClickHouse(
        { ...cluster.shards[shard].admin, database },
        { maxOpenConnections: 1, requestTimeoutMs: 30_000 },
      );
      try {
        const { stream } = await client.exec({
          query,
          clickhouse_settings: { distributed_foreground_insert: 1, ...settings },
        });
        return (await text(stream)).trim();
      } finally {
        await client.close();
      }
    };
  const apply = (database: string, ...schema: readonly Migration[]): Promise<readonly string[]> =>
    migrate({ connection: { ...cluster.migrating, database }, cluster: CLUSTER, schema });

  it('makes each shard use a projection of its own rows, and sums over both shards', async () => {
    const query = queryIn('projected');
    expect(await apply('projected', SOURCE)).toEqual(['0001_source']);
    await query(INSERT);
    expect(await apply('projected', SOURCE, PROJECTION)).toEqual(['0002_projection']);
    const sums = 'SELECT sum(n) FROM hits GROUP BY project';
    for (const shard of [0, 1] as const) {
      expect(await query(`EXPLAIN ${sums.replace('hits', 'hits_local')}`, shard)).toContain('(sums)');
    }
    expect(await query(`SELECT sum(s) FROM (${sums.replace('sum(n)', 'sum(n) AS s')})`, 1)).toBe('499500');
    expect(await apply('projected', SOURCE, PROJECTION)).toEqual([]);
  });

  it('changes the columns of both kinds of tables on both shards', async () => {
    const query = queryIn('altered');
    await apply('altered', SOURCE);
    await query(INSERT);
    await apply('altered', SOURCE, COLUMN);
    expect(await query('SELECT sum(twice) FROM hits', 1)).toBe('999000');
    const indexes = "SELECT table, name FROM system.data_skipping_indices WHERE database = 'altered'";
    for (const shard of [0, 1] as const) expect(await query(indexes, shard)).toBe('hits_local\ttwices');
    expect(
      await query(
        "SELECT comment FROM system.columns WHERE database = 'altered' AND table = 'hits' AND name = 'twice'",
      ),
    ).toBe('Twice n');
  });

  it('is applied once if two processes start at once', async () => {
    const applied = await Promise.all([
      apply('twice', SOURCE, PROJECTION),
      apply('twice', SOURCE, PROJECTION),
    ]);
    expect(applied.flat().sort()).toEqual(['0001_source', '0002_projection']);
    const locks = "SELECT count() FROM system.tables WHERE database = 'twice' AND name LIKE '%lock%'";
    for (const shard of [0, 1] as const) expect(await queryIn('twice')(locks, shard)).toBe('0');
  });
});
