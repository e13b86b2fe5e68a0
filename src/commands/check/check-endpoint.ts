import type { BoundQuery } from '../../endpoint/bind.js';
import type { Values } from '../../endpoint/values.js';
import { returnedColumns, rowCap, type Endpoint } from '../../endpoint/endpoint.js';
import type { Column } from '../../endpoint/definition.js';
import { readHeader } from '../../endpoint/sql-file/header.js';
import { OPERATORS } from '../../endpoint/figures.js';
import { RESERVED_SOON } from '../../endpoint/reserved.js';
import type { RunQuery } from '../../gateway/query/ports.js';
import { validateParameters } from '../../gateway/query/validate-parameters.js';
import { bindValues, DESCRIBE, describe, type AnalysisTools } from '../../gateway/analysis/analyze-query.js';
import { checkCombinations } from '../../gateway/analysis/check-combinations.js';
import type { CheckedEndpoint, ExampleRun, TableRead } from './checked-endpoint.js';
import { columnProblems } from '../../gateway/analysis/column-problems.js';
import { secretSamples } from '../../gateway/analysis/combinations.js';
import { estimateOf, EXPLAIN_ESTIMATE } from './estimate.js';
import { findColumns } from './find-columns.js';
import { fullScans } from './full-scans.js';
import type { FileProblem } from '../../endpoint/file-problems.js';
import { withPrefix } from '../../gateway/analysis/with-prefix.js';
import { missingForms } from '../../gateway/formats/require-forms.js';
import { queryProblemInFile } from '../../gateway/analysis/query-problem-in-file.js';
import { problemInFile, type SqlFile } from '../../gateway/analysis/sql-file.js';
import { unprunedTimes } from './time-filters.js';
import { withheldParts } from './withheld-parts.js';
import { uselessZones } from '../../gateway/analysis/zones.js';

export interface CheckTools extends AnalysisTools {
  readonly runQuery: RunQuery;
  /** Whether the server is a temporary one: a table without demonstration data is then empty, which says nothing of a query. */
  readonly isTemporary?: boolean;
  /** Whether `columns` are written into a `.sql` file whose header has none. */
  readonly writes?: boolean;
}

/** The file that an endpoint is from. */
export interface EndpointSource {
  /** As messages name it: `endpoints/visits.by-day.sql`. */
  readonly shownPath?: string | undefined;
  /** Of an endpoint in SQL, as it was loaded. */
  readonly sql?: SqlFile | undefined;
}

/**
 * Runs an endpoint's example as the gateway would, with its settings, limits and time limit, describes its query, and compares
 * what it reads with its tables; of a `.sql` file in every combination of optional parts, and its `columns` are found where the
 * header has none. Returns what it finds as data; throws only when aborted.
 */
export async function checkEndpoint(
  endpoint: Endpoint,
  tools: CheckTools,
  { shownPath, sql }: EndpointSource = {},
): Promise<CheckedEndpoint> {
  const file = sql?.shownPath ?? shownPath;
  const identity = { name: endpoint.name, ...(file !== undefined && { file }) };
  if (!sql?.lacksColumns) return { ...identity, ...(await checkDeclared(endpoint, tools, sql)) };
  const found = await findColumns(endpoint, sql, { ...tools, writes: tools.writes ?? false });
  tools.signal.throwIfAborted();
  const findings = found.endpoint ? await checkDeclared(found.endpoint, tools, sql) : NOTHING_FOUND;
  return {
    ...identity,
    ...findings,
    problems: [...found.problems, ...findings.problems],
    ...(found.written !== undefined && { columnsWritten: { file: sql.shownPath, text: found.written } }),
  };
}

type Findings = Omit<CheckedEndpoint, 'name' | 'file' | 'columnsWritten'>;

const NOTHING_FOUND: Findings = { problems: [], warnings: [], tables: [] };

async function checkDeclared(
  endpoint: Endpoint,
  tools: CheckTools,
  file: SqlFile | undefined,
): Promise<Findings> {
  let values: Values;
  try {
    values = exampleOf(endpoint, tools);
  } catch (error) {
    return { ...NOTHING_FOUND, problems: [invalidExample(error, file)] };
  }
  const findings = await checkExample(endpoint, values, tools, file);
  if (file === undefined) return findings;
  const more = await checkCombinations(endpoint, file, tools, findings.problems);
  return { ...findings, problems: [...findings.problems, ...more] };
}

function invalidExample(error: unknown, file: SqlFile | undefined): FileProblem {
  const reason = error instanceof Error ? error.message : String(error);
  const problem = `the example is invalid: ${reason} Write in the header values that find rows, such as example: { name: value }`;
  if (!file) return { problem };
  return problemInFile(file, { ...readHeader(file.source).placeOf({ path: ['example'] }), problem });
}

