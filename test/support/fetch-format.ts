import { createQueryRunner } from '../../src/clickhouse/query-runner.js';
import type { FormatName } from '../../src/formats/formats.js';
import { representationOf } from '../../src/formats/representation.js';
import type { QueryRequest, QueryResult, RunQuery } from '../../src/query/ports.js';
import { createTestDatabase, type TestDatabase } from './clickhouse.js';
import { queryRequest } from './query-requests.js';

/** Runs queries on a real ClickHouse for the tests of a file. */
export interface FormatQueries {
  readonly runQuery: RunQuery;
  /** The result of a query text without LIMIT in a format; the row cap is 10 by default. */
  readonly fetchFormat: (
    format: FormatName,
    text: string,
    changes?: Partial<QueryRequest>,
    parameters?: Readonly<Record<string, number>>,
  ) => Promise<QueryResult>;
}

/** Opens a database before the tests of the file, and closes it after them. */
export function useFormatQueries(): FormatQueries {
  let database: TestDatabase;
  let run: RunQuery;
  beforeAll(async () => {
    database = await createTestDatabase();
    run = createQueryRunner(database.client, { timeoutMs: 20_000 });
  });
  afterAll(() => database.close());
  const runQuery: RunQuery = (request) => run(request);
  return {
    runQuery,
    fetchFormat: (format, text, { rowCap = 10, ...changes } = {}, parameters = {}) =>
      runQuery(
        queryRequest(`${text}\nLIMIT {row_limit:UInt64}`, {
          representation: representationOf(format),
          rowCap,
          parameters: { row_limit: rowCap + 1, ...parameters },
          ...changes,
        }),
      ),
  };
}
