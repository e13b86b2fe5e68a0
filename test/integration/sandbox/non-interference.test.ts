import { connectClickHouse } from '../../../src/gateway/clickhouse/connect-clickhouse.js';
import type { ClickHouseConnection } from '../../../src/gateway/clickhouse/connection.js';
import { createQueryRunner } from '../../../src/gateway/clickhouse/query-runner.js';
import { createSqlParser } from '../../../src/gateway/clickhouse/sql-parser.js';
import type { Endpoint } from '../../../src/endpoint/endpoint.js';
import type { SandboxedSelect } from '../../../src/gateway/query/sandboxed-select.js';
import { nativeSignal } from '../../../src/gateway/query/signal.js';
import { createSandbox } from '../../../src/gateway/sandbox/sandbox.js';
import { createTestDatabase, type TestDatabase } from '../../support/clickhouse.js';
import { applySchema, openSharedCluster, type ShardedServers } from '../../support/sharded-servers.js';
import { PARTS } from './non-interference/clauses.js';
import { describeOnce, type Described } from './non-interference/describe-once.js';
import { fillTables, PARAMETERS, type Hidden } from './non-interference/hidden-rows.js';
import {
  compareOutcomes,
  forAll,
  outcomesOn,
  sandboxedLogs,
  type Comparison,
} from './non-interference/outcomes.js';
import { FILTERED_BY, logsInSql } from './non-interference/logs-in-sql.js';
import { PARTIAL } from './non-interference/partial-expressions.js';
import { generateStatements, type Statement } from './non-interference/statements.js';

/**
 * The number of statements and the seed that generates them; all shapes are equally frequent. After a change of the
 * sandbox or the engine, run this file by itself with NON_INTERFERENCE_STATEMENTS=2000 and a new seed.
 */
const STATEMENTS = Number(process.env['NON_INTERFERENCE_STATEMENTS'] ?? 140);
const SEED = Number(process.env['NON_INTERFERENCE_SEED'] ?? 20_960_301);
/** On shards a query costs several times as much: only one of this many statements runs there. */
const ONE_OF = Number(process.env['NON_INTERFERENCE_ON_SHARDS_ONE_OF'] ?? 6);
const MINUTE = 60_000;

type Accepted = Statement & { readonly select: SandboxedSelect };

const described: Described = new Map();
let endpoint: Endpoint;
let database: TestDatabase;
let cluster: ShardedServers;
let accepted: readonly Accepted[];
let acceptedBy: (of: Endpoint) => Promise<readonly Accepted[]>;

beforeAll(async () => {
  endpoint = await sandboxedLogs();
  [database, cluster] = await Promise.all([createTestDatabase(), openSharedCluster('non_interference')]);
  await applySchema(cluster);
  const parser = createSqlParser(database.client);
  const checkSql = createSandbox((request, analysis) => analysis(parser, nativeSignal(request.signal)));
  const { signal } = new AbortController();
  acceptedBy = (of) =>
    forAll(generateStatements(STATEMENTS, SEED), async (statement) => ({
      ...statement,
      select: await checkSql(of, statement.sql, { signal }, new Set(['project'])),
    }));
  accepted = await acceptedBy(endpoint);
}, 5 * MINUTE);
afterAll(async () => {
  await cluster.close();
  await database.close();
}, MINUTE);

/** Runs statements in all cases, and prints their number. */
async function compare(
  where: string,
  statements: readonly Accepted[],
  connection: ClickHouseConnection,
  fill: Parameters<typeof compareOutcomes>[1],
  { hasBarriers = true, of = endpoint } = {},
): Promise<Comparison> {
  const client = connectClickHouse(connection, { maxOpenConnections: 8, requestTimeoutMs: MINUTE });
  // A setting of gateways in front of a cluster; without effect on one server.
  const runQuery = createQueryRunner(
    describeOnce(client, described),
    { timeoutMs: MINUTE },
    { skipsShards: true },
  );
  const outcomeOf = outcomesOn(of, runQuery, hasBarriers);
  try {
    const compared = await compareOutcomes(statements, fill, ({ select }) => outcomeOf(select));
    const { leaks, succeeded } = compared;
    process.stdout.write(
      `non-interference on ${where}: ${statements.length} statements of seed ${SEED}, ${succeeded} with rows, ${leaks.length} leak\n`,
    );
    return compared;
  } finally {
    await client.close();
  }
}

