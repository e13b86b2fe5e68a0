import type { Endpoint } from '../../src/endpoint/endpoint.js';
import { readSqlEndpoint } from '../support/read-sql-endpoint.js';
import { EndpointAnalyses } from '../../src/gateway/analysis/endpoint-analyses.js';
import { Failure } from '../../src/gateway/errors.js';
import { useTestDatabase } from '../support/clickhouse.js';
import { fileOf } from '../support/reloaded-project.js';

describe('the gateway’s own tables', () => {
  const database = useTestDatabase();
  const analyses = new EndpointAnalyses();
  const analysed = async (from: string): Promise<Endpoint> => {
    const sql = `SELECT toNullable(@city) AS city, toString(endpoint) AS version FROM ${from}`;
    const endpoint = readSqlEndpoint(fileOf('one', 1, '').replace(/SELECT .*/, () => sql));
    const { signal } = new AbortController();
    await analyses.analyse(endpoint, { client: database.client, now: () => new Date(), signal });
    return endpoint;
  };
  const outcomeOf = (endpoint: Endpoint, scope?: string): string => {
    try {
      analyses.requireRunnable(endpoint, undefined, scope);
      return 'runs';
    } catch (error) {
      return error instanceof Failure ? error.code : String(error);
    }
  };
  beforeAll(async () => {
    const { name } = database;
    for (const statement of [
      'TABLE events (endpoint String) ENGINE = Memory',
      'VIEW of_calls AS SELECT endpoint FROM querygate_calls',
      'VIEW of_owner DEFINER = CURRENT_USER SQL SECURITY DEFINER AS SELECT endpoint FROM querygate_calls',
      'VIEW of_requests AS SELECT endpoint FROM gateway_requests',
      `TABLE merged AS events ENGINE = Merge(REGEXP('${name}'), '^querygate_c')`,
    ])
      await database.client.command({ query: `CREATE ${statement}` });
  });

  it.each([
    "merge(currentDatabase(), '^querygate_call')",
    "merge(currentDatabase(), concat('^querygate', '_call'))",
    '`querygate\\x5fcalls`',
    String.raw`events WHERE endpoint IN (SELECT endpoint FROM "querygate\x5fcalls")`,
    'of_calls',
    'of_owner',
    'merged',
    String.raw`remote('127.0.0.1', currentDatabase(), 'querygate\x5fcalls')`,
  ])('are refused, however a query reads the recorded calls: %s', async (from) => {
    const endpoint = await analysed(from);
    expect([analyses.rejectionsOf(endpoint).map(({ code }) => code), outcomeOf(endpoint)]).toEqual([
      ['TABLE_PRIVATE'],
      'ENDPOINT_INVALID',
    ]);
  });

  it('are refused to keys with pins alone where the query reads figures of callers, whatever it names', async () => {
    const pinned = '[["city","Rome"]]';
    for (const from of ["merge(currentDatabase(), '^gateway')", 'of_requests', '`gateway\\x5frequests`']) {
      const endpoint = await analysed(from);
      expect([outcomeOf(endpoint), outcomeOf(endpoint, pinned)]).toEqual(['runs', 'FORBIDDEN']);
    }
  });

  it('are not what a query reads that only writes their names, or that reads others by a pattern', async () => {
    for (const from of ["merge(currentDatabase(), '^even')", "events WHERE endpoint = 'gateway_requests'"]) {
      const endpoint = await analysed(from);
      expect([outcomeOf(endpoint), outcomeOf(endpoint, '[["city","Rome"]]')]).toEqual(['runs', 'runs']);
    }
  });
});
