import type { BoundQuery, Values } from '../../endpoint/bind.js';
import { returnedColumns, rowCap, type Endpoint } from '../../endpoint/endpoint.js';
import type { QueryResult, RunQuery } from '../../query/ports.js';
import { validateParameters } from '../../query/validate-parameters.js';
import { bindValues, DESCRIBE, describe, type AnalysisTools } from './analyze-query.js';
import { checkCombinations } from './check-combinations.js';
import type { CheckedEndpoint, TableEstimate } from './checked-endpoint.js';
import { columnFaults } from './column-faults.js';
import { secretSamples } from './combinations.js';
import { estimateOf, EXPLAIN_ESTIMATE } from './estimate.js';
import { faultInFile } from './fault-in-file.js';
import { findColumns } from './find-columns.js';
import { fullScans } from './full-scans.js';
import type { SqlFile } from './sql-file.js';

export interface CheckTools extends AnalysisTools {
  readonly runQuery: RunQuery;
  /** Whether the server is a temporary one: a table without demonstration data is then empty, which says nothing of a query. */
  readonly isTemporary?: boolean;
  /** Whether `columns` are written into a `.sql` file whose header has none. */
  readonly writes?: boolean;
}

/**
 * Runs an endpoint's example and describes its query; of a `.sql` file in every combination of optional parts, and its
 * `columns` are found where the header has none. Returns problems as faults; throws only when aborted.
 */
export async function checkEndpoint(
  endpoint: Endpoint,
  tools: CheckTools,
  file?: SqlFile,
): Promise<CheckedEndpoint> {
  if (!file?.lacksColumns) return checkDeclared(endpoint, tools, file);
  const found = await findColumns(endpoint, file, { ...tools, writes: tools.writes ?? false });
  tools.signal.throwIfAborted();
  const checked = found.endpoint
    ? await checkDeclared(found.endpoint, tools, file)
    : toCheckedEndpoint(endpoint, { faults: [] }, tools);
  return {
    ...checked,
    faults: [...found.faults, ...checked.faults],
    ...(found.written !== undefined && { columnsWritten: { file: file.shownPath, text: found.written } }),
  };
}

async function checkDeclared(
  endpoint: Endpoint,
  tools: CheckTools,
  file: SqlFile | undefined,
): Promise<CheckedEndpoint> {
  let values: Values;
  try {
    values = exampleOf(endpoint, tools);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return toCheckedEndpoint(endpoint, { faults: [`the example is invalid: ${reason}`] }, tools);
  }
  const checked = await checkExample(endpoint, values, tools, file);
  if (file === undefined) return checked;
  const more = await checkCombinations(endpoint, file, tools, checked.faults);
  return { ...checked, faults: [...checked.faults, ...more] };
}

async function checkExample(
  endpoint: Endpoint,
  values: Values,
  tools: CheckTools,
  file: SqlFile | undefined,
): Promise<CheckedEndpoint> {
  const query = bindValues(endpoint, values, tools);
  const columns = returnedColumns(endpoint, values);
  const [described] = await Promise.allSettled([describe(query, tools)]);
  const [run] = await Promise.allSettled([runTimed({ ...endpoint, columns }, query, tools)]);
  const [estimate] = await Promise.allSettled([estimateOf(query, tools)]);
  tools.signal.throwIfAborted();
  const differences = described.status === 'fulfilled' ? columnFaults(columns, described.value, file) : [];
  // One mistake usually fails all three: it is one fault, of the query itself where that failed.
  const outcomes = [
    ['the example failed', '', run],
    ['DESCRIBE failed', DESCRIBE, described],
    ['EXPLAIN ESTIMATE failed', EXPLAIN_ESTIMATE, estimate],
  ] as const;
  const failures = outcomes.flatMap(([what, prefix, outcome]) =>
    outcome.status === 'rejected'
      ? [`${what}: ${faultInFile(outcome.reason, { prefix, text: query.text, values }, file)}`]
      : [],
  );
  return toCheckedEndpoint(
    endpoint,
    {
      // The query asks for the declared columns by name, so that it also fails where they differ.
      faults: differences.length > 0 ? differences : failures.slice(0, 1),
      estimate: estimate.status === 'fulfilled' ? estimate.value : [],
      run: run.status === 'fulfilled' ? run.value : undefined,
    },
    tools,
  );
}

type TimedRun = readonly [result: QueryResult, milliseconds: number];

interface Outcome {
  readonly faults: readonly string[];
  readonly estimate?: readonly TableEstimate[];
  readonly run?: TimedRun | undefined;
}

function toCheckedEndpoint(
  { name }: Endpoint,
  { faults, estimate = [], run }: Outcome,
  { isTemporary = false }: CheckTools,
): CheckedEndpoint {
  const [result, milliseconds] = run ?? [];
  const hasOnlyEmptyTables = isTemporary && estimate.length === 0;
  const isEmpty = result?.rowCount === 0 && !hasOnlyEmptyTables;
  const warnings = [...(isEmpty ? ['the example returns no rows'] : []), ...fullScans(estimate)];
  return {
    name,
    faults,
    warnings,
    rows: result?.rowCount,
    truncated: result?.truncated,
    milliseconds: roundedToTenth(milliseconds),
    rowsRead: result?.rowsRead,
    bytesRead: result?.bytesRead,
    estimate,
  };
}

function roundedToTenth(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : Math.round(milliseconds * 10) / 10;
}

function exampleOf(endpoint: Endpoint, { now }: CheckTools): Values {
  const sent = Object.entries({ ...secretSamples(endpoint), ...endpoint.example });
  const raw = new Map(sent.map(([name, text]) => [name, { text, times: 1 }]));
  return validateParameters(endpoint, raw, { now: now() });
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