it('generates statements that the sandbox accepts, at least one of twenty for each part', () => {
  expect(new Set(accepted.map(({ sql }) => sql)).size).toBeGreaterThanOrEqual(STATEMENTS);
  for (const name of PARTS) {
    const reading = accepted.filter(({ select }) => select.reads.includes(name));
    expect(reading.length).toBeGreaterThanOrEqual(STATEMENTS / 20);
  }
});

it('uses expressions that each throw on poisonous rows', async () => {
  await fillTables([database.connection], '', 'poisonous');
  const harmlessOnes = await forAll(PARTIAL, async (expression) => {
    const query = `SELECT ignore(${expression}) FROM edge_logs WHERE position(event_message, 'SECRET') > 0`;
    return database.client.query({ query }).then(
      () => [expression],
      () => [],
    );
  });
  expect(harmlessOnes.flat()).toEqual([]);
});

describe('a caller’s results do not depend on rows of other tenants, nor on rows past the retention', () => {
  it(
    'on one server',
    async () => {
      const { connection } = database;
      const compared = await compare('one server', accepted, connection, (hidden) =>
        fillTables([connection], '', hidden),
      );
      expect(compared.leaks.slice(0, 10)).toEqual([]);
      expect(compared.succeeded).toBeGreaterThan(0.9 * accepted.length);
    },
    10 * MINUTE,
  );

  it(
    'which these statements would reveal: without the barriers, at least one of ten leaks',
    async () => {
      const { connection } = database;
      const each = STATEMENTS / new Set(accepted.map(({ shape }) => shape)).size;
      const statements = accepted.filter((_, index) => index % each < 2);
      const fill = (hidden: Hidden): Promise<void> => fillTables([connection], '', hidden);
      const { leaks } = await compare('one server, no barriers', statements, connection, fill, {
        hasBarriers: false,
      });
      expect(leaks.length).toBeGreaterThan(statements.length / 10);
    },
    MINUTE,
  );

  it(
    'on two shards',
    async () => {
      const servers = cluster.shards.map(({ admin }) => admin);
      const [first] = cluster.shards;
      const statements = accepted.filter((_, index) => index % ONE_OF === 0);
      const compared = await compare('two shards', statements, first.admin, (hidden) =>
        fillTables(servers, '_local', hidden),
      );
      expect(await shardsWithNeighbours()).toBe(1);
      expect(compared.leaks.slice(0, 10)).toEqual([]);
      // Subqueries that refer to outer rows are not supported there.
      expect(compared.succeeded).toBeGreaterThan(0.8 * statements.length);
    },
    10 * MINUTE,
  );
});

describe.each(FILTERED_BY)(
  'nor do those over a .sql endpoint whose WITH queries are filtered by %s',
  (form) => {
    const ofForm = async (): Promise<readonly [Endpoint, readonly Accepted[]]> => {
      const of = logsInSql(form);
      const statements = await acceptedBy(of);
      return [of, statements.filter((_, index) => index % ONE_OF === 1)];
    };

    it(
      'on one server',
      async () => {
        const { connection } = database;
        const [of, statements] = await ofForm();
        const fill = (hidden: Hidden): Promise<void> => fillTables([connection], '', hidden);
        const { leaks, succeeded } = await compare(`one server, ${form}`, statements, connection, fill, {
          of,
        });
        expect(leaks.slice(0, 10)).toEqual([]);
        expect(succeeded).toBeGreaterThan(0.8 * statements.length);
      },
      5 * MINUTE,
    );

    it(
      'on two shards',
      async () => {
        const [first] = cluster.shards;
        const [of, all] = await ofForm();
        const statements = all.filter((_, index) => index % 2 === 0);
        const servers = cluster.shards.map(({ admin }) => admin);
        const fill = (hidden: Hidden): Promise<void> => fillTables(servers, '_local', hidden);
        const { leaks, succeeded } = await compare(`two shards, ${form}`, statements, first.admin, fill, {
          of,
        });
        expect(leaks.slice(0, 10)).toEqual([]);
        expect(succeeded).toBeGreaterThan(0.7 * statements.length);
      },
      5 * MINUTE,
    );
  },
);

/** Counts the shards that have rows of the caller's project and of others. */
async function shardsWithNeighbours(): Promise<number> {
  const mine = `countIf(project = '${PARAMETERS.project}')`;
  const query = `SELECT ${mine} > 0 AND count() > ${mine} FROM edge_logs_local`;
  const counts = await Promise.all(cluster.shards.map(({ select: runQuery }) => runQuery(query)));
  return counts.flat().filter((count) => count === '1').length;
}