async function checkExample(
  endpoint: Endpoint,
  values: Values,
  tools: CheckTools,
  file: SqlFile | undefined,
): Promise<Findings> {
  const query = bindValues(endpoint, values, tools);
  const columns = returnedColumns(endpoint, values);
  const [described] = await Promise.allSettled([describe(query, tools)]);
  const [run] = await Promise.allSettled([runExample({ ...endpoint, columns }, query, tools)]);
  const [estimate] = await Promise.allSettled([estimateOf(query, tools)]);
  tools.signal.throwIfAborted();
  const differences =
    described.status === 'fulfilled' ? columnProblems(columns, described.value, file, values) : [];
  const withoutForm = formRemarks(columns);
  // One mistake usually fails all three: it is one problem, of the query itself where that failed.
  const outcomes = [
    ['the example failed', '', run],
    ['DESCRIBE failed', DESCRIBE, described],
    ['EXPLAIN ESTIMATE failed', EXPLAIN_ESTIMATE, estimate],
  ] as const;
  const failures = outcomes.flatMap(([what, prefix, outcome]): readonly FileProblem[] =>
    outcome.status === 'rejected'
      ? [withPrefix(what, queryProblemInFile(outcome.reason, { prefix, text: query.text, values }, file))]
      : [],
  );
  const tables = estimate.status === 'fulfilled' ? estimate.value : [];
  const example = run.status === 'fulfilled' ? run.value : undefined;
  const unpruned = await unprunedTimes(endpoint, values, tables, tools);
  tools.signal.throwIfAborted();
  return {
    // The query asks for the declared columns by name, so that it also fails where they differ.
    problems:
      [differences, withoutForm.problems, failures.slice(0, 1)].find(({ length }) => length > 0) ?? [],
    warnings: [
      ...withoutForm.warnings,
      ...emptyResult(example, tables, tools),
      ...cutResult(endpoint, example),
      ...unpruned.map(({ warning }) => warning),
      // That a time filter does not prune is the reason of the full scan.
      ...fullScans(tables.filter(({ table }) => !unpruned.some((other) => other.table === table))),
      ...withheldParts(endpoint, file),
      ...soonReserved(endpoint),
      ...(described.status === 'fulfilled' ? uselessZones(endpoint, described.value) : []),
    ],
    tables,
    ...(example && { example }),
  };
}

/** Types of declared columns that no format can hold are problems; those that some cannot hold are worth a warning. */
function formRemarks(columns: ReadonlyMap<string, Column>): {
  readonly problems: readonly FileProblem[];
  readonly warnings: readonly string[];
} {
  const remarks = [...columns].flatMap(([name, { type }]) => {
    const missing = missingForms(type);
    return missing ? [{ isEvery: missing.isEvery, text: `column ${name}: ${missing.reason}` }] : [];
  });
  return {
    problems: remarks.filter(({ isEvery }) => isEvery).map(({ text }) => ({ problem: text })),
    warnings: remarks.filter(({ isEvery }) => !isEvery).map(({ text }) => text),
  };
}

function emptyResult(
  example: ExampleRun | undefined,
  tables: readonly TableRead[],
  { isTemporary = false }: CheckTools,
): readonly string[] {
  const hasOnlyEmptyTables = isTemporary && tables.length === 0;
  return example?.rows === 0 && !hasOnlyEmptyTables ? ['the example returns no rows'] : [];
}

const soonReserved = ({ parameters }: Endpoint): readonly string[] =>
  RESERVED_SOON.filter((name) => parameters.has(name)).map(
    (name) =>
      `parameter ${name}: a later version reserves this name, so that the file will be rejected: choose another`,
  );

function cutResult(endpoint: Endpoint, example: ExampleRun | undefined): readonly string[] {
  // A limit of the endpoint's own cuts on purpose.
  if (example?.truncated !== true || endpoint.limit !== undefined) return [];
  const cap = rowCap(endpoint);
  return [
    `the example has more than ${cap} rows, its row cap, so that callers miss rows: aggregate them, narrow the example, or raise maxRows`,
  ];
}

function exampleOf(endpoint: Endpoint, { now }: CheckTools): Values {
  const sent = Object.entries({ ...secretSamples(endpoint), ...endpoint.example });
  const raw = new Map(sent.map(([name, text]) => [name, { text, times: 1 }]));
  return validateParameters(endpoint, raw, { now: now() });
}

async function runExample(endpoint: Endpoint, query: BoundQuery, tools: CheckTools): Promise<ExampleRun> {
  const started = performance.now();
  const { rowCount, truncated, cost } = await tools.runQuery({
    query,
    columns: endpoint.columns,
    rowCap: rowCap(endpoint),
    requestId: 'querygate-check',
    signal: tools.signal,
    ...(endpoint.settings.queryLimits && { limits: endpoint.settings.queryLimits }),
  });
  const milliseconds = Math.round((performance.now() - started) * 10) / 10;
  const { rowsRead, bytesRead } = cost.readBy(OPERATORS);
  return { rows: rowCount, truncated, milliseconds, rowsRead, bytesRead };
}
