import { randomBytes } from 'node:crypto';
import type { ClickHouseClient } from '@clickhouse/client';

import { connectClickHouse, type ClickHouseConnection } from '../../src/clickhouse/connection.js';
import { migrate } from '../../src/clickhouse/schema/migrate.js';
import { readMigrations, type Migration } from '../../src/clickhouse/schema/migration-files.js';
import { readStep, runStep } from '../../src/clickhouse/schema/migration-steps.js';
import { SCHEMA_FOLDER } from '../../src/project-files.js';
import { adminConnection } from '../support/clickhouse.js';
import { pollUntil } from '../support/poll-until.js';

const ALL = await readMigrations(SCHEMA_FOLDER);
/** What there was before the rollups. */
const BEFORE = ALL.filter(({ name }) => name < '0012');
const NEW = ALL.slice(BEFORE.length);

interface OldDatabase {
  readonly connection: ClickHouseConnection;
  readonly client: ClickHouseClient;
  readonly run: (query: string) => Promise<void>;
  readonly ask: (query: string) => Promise<readonly string[]>;
}

/** A database as the release before the rollups left it, with rows of several days. */
async function withOldDatabase(use: (database: OldDatabase) => Promise<void>): Promise<void> {
  const connection = adminConnection(`test_${randomBytes(6).toString('hex')}`);
  await migrate({ connection, migrations: BEFORE });
  const client = connectClickHouse(connection, { maxOpenConnections: 12, requestTimeoutMs: 60_000 });
  const run = async (query: string): Promise<void> => {
    await client.command({ query });
  };
  const ask = async (query: string): Promise<readonly string[]> =>
    (await (await client.query({ query, format: 'JSONCompactEachRow' })).json<unknown[]>()).map(String);
  try {
    for (const insert of insertsOf(300)) await run(insert);
    for (const insert of insertsOf(200)) await run(insert);
    await use({ connection, client, run, ask });
  } finally {
    await run(`DROP DATABASE ${connection.database} SYNC`);
    await client.close();
  }
}

/** Two days of two months: a fill goes by days, and partitions are days or months. */
const TIME = "toDateTime64('2096-02-29 10:00:00', 6, 'UTC') + toIntervalSecond(rand(1) % 100000)";
/** An insert into each of the tables; `source` gives a column `number`. */
const insertsOf = (rows: number, source = `numbers(${rows})`, settings = ''): readonly string[] => [
  `INSERT INTO function_relay_logs (project, timestamp, function_id, status_code, execution_time_ms) ${settings}
   SELECT ['p', 'q'][1 + number % 2], ${TIME}, toString(number % 3), 200 + number % 300, rand(2) % 1000 FROM ${source}`,
  `INSERT INTO edge_logs (project, timestamp, url, path) ${settings}
   SELECT ['p', 'q'][1 + number % 2], ${TIME}, concat('https://', ['a', 'b'][1 + number % 2], '/rest/', toString(number)), '/rest/v1'
   FROM ${source}`,
  `INSERT INTO custom_events (timestamp, event_type, event_name, city) ${settings}
   SELECT ${TIME}, ['url_redirect', 'view', NULL][1 + number % 3], toString(number % 5), 'Rome' FROM ${source}`,
];

