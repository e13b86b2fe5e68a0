import { randomBytes } from 'node:crypto';
import type { ClickHouseClient } from '@clickhouse/client';

import { connectClickHouse } from '../../src/gateway/clickhouse/connect-clickhouse.js';
import type { ClickHouseConnection } from '../../src/gateway/clickhouse/connection.js';
import { EmbeddedServer } from '../../src/commands/embedded/embedded-server.js';
import { EarlierMigrations } from '../../src/gateway/schema/earlier-migrations.js';
import { migrate } from '../../src/commands/schema/migrate.js';
import { readSchema } from '../../src/gateway/schema/migration-files.js';
import { adminConnection } from '../support/clickhouse.js';
import { runCli } from '../support/run-cli.js';
import { GATEWAY, startProcess } from '../support/start-process.js';
import { withTemporaryFolder } from '../support/temporary-folder.js';
import { REFERENCE_GRANTS } from '../support/reference-grants.mjs';
import { REFERENCE } from '../support/reference-project.js';

/** Schema record, a table and a view of the previous schema after its last file but one, with a shipper's rows. */
const EARLIER = [
  'CREATE TABLE schema_migrations (name String, checksum String) ENGINE = MergeTree ORDER BY name',
  "INSERT INTO schema_migrations VALUES ('0001_edge_logs', 'a'), ('0012_mark_rows', 'b'), ('0026_drop_filled', 'c')",
  `CREATE TABLE edge_logs (
     id UUID, project LowCardinality(String), timestamp DateTime64(6, 'UTC'), event_message String, metadata String,
     method LowCardinality(String), url String, path String, status_code Nullable(UInt16),
     rolled_up UInt8 MATERIALIZED 1
   ) ENGINE = MergeTree PARTITION BY toDate32(timestamp) ORDER BY (project, timestamp)`,
  'CREATE TABLE edge_request_minutes (project String, requests UInt64) ENGINE = MergeTree ORDER BY project',
  `CREATE MATERIALIZED VIEW edge_request_minutes_view TO edge_request_minutes AS
   SELECT log.project AS project, count() AS requests FROM edge_logs AS log WHERE log.rolled_up = 1 GROUP BY project`,
  "INSERT INTO edge_logs (project, timestamp, url) VALUES ('aurora', '2096-01-01', 'https://aurora.example/rest')",
];
const MIGRATED = `SELECT concat(name, ' ', toString(metadata_modification_time)) FROM system.tables
  WHERE database = {database:String} ORDER BY name`;

interface EarlierDatabase {
  readonly connection: ClickHouseConnection;
  readonly run: (query: string) => Promise<void>;
  /** Returns the first column of a query's rows. */
  readonly select: (query: string) => Promise<readonly string[]>;
}

const clientOf = (connection: ClickHouseConnection, database: string): ClickHouseClient =>
  connectClickHouse({ ...connection, database }, { maxOpenConnections: 2, requestTimeoutMs: 30_000 });

/** Creates the connection's database with the contents of the previous schema. */
async function createRecord(connection: ClickHouseConnection): Promise<void> {
  const server = clientOf(connection, 'default');
  const client = clientOf(connection, connection.database);
  await server.command({ query: `CREATE DATABASE ${connection.database}` });
  for (const query of EARLIER) await client.command({ query });
  await Promise.all([client.close(), server.close()]);
}

/** Extracts the statements of the error message: before the new schema, to copy rows, and to drop the database. */
const statementsOf = (rejected: unknown): readonly string[] =>
  [...String(rejected).matchAll(/^ {2}([A-Z]{4,} .*)$/gm)].map(([, statement = '']) => statement);

const startServer = (dataDir: string): Promise<EmbeddedServer> =>
  EmbeddedServer.start({
    dataDir,
    database: 'logs',
    grants: REFERENCE_GRANTS,
    onCrash: () => undefined,
  });

/** Runs statements on a server, in order, and returns the last response. */
async function runOn(
  { adminConnection: connection }: EmbeddedServer,
  queries: readonly string[],
): Promise<string> {
  const client = clientOf(connection, 'default');
  try {
    let text = '';
    for (const query of queries) {
      const { stream } = await client.exec({ query });
      text = Buffer.concat(await stream.toArray())
        .toString()
        .trim();
    }
    return text;
  } finally {
    await client.close();
  }
}

async function withEarlier(use: (database: EarlierDatabase) => Promise<void>): Promise<void> {
  const connection = adminConnection(`test_${randomBytes(6).toString('hex')}`);
  const { database } = connection;
  const server = clientOf(connection, 'default');
  try {
    await createRecord(connection);
    await use({
      connection,
      run: async (query) => {
        await server.command({ query });
      },
      select: async (query) => {
        const result = await server.query({
          query,
          query_params: { database },
          format: 'JSONCompactEachRow',
        });
        return (await result.json<[unknown]>()).map(([value]) => String(value));
      },
    });
  } finally {
    for (const name of [database, `${database}_before`]) {
      await server.command({ query: `DROP DATABASE IF EXISTS ${name} SYNC` });
    }
    await server.close();
  }
}

