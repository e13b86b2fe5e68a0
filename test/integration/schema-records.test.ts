import path from 'node:path';
import type { ClickHouseClient } from '@clickhouse/client';

import { connectClickHouse } from '../../src/gateway/clickhouse/connect-clickhouse.js';
import { EmbeddedServer } from '../../src/commands/embedded/embedded-server.js';
import { migrate } from '../../src/commands/schema/migrate.js';
import { isGatewayFile, readSchema, type Migration } from '../../src/gateway/schema/migration-files.js';
import { variablesOf } from '../support/demo-database.js';
import { withEmptyDatabase, type EmptyDatabase } from '../support/empty-database.js';
import { writeFiles } from '../support/project-folder.js';
import { REFERENCE } from '../support/reference-project.js';
import { runCli, type Outcome } from '../support/run-cli.js';
import { withTemporaryFolder } from '../support/temporary-folder.js';
import { urlOf, withGateway } from '../support/with-gateway.js';

const GATEWAY_FILE = 'querygate/0001_gateway_requests.sql';
/** The gateway's own files that version 0.1 did not have. */
const LATER_FILES = ['0002_usage', '0003_calls', '0004_comments', '0005_tables'].map(
  (file) => `querygate/${file}.sql`,
);
const EARLIER_GATEWAY_FILE = '0011_gateway_requests';
/** Of the gateway, as {@link EmptyDatabase} lists them. */
const GATEWAY_TABLES = [
  'gateway_requests',
  'querygate_calls',
  'querygate_usage',
  'querygate_usage_of_requests',
];

/** What version 0.1 recorded. An applied file never changes, so neither do these checksums. */
const EARLIER_RECORDS = {
  '0001_edge_logs': '8c7dd1018a9e95f1690f3f763564d8d2086d4812b9e700fef93f6758bca92d32',
  '0002_database_logs': 'db29cb7b488967b3335d8b68c124f66933b3d51816e6f3c1bde1459a42289b92',
  '0003_function_relay_logs': '641ef03673f699ef0a8997c11991758db11d73a7ca7744399c126a819e597bb6',
  '0004_function_event_logs': 'a21680969d582b432ccc7555b81a1e3f4033b9937c0bbd41d92303a3b79f82bb',
  '0005_auth_logs': '15f4319b9942821cca5c18537663e5ceea953815e735baf99b5033ac0068d59f',
  '0006_realtime_logs': '80f5903f0ca9ec96801a0a60c7504bcfd76e54f2b5edbb43faabb7fe43de9f10',
  '0007_storage_logs': '03c5ef997b1fc395b3021ded98d83ee143b0a5ece30f020afa36de09d55c4718',
  '0008_rest_logs': '180ac5975446b97dc1988b14cae4e41d6074ddf368395829cad1bd7bccc23503',
  '0009_pooler_logs': 'dd779805fd8afbd5193c81a8d1f6fdcf5bf15fb8c0bcba929b2014d3ac0f8215',
  '0010_custom_events': '55c3157d96d80f6242d0324f47f03b0672ce210b176adce2833b5e02bd1b23d9',
  [EARLIER_GATEWAY_FILE]: 'dad75686fb1fd2f884ca3bca0a1e5949132c1ede3170379195b745ef2ced2d25',
};

/** The record table as version 0.1 created it. */
const EARLIER_TABLE = `
  CREATE TABLE schema_migrations
  (
      name String COMMENT 'File of clickhouse-schema/, without its ending',
      checksum String COMMENT 'SHA-256 (hex) of the file as it was applied',
      applied_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC')
  )
  ENGINE = MergeTree ORDER BY name`;

const RECORDED = 'SELECT name FROM {database:Identifier}.schema_migrations ORDER BY name';

async function record(client: ClickHouseClient, records: Readonly<Record<string, string>>): Promise<void> {
  await client.insert({
    table: 'schema_migrations',
    values: Object.entries(records).map(([name, checksum]) => ({ name, checksum })),
    format: 'JSONEachRow',
  });
}

/** Runs a test's body with a database that has these records of version 0.1, and no tables but those of the statements. */
async function withRecords(
  records: Readonly<Record<string, string>>,
  use: (database: EmptyDatabase) => Promise<void>,
  statements: readonly string[] = [],
): Promise<void> {
  await withEmptyDatabase(async (database) => {
    const { connection, client } = database;
    await client.command({ query: `CREATE DATABASE ${connection.database}` });
    const own = connectClickHouse(connection, { maxOpenConnections: 1, requestTimeoutMs: 30_000 });
    try {
      for (const query of [EARLIER_TABLE, ...statements]) await own.command({ query });
      await record(own, records);
    } finally {
      await own.close();
    }
    await use(database);
  });
}

