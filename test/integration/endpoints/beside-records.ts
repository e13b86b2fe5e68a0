import { createQueryRunner } from '../../../src/gateway/clickhouse/query-runner.js';
import { bindQuery } from '../../../src/endpoint/bind.js';
import { validateParameters } from '../../../src/gateway/query/validate-parameters.js';
import { createTestDatabase, type TestDatabase } from '../../support/clickhouse.js';
import { rawParameters } from '../../support/raw-parameters.js';
import type { Row } from './endpoint-under-test.js';
import { referenceEndpoints } from '../../support/reference-project.js';

export interface Call {
  readonly parameters: Readonly<Record<string, string>>;
  readonly now: Date;
  /** Parameters that the caller's key pins. */
  readonly pinned?: readonly string[];
  /** Default: 1,000. */
  readonly cap?: number;
}

/** Result of an endpoint. */
export interface Outcome {
  readonly rows: readonly Row[];
  readonly truncated: boolean;
}

/** An endpoint on a database of its own, for comparison with a plain query of the same records. */
export interface EndpointBesideRecords {
  readonly database: TestDatabase;
  readonly call: (call: Call) => Promise<Outcome>;
  /** Returns the rows of a test's own query. */
  readonly query: (query: string, parameters?: Readonly<Record<string, unknown>>) => Promise<readonly Row[]>;
  /** The tables and projections that ClickHouse reads for the call, according to its query plan. */
  readonly sources: (call: Call) => Promise<readonly string[]>;
  /** Index use of each read of a table that uses the index: `REMAINING/ALL` granules. */
  readonly granulesLeft: (index: string, call: Call) => Promise<readonly string[]>;
  /** Replaces the table's contents: one insert per batch, optionally merged into one part per day. */
  readonly fill: (batches: readonly (readonly object[])[], merged?: boolean) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Opens an endpoint that reads one table. */
export async function openBesideRecords(name: string, table: string): Promise<EndpointBesideRecords> {
  const endpoint = (await referenceEndpoints()).find(name);
  if (!endpoint) throw new Error(`there is no endpoint ${name}`);
  const database = await createTestDatabase();
  const { client } = database;
  const runQuery = createQueryRunner(client, { timeoutMs: 60_000 });
  const bound = ({ parameters, now, pinned = [], cap = 1000 }: Call): ReturnType<typeof bindQuery> =>
    bindQuery(
      endpoint.query,
      validateParameters(endpoint, rawParameters(parameters)),
      new Set(pinned),
      now,
      cap + 1,
    );
  const explain = async (what: string, call: Call): Promise<readonly string[]> => {
    const { text, parameters, settings = {} } = bound(call);
    const explained = await client.query({
      query: `EXPLAIN ${what} ${text}`,
      query_params: parameters,
      clickhouse_settings: settings,
      format: 'JSONCompactEachRow',
    });
    return (await explained.json<[string]>()).map(([line]) => line);
  };
  return {
    database,
    call: async (call) => {
      const { body, truncated } = await runQuery({
        query: bound(call),
        columns: endpoint.columns,
        rowCap: call.cap ?? 1000,
        requestId: 'beside-records',
        signal: new AbortController().signal,
      });
      const { result } = JSON.parse(body.toString()) as { readonly result: readonly Row[] };
      return { rows: result, truncated };
    },
    query: async (query, parameters = {}) => {
      const result = await client.query({
        query,
        query_params: { ...parameters },
        clickhouse_settings: { optimize_use_projections: 0, date_time_output_format: 'iso' },
        format: 'JSONEachRow',
      });
      return result.json<Row>();
    },
    sources: async (call) => {
      const lines = await explain('', call);
      const names = lines.flatMap((line) => /ReadFromMergeTree \((?:\w+\.)?(\w+)\)/.exec(line)?.[1] ?? []);
      return [...new Set(names)].sort();
    },
    granulesLeft: async (index, call) => {
      const lines = await explain('indexes = 1', call);
      const starts = lines.flatMap((line, at) => (line.trim() === `Name: ${index}` ? [at] : []));
      const granules = starts.map((at) => lines.slice(at).find((line) => line.includes('Granules:')));
      return granules.map((line = '') => line.replace('Granules:', '').trim());
    },
    fill: async (batches, merged = false) => {
      await client.command({ query: `TRUNCATE TABLE ${table}` });
      for (const batch of batches) if (batch.length > 0) await database.insert(table, batch);
      if (merged) await client.command({ query: `OPTIMIZE TABLE ${table} FINAL` });
    },
    close: () => database.close(),
  };
}
