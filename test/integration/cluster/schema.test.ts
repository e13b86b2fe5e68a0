import type { ClickHouseSettings } from '@clickhouse/client';

import { connectClickHouse } from '../../../src/clickhouse/connection.js';
import { migrate } from '../../../src/clickhouse/schema/migrate.js';
import { readMigrations, type Migration } from '../../../src/clickhouse/schema/migration-files.js';
import { readStep } from '../../../src/clickhouse/schema/migration-steps.js';
import { SCHEMA_FOLDER } from '../../../src/project-files.js';
import { ROLLUPS, timesCountedQuery } from '../../support/cluster-rollups.js';
import { FILL_STATEMENTS } from '../../support/cluster-rows.js';
import { makeTemporaryFolder, type TemporaryFolder } from '../../support/made-folder.js';
import { CLUSTER, startShardedServers, type ShardedServers } from '../../support/sharded-servers.js';

let folder: TemporaryFolder;
let cluster: ShardedServers;

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  cluster = await startShardedServers(folder.path);
}, 60_000);

afterAll(async () => {
  await cluster.close();
  await folder.remove();
}, 60_000);

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
const ROLLUP = migration(
  '0002_rollup',
  `CREATE TABLE IF NOT EXISTS sums (project LowCardinality(String), n UInt64)
   ENGINE = SummingMergeTree(n) ORDER BY project`,
  `CREATE MATERIALIZED VIEW IF NOT EXISTS sums_view TO sums AS
   SELECT project, sum(n) AS n FROM hits GROUP BY project`,
  '-- querygate: wait for inserts',
  '-- querygate: fill sums from hits a day at a time\nSELECT project, sum(n) AS n FROM hits WHERE day = {day:Date32} GROUP BY project',
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
  /** Runs a statement in a database of a test's own. */
  const asker =
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
        const chunks: Buffer[] = [];
        for await (const chunk of stream) chunks.push(chunk as Buffer);
        return Buffer.concat(chunks).toString().trim();
      } finally {
        await client.close();
      }
    };
  const apply = (database: string, ...migrations: readonly Migration[]): Promise<readonly string[]> =>
    migrate({ connection: { ...cluster.migrating, database }, cluster: CLUSTER, migrations });

  it('keeps a rollup on the shard of its source’s rows, and gives its sum over both', async () => {
    const ask = asker('rollups');
    expect(await apply('rollups', SOURCE, ROLLUP)).toEqual(['0001_source', '0002_rollup']);
    await ask(INSERT);
    const sums = 'SELECT groupUniqArray(project) AS p, sum(n) FROM sums_local';
    const sources = 'SELECT groupUniqArray(project) AS p, sum(n) FROM hits_local';
    for (const shard of [0, 1] as const) {
      expect(Number((await ask(sums, shard)).split('\t')[1])).toBeGreaterThan(0);
      expect((await ask(sums, shard)).split('\t')[1]).toBe((await ask(sources, shard)).split('\t')[1]);
    }
    expect(await ask('SELECT sum(n) FROM sums', 1)).toBe('499500');
    expect(await apply('rollups', SOURCE, ROLLUP)).toEqual([]);
  });

  it('refuses a new rollup where there are rows, and does not record it', async () => {
    const ask = asker('filled');
    await apply('filled', SOURCE);
    await ask(INSERT);
    await expect(apply('filled', SOURCE, ROLLUP)).rejects.toThrow(
      /hits has rows already, and sums can’t be filled from them/,
    );
    expect(await ask('SELECT groupArray(name) FROM schema_migrations')).toBe("['0001_source']");
  });

  it('has each row counted once where the rollups were filled by hand as docs/clusters.md says', async () => {
    const ask = asker('old');
    const all = await readMigrations(SCHEMA_FOLDER);
    const insert = async (turn: number): Promise<void> => {
      for (const statement of FILL_STATEMENTS.slice(3 * turn, 3 * turn + 3)) {
        await ask(statement.replace('{now:DateTime64(6, ', 'now64(6, ').replace("'UTC')}", "'UTC')"));
      }
    };
    await apply('old', ...all.filter(({ name }) => name < '0012'));
    await insert(0);
    await expect(apply('old', ...all)).rejects.toThrow(
      /function_relay_logs has rows already, and function_relay_minutes can’t be filled/,
    );
    const byHand = all.filter(({ name }) => name >= '0018' && name < '0025');
    for (const { statements } of byHand.filter(({ name }) =>
      /_(?:minutes|event_days|redirect_days)$/.test(name),
    )) {
      for (const shard of [0, 1] as const) await fillShard('old', shard, statements.at(-1) ?? '');
    }
    for (const { name, checksum } of byHand) {
      await ask(`INSERT INTO schema_migrations (name, checksum) VALUES ('${name}', '${checksum}')`);
    }
    expect(await apply('old', ...all)).toEqual(all.slice(24).map(({ name }) => name));
    await insert(1);
    for (const rollup of ROLLUPS) {
      for (const shard of [0, 1] as const) expect(await ask(timesCountedQuery(rollup), shard)).toBe('1');
    }
  }, 60_000);

  /** Runs the SELECT of a fill on a shard, a day at a time. */
  async function fillShard(database: string, shard: 0 | 1, statement: string): Promise<void> {
    const step = readStep(statement);
    if (step.kind !== 'fill') throw new Error(`no fill: ${statement}`);
    const { target, source, select } = step;
    const ask = asker(database);
    const days = await ask(`SELECT DISTINCT toDate32(timestamp) FROM ${source}_local`, shard);
    for (const day of days.split('\n')) {
      const local = select.replace(`FROM ${source} AS`, `FROM ${source}_local AS`);
      await ask(`INSERT INTO ${target}_local ${local}`, shard, { param_day: day });
    }
  }

  it('changes the columns of both kinds of tables, on both shards', async () => {
    const ask = asker('altered');
    await apply('altered', SOURCE);
    await ask(INSERT);
    await apply('altered', SOURCE, COLUMN);
    expect(await ask('SELECT sum(twice) FROM hits', 1)).toBe('999000');
    const indexes = "SELECT table, name FROM system.data_skipping_indices WHERE database = 'altered'";
    for (const shard of [0, 1] as const) expect(await ask(indexes, shard)).toBe('hits_local\ttwices');
    expect(
      await ask(
        "SELECT comment FROM system.columns WHERE database = 'altered' AND table = 'hits' AND name = 'twice'",
      ),
    ).toBe('Twice n');
  });

  it('is applied once where two start at once', async () => {
    const applied = await Promise.all([apply('twice', SOURCE, ROLLUP), apply('twice', SOURCE, ROLLUP)]);
    expect(applied.flat().sort()).toEqual(['0001_source', '0002_rollup']);
    const locks = "SELECT count() FROM system.tables WHERE database = 'twice' AND name LIKE '%lock%'";
    for (const shard of [0, 1] as const) expect(await asker('twice')(locks, shard)).toBe('0');
  });
});