const variablesOf = ({
  url,
  username,
  password,
  database,
}: ClickHouseConnection): Record<string, string> => ({
  CLICKHOUSE_URL: url,
  CLICKHOUSE_USER: username,
  CLICKHOUSE_PASSWORD: password,
  CLICKHOUSE_DATABASE: database,
});

describe('a database of the previous schema', () => {
  it.concurrent(
    'is not changed by migrate, whose message has statements that preserve its rows',
    async () => {
      await withEarlier(async ({ connection, run, select }) => {
        const schema = await readSchema(REFERENCE.schemaFolder);
        const before = await select(MIGRATED);
        const rejected = await migrate({ connection, schema }).catch((error: unknown) => error);
        expect(rejected).toBeInstanceOf(EarlierMigrations);
        expect(await select(MIGRATED)).toEqual(before);

        const statements = statementsOf(rejected);
        const [insert = '', drop = ''] = statements.slice(-2);
        for (const statement of statements.slice(0, -2)) await run(statement);
        expect(await migrate({ connection, schema })).toHaveLength(schema.migrations.length);
        await run(insert);
        expect(await select(`SELECT origin FROM ${connection.database}.edge_logs`)).toEqual([
          'https://aurora.example',
        ]);
        await run(drop);
        expect(await migrate({ connection, schema })).toHaveLength(schema.migrations.length);
      });
    },
  );

  it.concurrent('accepts inserts after those statements and a restart of the server', async () => {
    await withTemporaryFolder(async (dataDir) => {
      const schema = await readSchema(REFERENCE.schemaFolder);
      let server = await startServer(dataDir);
      try {
        await createRecord(server.adminConnection);
        const rejected = await migrate({ connection: server.adminConnection, schema }).catch(String);
        await runOn(server, statementsOf(rejected).slice(0, -2));
        await migrate({ connection: server.adminConnection, schema });

        await server.stop();
        server = await startServer(dataDir);
        const insert = "INSERT INTO logs.edge_logs (project) VALUES ('aurora')";
        expect(await runOn(server, [insert, 'SELECT count() FROM logs.edge_logs'])).toBe('1');
      } finally {
        await server.stop();
      }
    });
  });

  it.concurrent('makes `querygate migrate` and the gateway exit with 1 and the same message', async () => {
    await withEarlier(async ({ connection, select }) => {
      const before = await select(MIGRATED);
      const environment = variablesOf(connection);
      const command = await runCli(['migrate'], environment);
      const gateway = startProcess(GATEWAY, { ...environment, API_KEY: 'k', PORT: '0' });
      const outcomes = [
        [command.code, command.stderr],
        [await gateway.ended, gateway.stderr()],
      ] as const;
      for (const [code, stderr] of outcomes) {
        expect(code).toBe(1);
        expect(stderr).toContain(`The database ${connection.database} has the tables of an earlier schema`);
        expect(stderr).toContain(`RENAME DATABASE \`${connection.database}\` TO`);
      }
      expect(await select(MIGRATED)).toEqual(before);
    });
  });

  it.concurrent('is recognised by a user that may read the tables, but not the schema record', async () => {
    await withTemporaryFolder(async (dataDir) => {
      const server = await startServer(dataDir);
      try {
        // The state after the first eleven files.
        await createRecord(server.adminConnection);
        await runOn(server, [
          'DROP VIEW logs.edge_request_minutes_view SYNC',
          'ALTER TABLE logs.edge_logs DROP COLUMN rolled_up',
        ]);
        const gateway = startProcess(GATEWAY, {
          ...variablesOf(server.readerConnection),
          API_KEY: 'k',
          PORT: '0',
        });
        expect(await gateway.ended).toBe(1);
        expect(gateway.stderr()).toContain('The database logs has the tables of an earlier schema');
      } finally {
        await server.stop();
      }
    });
  });

  it.concurrent('makes a gateway with an embedded server exit, naming the data folder', async () => {
    await withTemporaryFolder(async (dataDir) => {
      const server = await startServer(dataDir);
      await createRecord(server.adminConnection);
      await server.stop();

      const gateway = startProcess(GATEWAY, { DATA_DIR: dataDir, API_KEY: 'k', PORT: '0' });
      expect(await gateway.ended).toBe(1);
      expect(gateway.stderr()).toContain(`  mv ${dataDir} ${dataDir}-before\n  rm -r ${dataDir}`);
    });
  });
});