/** Rows of the records and sums of each rollup, by what both have; equal lists where none is lost or counted twice. */
const COMPARED: readonly (readonly [raw: string, rollup: string])[] = [
  ...(['Minute', 'Hour', 'Day'] as const).map((unit): readonly [string, string] => [
    `SELECT project, toStartOf${unit}(timestamp) AS at, function_id, count(), countIf(status_code >= 400),
       min(execution_time_ms), max(execution_time_ms), round(avg(execution_time_ms), 6)
     FROM function_relay_logs GROUP BY ALL ORDER BY ALL`,
    `SELECT project, ${unit.toLowerCase()} AS at, function_id, sum(invocations), sum(errors),
       min(min_execution_time), max(max_execution_time), round(avgMerge(avg_execution_time), 6)
     FROM function_relay_${unit.toLowerCase()}s GROUP BY project, at, function_id ORDER BY ALL`,
  ]),
  ...(['Minute', 'Hour'] as const).map((unit): readonly [string, string] => [
    `SELECT project, substring(url, 1, 9) AS origin, toStartOf${unit}(timestamp) AS at, count(), countIf(path LIKE '%/rest%')
     FROM edge_logs GROUP BY ALL ORDER BY ALL`,
    `SELECT project, origin, ${unit.toLowerCase()} AS at, sum(requests), sum(rest_requests)
     FROM edge_request_${unit.toLowerCase()}s GROUP BY project, origin, at ORDER BY ALL`,
  ]),
  [
    `SELECT toDate32(timestamp) AS day, if(event_type IS NULL, '', concat('=', event_type)) AS type,
       concat('=', event_name) AS name, count() FROM custom_events GROUP BY ALL ORDER BY ALL`,
    `SELECT day, event_type_key AS type, event_name_key AS name, sum(hits) FROM custom_event_days
     GROUP BY day, type, name ORDER BY ALL`,
  ],
  [
    `SELECT toDate32(timestamp) AS day, concat('=', event_name) AS name, count()
     FROM custom_events WHERE event_type = 'url_redirect' GROUP BY ALL ORDER BY ALL`,
    'SELECT day, event_name_key AS name, sum(hits) FROM redirect_days GROUP BY day, name ORDER BY ALL',
  ],
];

async function expectToAgree({ ask }: OldDatabase): Promise<void> {
  for (const [raw, rollup] of COMPARED) {
    const expected = await ask(raw);
    expect(expected.length).toBeGreaterThan(0);
    expect(await ask(rollup)).toEqual(expected);
  }
  const left = "SELECT name FROM system.tables WHERE database = currentDatabase() AND name LIKE '%fill%'";
  expect(await ask(left)).toEqual([]);
}

/** A client whose statement of this number fails before or after ClickHouse has run it. */
function interruptedAt(client: ClickHouseClient, number: number, when: 'before' | 'after'): ClickHouseClient {
  let statements = 0;
  return new Proxy(client, {
    get: (target, name) => {
      if (name !== 'command') return Reflect.get(target, name) as unknown;
      return async (parameters: Parameters<ClickHouseClient['command']>[0]): Promise<unknown> => {
        statements += 1;
        if (statements === number && when === 'before') throw new Interruption();
        const result = await target.command(parameters);
        if (statements === number) throw new Interruption();
        return result;
      };
    },
  });
}

class Interruption extends Error {}

/** Runs the steps of the files in order. */
async function runSteps(
  client: ClickHouseClient,
  { connection }: OldDatabase,
  migrations: readonly Migration[],
): Promise<void> {
  for (const { statements } of migrations) {
    for (const statement of statements) {
      await runStep(client, connection.database, readStep(statement), () => Promise.resolve());
    }
  }
}

