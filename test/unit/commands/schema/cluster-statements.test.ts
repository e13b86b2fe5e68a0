import { checkCluster } from '../../../../src/gateway/schema/cluster-names.js';
import { clusterRecordTable, clusterStatements } from '../../../../src/commands/schema/cluster-statements.js';
import { readSchema } from '../../../../src/gateway/schema/migration-files.js';
import { masked } from '../../../../src/gateway/schema/statement-text.js';
import { REFERENCE } from '../../../support/reference-project.js';

const CLUSTER = { name: 'prod', database: 'logs' };
const onCluster = (statement: string): readonly string[] => clusterStatements(statement, CLUSTER);

const migrations = await readSchema(REFERENCE.schemaFolder);
const statements = migrations.flatMap(({ name, statements: all }) =>
  all.map((statement) => ({ name, statement })),
);

describe('every statement of clickhouse-schema', () => {
  it.each(statements)('of $name has a translation for clusters', ({ statement }) => {
    for (const text of onCluster(statement)) {
      expect(masked(text)).toMatch(
        /^(?:CREATE (?:TABLE|MATERIALIZED VIEW) IF NOT EXISTS|ALTER TABLE)\s+\.\s+ON CLUSTER\s/,
      );
      // Every table is named with its database, because the default database may differ between servers.
      expect(masked(text)).not.toMatch(
        /\b(?:FROM|TO|TABLE|EXISTS) [a-z]\w*_(?:logs|events|requests|usage)\b/,
      );
    }
  });

  const tables = statements.filter(({ statement }) => /^CREATE TABLE/m.test(statement));
  it.each(tables)('of $name creates a replicated table and a Distributed table with the comment', (table) => {
    const name = /^CREATE TABLE IF NOT EXISTS (\w+)/m.exec(table.statement)?.[1] ?? '';
    const [local = '', distributed = '', ...more] = onCluster(table.statement);
    expect(more).toEqual([]);
    expect(local).toMatch(
      new RegExp(
        `^CREATE TABLE IF NOT EXISTS \`logs\`\\.\`${name}_local\` ON CLUSTER 'prod'\\n\\([\\s\\S]*\\n\\)\\n` +
          `ENGINE = Replicated(?:Summing)?MergeTree\\('/clickhouse/tables/prod/\\{shard\\}/logs/${name}_local', '\\{replica\\}'`,
      ),
    );
    expect(distributed).toContain(
      `AS \`logs\`.\`${name}_local\`\nENGINE = Distributed('prod', 'logs', '${name}_local'`,
    );
    expect(distributed.split('\n').at(-1)).toBe(table.statement.split('\n').at(-1));
  });

  it('preserves the columns, the order and the retention of a table', () => {
    const statement =
      statements.find(({ statement: text }) => /EXISTS edge_logs\b/.test(text))?.statement ?? '';
    const [local = ''] = onCluster(statement);
    expect(local.slice(local.indexOf('\n('))).toBe(
      statement
        .slice(statement.indexOf('\n('))
        .replace(/\n *--.*/g, '')
        .replace(
          'ENGINE = MergeTree',
          "ENGINE = ReplicatedMergeTree('/clickhouse/tables/prod/{shard}/logs/edge_logs_local', '{replica}')",
        ),
    );
  });

  it('shards rows by the first column that is not a time: of the sorting key, else of the table', () => {
    const keys = statements
      .flatMap(({ statement }) => onCluster(statement))
      .flatMap(
        (text) => /Distributed\('prod', 'logs', '(\w+)_local', (.*)\)$/m.exec(text)?.slice(1, 3) ?? [],
      );
    const byTable = new Map(keys.flatMap((key, at) => (at % 2 === 0 ? [[key, keys[at + 1]] as const] : [])));
    expect(byTable.get('edge_logs')).toBe('cityHash64(project)');
    expect(byTable.get('custom_events')).toBe('cityHash64(id)');
    expect(byTable.get('gateway_requests')).toBe('cityHash64(request_id)');
  });
});

describe('a table', () => {
  it('is parsed correctly, whatever its strings contain', () => {
    const statement = `CREATE TABLE IF NOT EXISTS days
(
    project String COMMENT 'Whose, (really)',
    hits UInt64 CODEC(Delta, ZSTD(1)),
    PROJECTION sums (SELECT project, sum(hits) GROUP BY project)
)
ENGINE = MergeTree()
ORDER BY project
COMMENT 'It''s a day; ENGINE = MergeTree'`;
    const [local, distributed] = onCluster(statement);
    expect(local).toContain(
      "ENGINE = ReplicatedMergeTree('/clickhouse/tables/prod/{shard}/logs/days_local', '{replica}')\nORDER BY project",
    );
    expect(distributed).toBe(
      "CREATE TABLE IF NOT EXISTS `logs`.`days` ON CLUSTER 'prod' AS `logs`.`days_local`\n" +
        "ENGINE = Distributed('prod', 'logs', 'days_local', cityHash64(project))\n" +
        "COMMENT 'It''s a day; ENGINE = MergeTree'",
    );
  });
});

