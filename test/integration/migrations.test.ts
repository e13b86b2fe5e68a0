import { existsSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import path from 'node:path';

import { migrate } from '../../src/commands/schema/migrate.js';
import { readSchema, type Migration } from '../../src/gateway/schema/migration-files.js';
import { withEmptyDatabase, type EmptyDatabase } from '../support/empty-database.js';
import { pollUntil } from '../support/poll-until.js';
import { REFERENCE } from '../support/reference-project.js';

const LOCK = 'schema_migrations_lock';

const migration = (name: string, ...statements: readonly string[]): Migration => ({
  name,
  statements,
  checksum: `checksum of ${name}`,
});
const ONE = migration('0001_one', 'CREATE TABLE one (x UInt8) ENGINE = Memory');
const TWO = migration('0002_two', 'CREATE TABLE two (x UInt8) ENGINE = Memory', 'INSERT INTO two VALUES (1)');

const RECORDED = 'SELECT name FROM {database:Identifier}.schema_migrations ORDER BY name';

describe('migrate', () => {
  it('creates the complete schema in an empty database, and then has nothing left to do', async () => {
    await withEmptyDatabase(async ({ connection, select, tables }) => {
      const schema = await readSchema(REFERENCE.schemaFolder);
      const names = schema.map(({ name }) => name);
      const logged: string[] = [];
      const applied = await migrate({ connection, schema, onApplied: (name) => logged.push(name) });
      expect(applied).toEqual(names);
      expect(logged).toEqual(names);
      expect(await select(RECORDED)).toEqual([...names].sort());
      expect(await tables()).toEqual(
        expect.arrayContaining([
          ...['edge_logs', 'database_logs', 'function_relay_logs', 'function_event_logs', 'auth_logs'],
          ...['realtime_logs', 'storage_logs', 'rest_logs', 'pooler_logs', 'custom_events'],
        ]),
      );
      expect(await migrate({ connection, schema })).toEqual([]);
      expect(await select(RECORDED)).toEqual([...names].sort());
    });
  });

  it.each([2, 5])('applies each file once if %i processes start at once', async (starters) => {
    await withEmptyDatabase(async ({ connection, select, tables }) => {
      const runs = Array.from({ length: starters }, () => migrate({ connection, schema: [ONE, TWO] }));
      const applied = (await Promise.all(runs)).flat();
      expect([...applied].sort()).toEqual(['0001_one', '0002_two']);
      expect(await select(RECORDED)).toEqual(['0001_one', '0002_two']);
      expect(await select('SELECT toString(count()) FROM {database:Identifier}.two')).toEqual(['1']);
      expect(await tables()).toEqual(['one', 'schema_migrations', 'two']);
    });
  });

  it('retains what was applied before a file that fails, releases the lock, and resumes with that file', async () => {
    await withEmptyDatabase(async ({ connection, select, tables }) => {
      const broken = migration('0002_two', 'CREATE TABLE two (x Nonsense) ENGINE = Memory');
      await expect(migrate({ connection, schema: [ONE, broken] })).rejects.toThrow(/^0002_two: .*Nonsense/);
      expect(await select(RECORDED)).toEqual(['0001_one']);
      expect(await tables()).toEqual(['one', 'schema_migrations']);
      expect(await migrate({ connection, schema: [ONE, TWO] })).toEqual(['0002_two']);
    });
  });
});

describe('the migration lock', () => {
  const createLock = async ({ connection, client }: EmptyDatabase): Promise<void> => {
    const { database } = connection;
    await client.command({
      query: 'CREATE DATABASE IF NOT EXISTS {database:Identifier}',
      query_params: { database },
    });
    await client.command({
      query: `CREATE TABLE {database:Identifier}.${LOCK} (at DateTime) ENGINE = Memory`,
      query_params: { database },
    });
  };

  it('blocks a migration while it has an owner', async () => {
    await withEmptyDatabase(async (database) => {
      const { connection, client, tables } = database;
      await createLock(database);
      const migrating = migrate({ connection, schema: [ONE] });
      await pollUntil('the migration has begun', async () =>
        (await tables()).includes('schema_migrations') ? true : undefined,
      );
      expect(await tables()).toEqual(['schema_migrations', LOCK]);
      await client.command({
        query: `DROP TABLE {database:Identifier}.${LOCK} SYNC`,
        query_params: { database: connection.database },
      });
      expect(await migrating).toEqual(['0001_one']);
    });
  });

  it('is taken over by one of three processes if its owner has not renewed it for half a minute', async () => {
    await withEmptyDatabase(async (database) => {
      const { connection, select, tables } = database;
      await createLock(database);
      const [file = ''] = await select(
        `SELECT concat((SELECT any(path) FROM system.disks WHERE name = 'default'), metadata_path)
         FROM system.tables WHERE database = {database:String} AND name = '${LOCK}'`,
      );
      // The path is out of reach if the server runs in a container.
      if (!existsSync(path.resolve(file))) return;
      const longAgo = new Date(Date.now() - 31_000);
      await utimes(file, longAgo, longAgo);
      const runs = [1, 2, 3].map(() => migrate({ connection, schema: [ONE, TWO] }));
      expect((await Promise.all(runs)).flat().sort()).toEqual(['0001_one', '0002_two']);
      expect(await tables()).toEqual(['one', 'schema_migrations', 'two']);
    });
  });
});
