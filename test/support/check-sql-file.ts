import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { QueryClient } from '../../src/gateway/clickhouse/connect-clickhouse.js';

import { checkEndpoint } from '../../src/commands/check/check-endpoint.js';
import type { CheckedEndpoint } from '../../src/commands/check/checked-endpoint.js';
import { textOfProblem } from '../../src/endpoint/file-problems.js';
import { parseSqlFile, possibleColumns } from '../../src/endpoint/sql-file/parse-sql-file.js';
import { endpointOf } from '../../src/endpoint/sql-file/read-sql-endpoint.js';
import { createQueryRunner } from '../../src/gateway/clickhouse/query-runner.js';
import { useTestDatabase } from './clickhouse.js';
import { withTemporaryFolder } from './temporary-folder.js';

/** How a file is checked. */
export interface SqlCheckOptions {
  readonly writes?: boolean;
  /** Done with the file after it was loaded. */
  readonly prepare?: (file: string) => Promise<void>;
}

/** The result of a check, and the file after it. */
export interface SqlCheck extends CheckedEndpoint {
  /** The problems as text. */
  readonly faults: readonly string[];
  /** The text of the file after the check. */
  readonly text: string;
  readonly mode: number;
}

/** Checks a file `visits.sql` with this text. */
export async function checkSqlFile(
  client: QueryClient,
  source: string,
  { writes = true, prepare }: SqlCheckOptions = {},
): Promise<SqlCheck> {
  const tools = { client, runQuery: createQueryRunner(client, { timeoutMs: 20_000 }), writes };
  let checked: SqlCheck | undefined;
  await withTemporaryFolder(async (folder) => {
    const file = path.join(folder, 'visits.sql');
    await writeFile(file, source);
    await prepare?.(file);
    const parsed = parseSqlFile(source, { path: file, shownPath: 'endpoints/visits.sql' });
    const endpoint = endpointOf(parsed, possibleColumns(parsed));
    const { signal } = new AbortController();
    const result = await checkEndpoint(endpoint, { ...tools, now: () => new Date(), signal });
    const { mode } = await stat(file);
    const faults = result.problems.map(textOfProblem);
    checked = { ...result, faults, text: await readFile(file, 'utf8'), mode: mode & 0o777 };
  });
  if (checked === undefined) throw new Error('the check has no result');
  return checked;
}

/** Makes a database with a table `visits` for the tests of a file. Returns what checks a file in it. */
export function useVisits(): (source: string, options?: SqlCheckOptions) => Promise<SqlCheck> {
  const database = useTestDatabase();
  beforeAll(async () => {
    for (const query of [
      "CREATE TABLE visits (at DateTime64(6, 'UTC'), city String, device String) ENGINE = MergeTree ORDER BY at",
      "INSERT INTO visits VALUES ('2026-05-17 10:00:00', 'Rome', 'phone')",
    ])
      await database.client.command({ query });
  });
  return (source, options) => checkSqlFile(database.client, source, options);
}

/** The problems, line by line. */
export const linesOf = ({ faults }: SqlCheck): readonly string[] =>
  faults.flatMap((fault) => fault.split('\n'));