describe('an ALTER TABLE', () => {
  it('of a column applies to both tables', () => {
    const column = "ADD COLUMN IF NOT EXISTS host String DEFAULT domain(url) COMMENT 'a, b'";
    expect(onCluster(`ALTER TABLE edge_logs ${column}`)).toEqual([
      `ALTER TABLE \`logs\`.\`edge_logs_local\` ON CLUSTER 'prod' ${column}`,
      `ALTER TABLE \`logs\`.\`edge_logs\` ON CLUSTER 'prod' ${column}`,
    ]);
  });

  it.each([
    'MATERIALIZE COLUMN host',
    'ADD INDEX IF NOT EXISTS hosts host TYPE bloom_filter(0.01) GRANULARITY 1',
    'MATERIALIZE INDEX hosts',
    'ADD PROJECTION IF NOT EXISTS days (SELECT toDate(t), count() GROUP BY toDate(t))',
    'MATERIALIZE PROJECTION days',
    'MODIFY SETTING ttl_only_drop_parts = 1',
  ])('with %s applies to the local table only', (action) => {
    expect(onCluster(`ALTER TABLE edge_logs\n  ${action}`)).toEqual([
      `ALTER TABLE \`logs\`.\`edge_logs_local\` ON CLUSTER 'prod' ${action}`,
    ]);
  });

  it('with actions of both kinds is split', () => {
    expect(
      onCluster(
        'ALTER TABLE t MODIFY COLUMN a LowCardinality(String), ADD INDEX i (a, b) TYPE minmax, ADD COLUMN c Int8',
      ),
    ).toEqual([
      "ALTER TABLE `logs`.`t_local` ON CLUSTER 'prod' MODIFY COLUMN a LowCardinality(String), ADD INDEX i (a, b) TYPE minmax, ADD COLUMN c Int8",
      "ALTER TABLE `logs`.`t` ON CLUSTER 'prod' MODIFY COLUMN a LowCardinality(String), ADD COLUMN c Int8",
    ]);
  });
});

describe('a materialized view', () => {
  it('reads and fills the local tables', () => {
    expect(
      onCluster(
        "CREATE MATERIALIZED VIEW IF NOT EXISTS v TO days AS\nSELECT 'FROM x' AS a FROM hits WHERE a > 1",
      ),
    ).toEqual([
      "CREATE MATERIALIZED VIEW IF NOT EXISTS `logs`.`v` ON CLUSTER 'prod' TO `logs`.`days_local` AS\n" +
        "SELECT 'FROM x' AS a FROM `logs`.`hits_local` WHERE a > 1",
    ]);
  });
});

describe('a statement without a translation', () => {
  it.each([
    ['DROP TABLE edge_logs'],
    ['CREATE TABLE edge_logs (id UUID) ENGINE = MergeTree ORDER BY id'],
    ['CREATE TABLE IF NOT EXISTS t (id UUID) ENGINE = ReplacingMergeTree ORDER BY id'],
    ['CREATE TABLE IF NOT EXISTS t (id UUID) ENGINE = Memory'],
    ['CREATE TABLE IF NOT EXISTS t (at DateTime) ENGINE = MergeTree ORDER BY at'],
    ['CREATE MATERIALIZED VIEW IF NOT EXISTS v TO t AS SELECT a FROM u JOIN w USING a'],
    ['CREATE MATERIALIZED VIEW IF NOT EXISTS v TO t AS SELECT a FROM u UNION ALL SELECT a FROM w'],
    ['CREATE MATERIALIZED VIEW IF NOT EXISTS v TO t AS SELECT 1'],
    ['DROP TABLE IF EXISTS t SYNC'],
    ['ALTER TABLE t DELETE WHERE 1'],
    ['ALTER TABLE t ADD COLUMN a Int8, MODIFY ORDER BY (a)'],
    ['INSERT INTO t SELECT 1'],
  ])('is rejected with its text and what to do: %s', (statement) => {
    expect(() => onCluster(statement)).toThrow(
      /cannot be applied to a cluster, because .*Run it yourself with ON CLUSTER/s,
    );
  });
});

describe('the record of applied migrations', () => {
  it('is a single table for all shards', () => {
    expect(
      clusterRecordTable(
        '\n  CREATE TABLE IF NOT EXISTS m\n(\n name String\n)\nENGINE = MergeTree\nORDER BY name',
        CLUSTER,
      ),
    ).toBe(
      "CREATE TABLE IF NOT EXISTS `logs`.`m` ON CLUSTER 'prod'\n(\n name String\n)\n" +
        "ENGINE = ReplicatedMergeTree('/clickhouse/tables/prod/all/logs/m', '{shard}_{replica}')\nORDER BY name",
    );
  });

  it('rejects names with a meaning in a path', () => {
    expect(() => {
      checkCluster({ name: 'a/b', database: 'logs' });
    }).toThrow('The cluster “a/b” and the database “logs” become parts of a path');
    checkCluster({ name: 'prod-1', database: 'logs' });
  });
});
