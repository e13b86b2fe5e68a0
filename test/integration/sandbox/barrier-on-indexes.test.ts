import { createQueryRunner } from '../../../src/gateway/clickhouse/query-runner.js';
import { readSqlEndpoint } from '../../support/read-sql-endpoint.js';
import { useTestDatabase } from '../../support/clickhouse.js';
import { sqlEndpointFile } from '../../support/sql-endpoint-file.js';
import { forAll, outcomesOn } from './non-interference/outcomes.js';

/** Values of hidden rows are all numbers below that the caller's rows do not have. */
const VALUES = 24;
const isMine = (n: number): boolean => n % 6 === 0;

/** What ClickHouse has beside rows, and evaluates expressions on: the marks of the primary key, the sets of an index, the groups of a projection. */
const PLACES = {
  'marks of the primary key': 'SELECT count() AS n FROM mine WHERE intDiv(10, key - X) != 7',
  'sets of a skip index': 'SELECT count() AS n FROM mine WHERE intDiv(10, code - X) != 7',
  'groups of a projection':
    'SELECT kind, sum(amount) AS n FROM mine WHERE intDiv(10, kind - X) != 7 GROUP BY kind ORDER BY kind',
} as const;

const TABLE = `CREATE TABLE events (
  project String, key Int64, code Int64, kind Int64, amount Int64,
  INDEX of_codes code TYPE set(0) GRANULARITY 1,
  PROJECTION of_kinds (SELECT project, kind, sum(amount) GROUP BY project, kind)
) ENGINE = MergeTree ORDER BY key SETTINGS index_granularity = 2`;

const ENDPOINT = readSqlEndpoint(
  sqlEndpointFile(
    'events',
    [
      'sandboxing: enabled',
      'parameters: { project: { kind: string, required: true, description: Project. } }',
      'columns: { key: Int64 }',
      'tenant: { events: project }',
    ],
    'WITH mine AS (SELECT key, code, kind, amount FROM events WHERE project = @project) SELECT key FROM mine ORDER BY key',
  ),
);

const database = useTestDatabase();
beforeAll(async () => {
  await database.client.command({ query: TABLE });
});

/** Runs a statement for each value, over the caller's rows and perhaps those of others between them. */
async function outcomes(
  statement: string,
  hasOthers: boolean,
  hasBarriers = true,
): Promise<readonly string[]> {
  const rows = Array.from({ length: VALUES }, (_, n) => ({
    ...{ project: isMine(n) ? 'mine' : `other ${n % 5}`, key: n, code: n, kind: n, amount: 1 },
  }));
  await database.client.command({ query: 'TRUNCATE TABLE events' });
  await database.insert('events', hasOthers ? rows : rows.filter(({ key }) => isMine(key)));
  const outcomeOf = outcomesOn(
    ENDPOINT,
    createQueryRunner(database.client, { timeoutMs: 60_000 }),
    hasBarriers,
  );
  const values = Array.from({ length: VALUES }, (_, n) => n);
  return forAll(values, (n) => outcomeOf({ text: statement.replaceAll('X', String(n)), reads: ['mine'] }));
}

describe.each(Object.entries(PLACES))('an expression of a caller on %s', (_place, statement) => {
  it('fails for values of the caller’s own rows alone, whatever other rows there are', async () => {
    const [alone, among] = [await outcomes(statement, false), await outcomes(statement, true)];
    expect(among).toEqual(alone);
    expect(alone.map((outcome) => outcome.startsWith('200'))).toEqual(alone.map((_outcome, n) => !isMine(n)));
  });

  it('would tell which values other rows have, without the barrier', async () => {
    const [alone, among] = [await outcomes(statement, false, false), await outcomes(statement, true, false)];
    expect(among).not.toEqual(alone);
  });
});
