import { withGatewayBehindProxy, type BehindProxy } from '../../support/gateway-behind-proxy.js';
import {
  versionedEndpoint,
  VersionedServer,
  type VersionedResponse,
} from '../../support/versioned-gateway.js';
import { openForAll } from '../../support/opened.js';

const ENDPOINTS = {
  counted: versionedEndpoint('counted', 1, 'columns: { n: UInt64 }', 'SELECT count() AS n FROM events'),
  summed: versionedEndpoint('summed', 2, 'columns: { n: UInt64 }', 'SELECT sum(v) AS n FROM events'),
  viewed: versionedEndpoint('viewed', 3, 'columns: { n: UInt64 }', 'SELECT count() AS n FROM low'),
};

const server = openForAll(() => VersionedServer.start());

beforeEach(async () => {
  await server.run('DROP VIEW IF EXISTS low');
  await server.run('DROP TABLE IF EXISTS events SYNC');
  await server.run(
    'CREATE TABLE events (d Date, id UInt64, v UInt64) ENGINE = MergeTree PARTITION BY d ORDER BY id SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1',
  );
  await server.run("INSERT INTO events VALUES ('2026-01-01', 1, 1), ('2026-01-01', 2, 20)");
  await server.run('CREATE VIEW low AS SELECT id FROM events WHERE v < 10');
});

/** Runs a scenario against a gateway whose queries are rewritten. @returns the rows of its last response */
const run = async (
  rewrite: (sql: string) => string,
  scenario: (tools: BehindProxy) => Promise<VersionedResponse>,
): Promise<unknown> => (await withGatewayBehindProxy(server, ENDPOINTS, { rewrite }, scenario)).rows;

/** What each guard is for: a scenario, its right rows, and what the queries are without the guard. */
const GUARDS = {
  'the condition on parts, where a partition comes and goes around a query': {
    without: (sql: string) => sql.replace(/, additional_table_filters = [^]*$/, ''),
    right: [{ n: 2 }],
    wrong: [{ n: 3 }],
    scenario: async ({ gateway, proxy, nextSecond }: BehindProxy) => {
      // The version is read before the query is sent.
      const { isHeld, release } = proxy.holdNext(/^(?!EXPLAIN|DESCRIBE)[^]*count\(\) AS n FROM events/);
      const first = gateway.get('counted');
      await isHeld;
      await server.run("INSERT INTO events VALUES ('2027-01-01', 3, 3)");
      const secondRead = proxy.holdNext(/FROM system\.parts WHERE active/);
      release();
      await Promise.race([first, secondRead.isHeld]);
      await server.run("ALTER TABLE events DROP PARTITION '2027-01-01'");
      secondRead.release();
      await first;
      nextSecond();
      return gateway.get('counted');
    },
  },
  'the definitions, where a view has another condition': {
    without: (sql: string) =>
      sql.replaceAll('lower(hex(sipHash128(toString(uuid), create_table_query)))', "'same'"),
    right: [{ n: 2 }],
    wrong: [{ n: 1 }],
    scenario: async ({ gateway, nextSecond }: BehindProxy) => {
      await gateway.get('viewed');
      await server.run('CREATE OR REPLACE VIEW low AS SELECT id FROM events WHERE v < 100');
      nextSecond();
      return gateway.get('viewed');
    },
  },
  'the patch parts, where a row is updated': {
    without: (sql: string) =>
      sql.replaceAll('WHERE active AND', "WHERE active AND NOT startsWith(name, 'patch-') AND"),
    right: [{ n: 30 }],
    wrong: [{ n: 21 }],
    scenario: async ({ gateway, nextSecond }: BehindProxy) => {
      await gateway.get('summed');
      await server.run('UPDATE events SET v = 10 WHERE id = 1', { enable_lightweight_update: 1 });
      nextSecond();
      return gateway.get('summed');
    },
  },
} as const;

describe.each(Object.entries(GUARDS))('%s', (_name, { without, right, wrong, scenario }) => {
  it('makes the response right', async () => {
    expect(await run((sql) => sql, scenario)).toEqual(right);
  });

  it('is missed where it is taken away', async () => {
    expect(await run(without, scenario)).toEqual(wrong);
  });
});
