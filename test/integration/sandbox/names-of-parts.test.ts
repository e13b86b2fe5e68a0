import { readSqlEndpoint } from '../../support/read-sql-endpoint.js';
import { sqlEndpointFile } from '../../support/sql-endpoint-file.js';
import { openSandbox, type SandboxUnderTest } from './sandbox-under-test.js';

/** Its rows are those of a list that is a table, and of a dictionary, whose names stand where ClickHouse takes a value first. */
const ENDPOINT = readSqlEndpoint(
  sqlEndpointFile(
    'events',
    ['sandboxing: enabled', 'columns: { project: String, score: UInt64 }'],
    `WITH 'mine' AS own, kept AS (SELECT project, key FROM events WHERE project IN allowed)
     SELECT project, dictGetUInt64(scores, 'score', key) AS score FROM (SELECT * FROM kept WHERE own = 'mine')`,
  ),
);

let sandbox: SandboxUnderTest;
beforeAll(async () => {
  sandbox = await openSandbox(ENDPOINT, {}, new Date());
  const { client } = sandbox.database;
  for (const query of [
    "CREATE TABLE events ENGINE = MergeTree ORDER BY key AS SELECT arrayJoin(['mine', 'hidden']) AS project, toUInt64(1) AS key",
    "CREATE TABLE allowed ENGINE = MergeTree ORDER BY project AS SELECT 'mine' AS project",
    ...[
      ['scores', 7],
      ['other', 9],
    ].map(
      ([dictionary, score]) =>
        `CREATE DICTIONARY ${dictionary} (key UInt64, score UInt64 DEFAULT ${score}) PRIMARY KEY key SOURCE(NULL()) LIFETIME(0) LAYOUT(FLAT())`,
    ),
  ])
    await client.command({ query });
});
afterAll(() => sandbox.close());

it.each([
  'SELECT * FROM result',
  "WITH ['hidden', 'mine'] AS allowed SELECT * FROM result",
  "WITH ('hidden', 'mine') AS allowed SELECT * FROM result",
  "WITH 'other' AS scores SELECT * FROM result",
  "SELECT project, score FROM (SELECT ['hidden'] AS allowed, 'other' AS scores, 'hidden' AS own, * FROM result)",
  "WITH 'hidden' AS own SELECT * FROM result",
  "SELECT * FROM result WHERE project IN (WITH ['hidden'] AS allowed SELECT project FROM result)",
])('a name of the caller is none within a part: %s', async (sql) => {
  expect((await sandbox.run(sql)).rows).toEqual([{ project: 'mine', score: 7 }]);
});