/** Runs a test's body with a project that has these schema files. */
async function withProject(
  files: Readonly<Record<string, string>>,
  use: (schemaFolder: string, project: string) => Promise<void>,
): Promise<void> {
  await withTemporaryFolder(async (project) => {
    const schemaFolder = path.join(project, 'clickhouse-schema');
    await writeFiles(schemaFolder, files);
    await use(schemaFolder, project);
  });
}

const createTable = (name: string): string => `CREATE TABLE ${name} (x UInt8) ENGINE = Memory;\n`;

/** The statement that creates the request log as version 0.1 did, perhaps edited. */
async function requestLogTable(edit = (statement: string): string => statement): Promise<string> {
  const migrations = await readSchema(REFERENCE.schemaFolder);
  return edit(migrations.find(({ name }) => name === GATEWAY_FILE)?.statements[0] ?? '');
}

/** The reference schema with the gateway's files of a later version. */
async function laterSchema(): Promise<readonly Migration[]> {
  const migrations = await readSchema(REFERENCE.schemaFolder);
  const name = 'querygate/0009_later.sql';
  const later = { name, earlierName: name, statements: [createTable('later')], checksum: 'later' };
  const own = migrations.filter(({ name: file }) => isGatewayFile(file));
  return [...own, later, ...migrations.filter((file) => !own.includes(file))];
}

describe('a database that version 0.1 migrated', () => {
  it('lacks the files of later versions alone, and keeps its records', async () => {
    const use = async ({ connection, select, tables }: EmptyDatabase): Promise<void> => {
      const schema = await readSchema(REFERENCE.schemaFolder);
      expect(await migrate({ connection, schema })).toEqual(LATER_FILES);
      expect(await migrate({ connection, schema })).toEqual([]);
      expect(await select(RECORDED)).toEqual([...Object.keys(EARLIER_RECORDS), ...LATER_FILES]);
      expect(await tables()).toEqual([...GATEWAY_TABLES, 'schema_migrations']);
    };
    await withRecords(EARLIER_RECORDS, use, [await requestLogTable()]);
  });

  it('gets the files that it lacks, and then has records of both kinds', async () => {
    const older = Object.fromEntries(Object.entries(EARLIER_RECORDS).slice(0, -2));
    await withRecords(older, async ({ connection, select }) => {
      const schema = await readSchema(REFERENCE.schemaFolder);
      const applied = [GATEWAY_FILE, ...LATER_FILES, 'clickhouse-schema/0010_custom_events.sql'];
      expect(await migrate({ connection, schema })).toEqual(applied);
      expect(await migrate({ connection, schema })).toEqual([]);
      expect(await select(RECORDED)).toEqual([...Object.keys(older), ...applied.toSorted()]);
    });
  });

  it('rejects a changed project file by its path', async () => {
    await withRecords(
      { ...EARLIER_RECORDS, '0003_function_relay_logs': 'another' },
      async ({ connection }) => {
        const schema = await readSchema(REFERENCE.schemaFolder);
        await expect(migrate({ connection, schema })).rejects.toThrow(
          'clickhouse-schema/0003_function_relay_logs.sql was changed after it was applied',
        );
      },
    );
  });

  it('keeps a request log that was created by an edited file', async () => {
    const records = { ...EARLIER_RECORDS, [EARLIER_GATEWAY_FILE]: 'edited' };
    const created = await requestLogTable((statement) => statement.replace('30 DAY', '31 DAY'));
    await withRecords(
      records,
      async ({ connection, select }) => {
        const schema = await readSchema(REFERENCE.schemaFolder);
        expect(await migrate({ connection, schema })).toEqual([GATEWAY_FILE, ...LATER_FILES]);
        expect(await migrate({ connection, schema })).toEqual([]);
        expect(
          await select(
            "SELECT extract(create_table_query, 'TTL .* toIntervalDay.31.') FROM system.tables WHERE database = {database:String} AND name = 'gateway_requests'",
          ),
        ).toEqual(['TTL timestamp + toIntervalDay(31)']);
      },
      [created],
    );
  });
});

