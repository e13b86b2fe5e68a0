import { createQueryRunner } from '../../../src/clickhouse/query-runner.js';
import { bindQuery, type BoundQuery } from '../../../src/endpoint/bind.js';
import type { Endpoint } from '../../../src/endpoint/endpoint.js';
import { loadEndpoints } from '../../../src/endpoint/load-endpoints.js';
import { validateParameters } from '../../../src/execution/validate-parameters.js';
import { ENDPOINTS_FOLDER } from '../../../src/project-files.js';
import { createTestDatabase, type TestDatabase } from '../../support/clickhouse.js';
import { rawParameters } from '../../support/raw-parameters.js';
import { withoutShortcuts } from '../../support/without-shortcuts.js';
import type { Row } from './endpoint-under-test.js';

/** From the rows themselves, or as the endpoint does it. */
export type Way = 'raw' | 'rolled up';

export interface Question {
  readonly parameters: Readonly<Record<string, string>>;
  readonly now: Date;
  /** Parameters that the caller's key holds it to. */
  readonly held?: readonly string[];
  /** Instead of 1,000. */
  readonly cap?: number;
}

/** What an endpoint answers in one of the ways. */
export interface Outcome {
  readonly rows: readonly Row[];
  readonly truncated: boolean;
}

/** An endpoint whose two ways answer on one database. */
export interface BothWays {
  readonly database: TestDatabase;
  readonly ask: (way: Way, question: Question) => Promise<Outcome>;
  /** Tables that the way reads for the question, by ClickHouse's own plan. */
  readonly tablesRead: (way: Way, question: Question) => Promise<readonly string[]>;
  /** Of the index, for each read of a table that uses it: `LEFT/OF` granules. */
  readonly granulesLeft: (index: string, question: Question) => Promise<readonly string[]>;
  /** Empties the logs and what is kept of them. */
  readonly clear: () => Promise<void>;
  /** Merges what is kept of the logs to its end. */
  readonly merge: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** What ClickHouse keeps of each table of logs. */
export const ROLLUPS = {
  function_relay_logs: ['function_relay_minutes', 'function_relay_hours', 'function_relay_days'],
  edge_logs: ['edge_request_minutes', 'edge_request_hours'],
  custom_events: ['custom_event_days', 'redirect_days'],
} as const;

/** Opens an endpoint that reads a table and its rollups. */
export async function openBothWays(name: string, table: keyof typeof ROLLUPS): Promise<BothWays> {
  const endpoint = (await loadEndpoints(ENDPOINTS_FOLDER)).find(name);
  if (!endpoint) throw new Error(`there is no endpoint ${name}`);
  const database = await createTestDatabase();
  const { client } = database;
  const runQuery = createQueryRunner(client, { timeoutMs: 60_000 });
  const command = async (query: string): Promise<void> => {
    await client.command({ query });
  };
  const explain = async (what: string, way: Way, question: Question): Promise<readonly string[]> => {
    const { text, parameters } = bound(endpoint, way, question);
    const explained = await client.query({
      query: `EXPLAIN ${what} ${text}`,
      query_params: parameters,
      format: 'JSONCompactEachRow',
    });
    return (await explained.json<[string]>()).map(([line]) => line);
  };
  return {
    database,
    ask: async (way, question) => {
      const { body, truncated } = await runQuery({
        query: bound(endpoint, way, question),
        columns: endpoint.columns,
        rowCap: question.cap ?? 1000,
        requestId: 'both-ways',
        signal: new AbortController().signal,
      });
      const { result } = JSON.parse(body.toString()) as { readonly result: readonly Row[] };
      return { rows: result, truncated };
    },
    tablesRead: async (way, question) => {
      const lines = await explain('QUERY TREE run_passes = 1', way, question);
      const names = lines.flatMap((line) => /table_name: \w+\.(\w+)/.exec(line)?.[1] ?? []);
      return [...new Set(names)].sort();
    },
    granulesLeft: async (index, question) => {
      const lines = await explain('indexes = 1', 'rolled up', question);
      const starts = lines.flatMap((line, at) => (line.trim() === `Name: ${index}` ? [at] : []));
      const granules = starts.map((at) => lines.slice(at).find((line) => line.includes('Granules:')));
      return granules.map((line = '') => line.replace('Granules:', '').trim());
    },
    clear: async () => {
      for (const each of [table, ...ROLLUPS[table]]) await command(`TRUNCATE TABLE ${each}`);
    },
    merge: async () => {
      for (const each of ROLLUPS[table]) await command(`OPTIMIZE TABLE ${each} FINAL`);
    },
    close: () => database.close(),
  };
}

function bound(
  endpoint: Endpoint,
  way: Way,
  { parameters, now, held = [], cap = 1000 }: Question,
): BoundQuery {
  const query = way === 'raw' ? withoutShortcuts(endpoint.query) : endpoint.query;
  const values = validateParameters(endpoint, rawParameters(parameters));
  return bindQuery(query, values, new Set(held), now, cap + 1);
}

/** Sends each batch as an insert of its own. */
export async function insertBatches(
  database: TestDatabase,
  table: keyof typeof ROLLUPS,
  batches: readonly (readonly object[])[],
): Promise<void> {
  for (const batch of batches) if (batch.length > 0) await database.insert(table, batch);
}