describe('the migration to rollups', () => {
  it('gives all rows to the rollups once, while rows are written all the time', async () => {
    await withOldDatabase(async (database) => {
      const { connection, run, ask } = database;
      const migrated = { yet: false };
      const writers = [
        insertsOf(1),
        insertsOf(500),
        insertsOf(20, 'numbers(20)', 'SETTINGS async_insert = 1, wait_for_async_insert = 1'),
        // One that takes seconds: it writes a block at a time.
        insertsOf(0, 'numbers(40) WHERE NOT ignore(sleepEachRow(0.05))', 'SETTINGS max_block_size = 1'),
      ].map(async (inserts) => {
        let rounds = 0;
        while (!migrated.yet) {
          for (const insert of inserts) await run(insert);
          rounds += 1;
        }
        return rounds;
      });
      await pollUntil('the slow insert runs', async () =>
        (
          await ask(
            "SELECT 1 FROM system.processes WHERE query LIKE '%sleepEachRow%' AND query_kind = 'Insert'",
          )
        ).length > 0
          ? true
          : undefined,
      );
      try {
        await migrate({ connection, migrations: ALL });
      } finally {
        migrated.yet = true;
      }
      const rounds = await Promise.all(writers);
      expect(Math.min(...rounds)).toBeGreaterThan(0);
      await expectToAgree(database);
      const [share] = await ask('SELECT uniqExact(rolled_up) FROM edge_logs');
      expect(share).toBe('2');
    });
  }, 120_000);

  it('applies each file once where two start at once', async () => {
    await withOldDatabase(async (database) => {
      const { connection } = database;
      const runs = [1, 2].map(() => migrate({ connection, migrations: ALL }));
      expect((await Promise.all(runs)).flat().sort()).toEqual(NEW.map(({ name }) => name));
      await expectToAgree(database);
    });
  }, 120_000);

  it.each(['before', 'after'] as const)(
    'goes on to the same end where it was interrupted %s any statement',
    async (when) => {
      await withOldDatabase(async (database) => {
        const { client, run } = database;
        // Every file is run again and again, a statement further each time, until nothing interrupts it.
        for (const migration of NEW) {
          for (let number = 1; ; number += 1) {
            const outcome = await runSteps(interruptedAt(client, number, when), database, [migration]).catch(
              (error: unknown) => error,
            );
            if (outcome === undefined) break;
            expect(outcome).toBeInstanceOf(Interruption);
          }
          for (const insert of insertsOf(5)) await run(insert);
        }
        await expectToAgree(database);
      });
    },
    240_000,
  );

  it('counts nothing twice where the process died before a file was recorded', async () => {
    await withOldDatabase(async (database) => {
      const { connection, run } = database;
      const fills = NEW.filter(({ name }) => name.includes('_fill_'));
      for (const { name } of fills) {
        await migrate({
          connection,
          migrations: ALL.slice(0, ALL.findIndex((file) => file.name === name) + 1),
        });
        await run(`ALTER TABLE schema_migrations DELETE WHERE name = '${name}' SETTINGS mutations_sync = 2`);
      }
      await migrate({ connection, migrations: ALL });
      await expectToAgree(database);
    });
  }, 120_000);

  it('stops where another process has taken the lock over, and leaves that one its lock', async () => {
    await withOldDatabase(async ({ connection, run, ask }) => {
      await run('CREATE TABLE successor (at DateTime) ENGINE = Memory');
      const overtaken: Migration = {
        name: '9999_overtaken',
        statements: [
          'EXCHANGE TABLES schema_migrations_lock AND successor',
          'CREATE TABLE never (x UInt8) ENGINE = Memory',
        ],
        checksum: '',
      };
      await expect(migrate({ connection, migrations: [...BEFORE, overtaken] })).rejects.toThrow(
        'was taken over',
      );
      expect(await ask('EXISTS TABLE never')).toEqual(['0']);
      expect(await ask('EXISTS TABLE schema_migrations_lock')).toEqual(['1']);
    });
  });
});

describe('readStep', () => {
  it('reads SQL, a wait and a fill', () => {
    expect(readStep('-- Why.\nSELECT 1')).toEqual({ kind: 'sql', text: '-- Why.\nSELECT 1' });
    expect(readStep('-- Why.\n-- querygate: wait for inserts')).toEqual({ kind: 'wait for inserts' });
    expect(readStep('-- querygate: fill a from b a day at a time\nSELECT {day:Date32}')).toEqual({
      kind: 'fill',
      target: 'a',
      source: 'b',
      select: 'SELECT {day:Date32}',
    });
  });

  it.each([
    '-- querygate: wait',
    '-- querygate: wait for inserts\nSELECT 1',
    '-- querygate: fill a from b\nSELECT {day:Date32}',
    '-- querygate: fill a from b a day at a time\nSELECT 1',
    '-- querygate: fill a; DROP TABLE b from c a day at a time\nSELECT {day:Date32}',
    '-- querygate: anything else',
  ])('refuses %j', (statement) => {
    expect(() => readStep(statement)).toThrow('is no directive of a migration');
  });
});