describe('files of the gateway and of a project', () => {
  it('with equal numbers and names are recorded apart, and both applied', async () => {
    await withProject({ '0001_gateway_requests.sql': createTable('mine') }, async (folder) => {
      await withEmptyDatabase(async ({ connection, select, tables }) => {
        const schema = await readSchema(folder);
        const names = [GATEWAY_FILE, ...LATER_FILES, 'clickhouse-schema/0001_gateway_requests.sql'];
        expect(await migrate({ connection, schema })).toEqual(names);
        expect(await migrate({ connection, schema })).toEqual([]);
        expect(await select(RECORDED)).toEqual(names.toSorted());
        expect(await tables()).toEqual([...GATEWAY_TABLES, 'mine', 'schema_migrations'].sort());
      });
    });
  });

  it('are distinguished where version 0.1 recorded a project’s file under the name of the gateway’s', async () => {
    await withProject({ [`${EARLIER_GATEWAY_FILE}.sql`]: createTable('mine') }, async (folder) => {
      const schema = await readSchema(folder);
      const checksum = schema.at(-1)?.checksum ?? '';
      await withRecords({ [EARLIER_GATEWAY_FILE]: checksum }, async ({ connection, tables }) => {
        expect(await migrate({ connection, schema })).toEqual([GATEWAY_FILE, ...LATER_FILES]);
        expect(await tables()).toEqual([...GATEWAY_TABLES, 'schema_migrations']);
      });
    });
  });

  it.each([
    ['version 0.1', EARLIER_RECORDS],
    ['this version', undefined],
  ])('of a later version are applied to a project’s database of %s', async (_version, records) => {
    const use = async ({ connection, tables }: EmptyDatabase): Promise<void> => {
      await migrate({ connection, schema: await readSchema(REFERENCE.schemaFolder) });
      const schema = await laterSchema();
      expect(await migrate({ connection, schema })).toEqual(['querygate/0009_later.sql']);
      expect(await migrate({ connection, schema })).toEqual([]);
      expect(await tables()).toContain('later');
    };
    await (records ? withRecords(records, use, [await requestLogTable()]) : withEmptyDatabase(use));
  });
});

describe('querygate migrate', () => {
  const runMigrate = ({ connection }: EmptyDatabase, project?: string): Promise<Outcome> =>
    runCli(['migrate', ...(project === undefined ? [] : ['--project', project])], variablesOf(connection));

  it('says what to do with the file of version 0.1 that creates the request log', async () => {
    const text = createTable('IF NOT EXISTS gateway_requests');
    await withProject({ '0011_gateway_requests.sql': text }, async (_folder, project) => {
      await withEmptyDatabase(async (database) => {
        const { code, stderr } = await runMigrate(database, project);
        expect(code).toBe(1);
        expect(stderr).toContain('clickhouse-schema/0011_gateway_requests.sql creates gateway_requests');
        expect(stderr).toContain('Delete the file');
        expect(await database.tables()).toEqual([]);
      });
    });
  });

  it('stops before any change on a database of a later version, which the gateway still serves', async () => {
    await withEmptyDatabase(async (database) => {
      const { connection, select } = database;
      await migrate({ connection, schema: await laterSchema() });
      const before = await select(RECORDED);
      const { code, stderr } = await runMigrate(database);
      expect(code).toBe(1);
      expect(stderr).toContain(
        'querygate/0009_later.sql is recorded in the database but missing from this version of the gateway',
      );
      expect(stderr).toContain('Use that version or a later one.');
      expect(await select(RECORDED)).toEqual(before);

      await withGateway({ ...variablesOf(connection), API_KEY: 'k' }, async (gateway) => {
        const call = `${await urlOf(gateway)}/api/endpoints/query/usage.api-counts?project=a&interval=daily`;
        expect((await fetch(call, { headers: { 'X-API-KEY': 'k' } })).status).toBe(200);
      });
    });
  });

  it('stops on the database of another project, and names its files', async () => {
    await withProject({ '0001_mine.sql': createTable('mine') }, async (folder) => {
      await withEmptyDatabase(async (database) => {
        await migrate({ connection: database.connection, schema: await readSchema(folder) });
        const { code, stderr } = await runMigrate(database);
        expect(code).toBe(1);
        expect(stderr).toContain('clickhouse-schema/0001_mine.sql is recorded in the database but missing');
        expect(stderr).toContain('set CLICKHOUSE_DATABASE to another name');
        expect(await database.tables()).toEqual([...GATEWAY_TABLES, 'mine', 'schema_migrations'].sort());
      });
    });
  });
});

describe('a gateway with an embedded ClickHouse that a later version migrated', () => {
  it('does not start, and names the file', async () => {
    await withTemporaryFolder(async (dataDir) => {
      const options = {
        dataDir,
        database: 'logs',
        onCrash: () => undefined,
      };
      const server = await EmbeddedServer.start(options);
      try {
        await migrate({ connection: server.adminConnection, schema: await laterSchema() });
      } finally {
        await server.stop();
      }
      await withGateway({ DATA_DIR: dataDir, API_KEY: 'k' }, async ({ ended, stderr }) => {
        expect(await ended).toBe(1);
        expect(stderr()).toContain('querygate can’t start: querygate/0009_later.sql is recorded');
      });
    });
  });
});
