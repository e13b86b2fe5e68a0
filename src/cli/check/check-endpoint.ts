import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';

import type { BoundQuery } from '../../endpoint/bind.js';
import { bindQuery } from '../../endpoint/bind.js';
import { rowCap, type Endpoint } from '../../endpoint/endpoint.js';
import type { QueryResult, RunQuery } from '../../query/ports.js';
import { validateParameters } from '../../query/validate-parameters.js';
import type { CheckedEndpoint, TableEstimate } from './checked-endpoint.js';
import { compareColumns, type DescribedColumn } from './compare-columns.js';
import { fullScans } from './full-scans.js';
import { queryFault } from './query-fault.js';

export interface CheckTools {
  readonly client: ClickHouseClient;
  readonly runQuery: RunQuery;
  readonly now: () => Date;
  readonly signal: AbortSignal;
  /** Whether the server is a temporary one: a table without demonstration data is then empty, which says nothing of a query. */
  readonly isTemporary?: boolean;
}

/** Settings of DESCRIBE and EXPLAIN, as the gateway's own queries have them. */
const READ_ONLY: ClickHouseSettings = { readonly: '2', session_timezone: 'UTC' };

/** Runs an endpoint's example and describes its query. Returns problems as faults; throws only when aborted. */
export async function checkEndpoint(endpoint: Endpoint, tools: CheckTools): Promise<CheckedEndpoint> {
  let query: BoundQuery;
  try {
    query = bindExample(endpoint, tools);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return toCheckedEndpoint(endpoint, [`the example is invalid: ${reason}`], [], undefined, tools);
  }
  const [described] = await Promise.allSettled([describe(query, tools)]);
  const [run] = await Promise.allSettled([runTimed(endpoint, query, tools)]);
  const [estimate] = await Promise.allSettled([estimateOf(query, tools)]);
  tools.signal.throwIfAborted();
  const differences =
    described.status === 'fulfilled' ? compareColumns(endpoint.columns, described.value) : [];
  // One mistake usually fails all three: it is one fault, of the query itself where that failed.
  const failures = Object.entries({
    'the example failed': run,
    'DESCRIBE failed': described,
    'EXPLAIN ESTIMATE failed': estimate,
  }).flatMap(([what, outcome]) =>
    outcome.status === 'rejected' ? [`${what}: ${queryFault(outcome.reason, query.text)}`] : [],
  );
  return toCheckedEndpoint(
    endpoint,
    // The query asks for the declared columns by name, so that it also fails where they differ.
    differences.length > 0 ? differences : failures.slice(0, 1),
    estimate.status === 'fulfilled' ? estimate.value : [],
    run.status === 'fulfilled' ? run.value : undefined,
    tools,
  );
}

type TimedRun = readonly [result: QueryResult, milliseconds: number];

function toCheckedEndpoint(
  { name }: Endpoint,
  faults: readonly string[],
  estimate: readonly TableEstimate[],
  run: TimedRun | undefined,
  { isTemporary = false }: CheckTools,
): CheckedEndpoint {
  const [result, milliseconds] = run ?? [];
  const hasOnlyEmptyTables = isTemporary && estimate.length === 0;
  const empty = result?.rowCount === 0 && !hasOnlyEmptyTables ? ['the example returns no rows'] : [];
  return {
    name,
    faults,
    warnings: [...empty, ...fullScans(estimate)],
    rows: result?.rowCount,
    truncated: result?.truncated,
    milliseconds: milliseconds === undefined ? undefined : Math.round(milliseconds * 10) / 10,
    rowsRead: result?.rowsRead,
    bytesRead: result?.bytesRead,
    estimate,
  };
}

function bindExample(endpoint: Endpoint, { now }: CheckTools): BoundQuery {
  const sent = Object.entries(endpoint.example).map(([name, text]) => [name, { text, times: 1 }] as const);
  const values = validateParameters(endpoint, new Map(sent));
  return bindQuery(endpoint.query, values, new Set(), now(), rowCap(endpoint) + 1);
}

async function runTimed(endpoint: Endpoint, query: BoundQuery, tools: CheckTools): Promise<TimedRun> {
  const started = performance.now();
  const result = await tools.runQuery({
    query,
    columns: endpoint.columns,
    rowCap: rowCap(endpoint),
    requestId: 'querygate-check',
    signal: tools.signal,
    ...(endpoint.settings.queryLimits && { limits: endpoint.settings.queryLimits }),
  });
  return [result, performance.now() - started];
}

async function describe(query: BoundQuery, tools: CheckTools): Promise<readonly DescribedColumn[]> {
  return queryRows<DescribedColumn>(tools, `DESCRIBE (${query.text})`, query.parameters);
}

interface EstimateRow {
  readonly database: string;
  readonly table: string;
  readonly parts: string | number;
  readonly rows: string | number;
  readonly marks: string | number;
}

async function estimateOf(query: BoundQuery, tools: CheckTools): Promise<readonly TableEstimate[]> {
  const estimated = await queryRows<EstimateRow>(tools, `EXPLAIN ESTIMATE ${query.text}`, query.parameters);
  return Promise.all(
    estimated.map(async ({ database, table, parts, rows, marks }) => ({
      table,
      parts: Number(parts),
      rows: Number(rows),
      marks: Number(marks),
      tableMarks: await marksOf(tools, database, table),
    })),
  );
}

/**
 * Marks of a table: the estimate of a query that would read all of it, as a user may lack rights on `system.parts`. It
 * names no column, because the user may read only some, and is not answered from the table's metadata.
 */
async function marksOf(tools: CheckTools, database: string, table: string): Promise<number> {
  const [whole] = await queryRows<EstimateRow>(
    tools,
    'EXPLAIN ESTIMATE SELECT count() FROM {database:Identifier}.{table:Identifier} ' +
      'SETTINGS optimize_trivial_count_query = 0, optimize_use_implicit_projections = 0',
    { database, table },
  );
  return Number(whole?.marks ?? 0);
}

async function queryRows<T>(
  { client, signal }: CheckTools,
  query: string,
  parameters: Readonly<Record<string, unknown>>,
): Promise<readonly T[]> {
  const result = await client.query({
    query,
    query_params: parameters,
    format: 'JSONEachRow',
    abort_signal: signal,
    clickhouse_settings: READ_ONLY,
  });
  return result.json<T>();
}
