import type { ClickHouseSettings } from '@clickhouse/client';

import { buffer } from 'node:stream/consumers';

import { createQueryRunner } from '../../src/gateway/clickhouse/query-runner.js';
import type { FormatName } from '../../src/gateway/formats/formats.js';
import { representationOf } from '../../src/gateway/formats/representation.js';
import type { QueryRequest, QueryResult, RunQuery } from '../../src/gateway/query/ports.js';
import { useTestDatabase } from './clickhouse.js';
import { queryRequest } from './query-requests.js';
import type { Row } from './read-formats.js';

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
  /** The rows of a query, as ClickHouse's own format has them. */
  readonly queryRows: (text: string, settings?: ClickHouseSettings) => Promise<readonly Row[]>;
  /** The bytes that ClickHouse itself writes for a query with a FORMAT. */
  readonly ownBytes: (text: string) => Promise<Buffer>;
  /** The rows of a query as ClickHouse writes them: a line for each. */
  readonly queryLines: (text: string, settings?: ClickHouseSettings) => Promise<readonly string[]>;
}

/** The values of ClickHouse's own JSON as responses have them. */
const OWN_SETTINGS: ClickHouseSettings = {
  session_timezone: 'UTC',
  date_time_output_format: 'iso',
  output_format_json_quote_64bit_integers: 0,
  output_format_json_quote_denormals: 0,
};

/** What ClickHouse writes into a vector. */
const NOT_JSON = /(?<=[[,])-?(?:nan|inf)(?=[\],])/g;

/** Opens a database before the tests of the file, and closes it after them. */
export function useFormatQueries(): FormatQueries {
  const database = useTestDatabase();
  let run: RunQuery;
  beforeAll(() => {
    run = createQueryRunner(database.client, { timeoutMs: 20_000 });
  });
  const runQuery: RunQuery = (request) => run(request);
  const queryLines: FormatQueries['queryLines'] = async (query, settings) => {
    const clickhouse_settings = { ...OWN_SETTINGS, ...settings };
    const own = await database.client.query({ query, format: 'JSONEachRow', clickhouse_settings });
    const lines = (await own.text()).trimEnd().split('\n');
    return lines.map((line) => line.replaceAll(NOT_JSON, 'null'));
  };
  return {
    runQuery,
    ownBytes: async (query) => buffer((await database.client.exec({ query })).stream),
    queryLines,
    queryRows: async (query, settings) => {
      const lines = await queryLines(query, settings);
      return lines.map((line) => JSON.parse(line) as Row);
    },
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
