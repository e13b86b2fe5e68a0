import type { BoundQuery } from '../../endpoint/bind.js';
import type { Values } from '../../endpoint/values.js';
import { returnedColumns, rowCap, type Endpoint } from '../../endpoint/endpoint.js';
import type { Column } from '../../endpoint/definition.js';
import { OPERATORS } from '../../endpoint/figures.js';
import { bindValues } from '../../gateway/analysis/analyze-query.js';
import type { Call } from '../../gateway/query/call.js';
import { callOf, type CallTools } from '../clickhouse/call-tools.js';
import { analyseEndpoint, type Analysis } from '../../gateway/analysis/analyse-endpoint.js';
import type { CheckedEndpoint, ExampleRun, TableRead } from './checked-endpoint.js';
import { secretSamples } from '../../gateway/query/sample-values.js';
import { problemsOfPages } from './pages-of-example.js';
import { endsOfUnions } from '../../gateway/analysis/ends-of-unions.js';
import { estimateOf, EXPLAIN_ESTIMATE } from './estimate.js';
import { findColumns } from './find-columns.js';
import { fullScans } from './full-scans.js';
import { hiddenColumns } from './hidden-columns.js';
import { listsInIn } from './lists-in-in.js';
import { type FileProblem, withPrefix, problemInFile } from '../../endpoint/file-problems.js';
import { queryProblemInFile } from '../../gateway/analysis/query-problem-in-file.js';
import { lacksColumns } from '../../endpoint/sql-file/parse-sql-file.js';
import { missingForms } from '../../gateway/formats/require-forms.js';
import { queryProblem } from '../../gateway/analysis/query-problem.js';
import { unprunedTimes } from './time-filters.js';
import { withheldParts } from './withheld-parts.js';
import { uselessZones } from '../../gateway/analysis/zones.js';
import { problem } from '../../endpoint/problems.js';

export interface CheckTools extends CallTools {
  /** Whether the server is temporary. A table without demonstration data is then empty, which says nothing about a query. */
  readonly isTemporary?: boolean;
  /** Whether `columns` are written into a `.sql` file whose header has none. */
  readonly writes?: boolean;
}

/** What is known of an endpoint that is checked. */
export interface EndpointSource {
  /** The file that it is from, as messages name it: `endpoints/visits.by-day.sql`. */
  readonly shownPath?: string | undefined;
  /** ClickHouse's analysis of the query; absent: the check requests it. */
  readonly analysis?: Analysis | undefined;
}

/**
 * Makes ClickHouse analyse an endpoint, runs its example with the gateway's settings and limits, and compares what the query reads
 * with its tables. Finds the `columns` of a `.sql` file whose header has none. Returns its findings as data; throws only when
 * aborted.
 */
export async function checkEndpoint(
  endpoint: Endpoint,
  tools: CheckTools,
  source: EndpointSource = {},
): Promise<CheckedEndpoint> {
  const { file: sql } = endpoint;
  const file = sql?.shownPath ?? source.shownPath;
  const identity = { name: endpoint.name, ...(file !== undefined && { file }) };
  if (!sql || !lacksColumns(sql)) return { ...identity, ...(await checkDeclared(endpoint, tools, source)) };
  const found = await findColumns(endpoint, sql, { ...tools, writes: tools.writes ?? false });
  tools.signal.throwIfAborted();
  const findings = found.endpoint ? await checkDeclared(found.endpoint, tools) : NOTHING_FOUND;
  return {
    ...identity,
    ...findings,
    problems: [...found.problems, ...findings.problems],
    ...(found.endpoint && { completed: found.endpoint }),
    ...(found.written !== undefined && { columnsWritten: { file: sql.shownPath, text: found.written } }),
  };
}

type Findings = Omit<CheckedEndpoint, 'name' | 'file' | 'columnsWritten' | 'completed'>;

const NOTHING_FOUND: Findings = { problems: [], warnings: [], tables: [] };

async function checkDeclared(
  endpoint: Endpoint,
  tools: CheckTools,
  { analysis }: EndpointSource = {},
): Promise<Findings> {
  let values: Values;
  try {
    ({ values } = exampleCall(endpoint, tools));
  } catch (error) {
    return { ...NOTHING_FOUND, problems: [invalidExample(error, endpoint)] };
  }
  const [analysed] = await Promise.allSettled([analysis ?? analyseEndpoint(endpoint, tools)]);
  tools.signal.throwIfAborted();
  const { columns, findings } = analysed.status === 'fulfilled' ? analysed.value : NOT_ANALYSED;
  const ofExample = findings.flatMap(({ calls, problem: found }) => (calls ? [] : [found]));
  const ofOthers = findings.flatMap(({ calls, problem: found }) => (calls ? [found] : []));
  if (analysed.status === 'fulfilled' && columns === undefined)
    return { ...NOTHING_FOUND, problems: ofExample };
  const run = await checkExample(endpoint, values, tools);
  const failure = analysed.status === 'rejected' ? [queryProblem(analysed.reason, '')] : [];
  return {
    ...run,
    problems: [
      // The query selects the declared columns by name, so that it also fails where they differ.
      ...([ofExample, run.problems, failure].find(({ length }) => length > 0) ?? []),
      ...ofOthers,
    ],
    warnings: [...run.warnings, ...withheldParts(endpoint), ...uselessZones(endpoint, columns ?? [])],
  };
}

const NOT_ANALYSED: Analysis = { findings: [] };

function invalidExample(error: unknown, { file }: Endpoint): FileProblem {
  const reason = error instanceof Error ? error.message : String(error);
  const found = problem('EXAMPLE_INVALID', reason);
  if (!file) return found;
  return problemInFile(file, { ...file.header.placeOf({ path: ['example'] }), ...found });
}

/** Runs the example. Its problems are those of declared types, or else what failed. */
async function checkExample(endpoint: Endpoint, values: Values, tools: CheckTools): Promise<Findings> {
  const query = bindValues(endpoint, values, tools);
  const columns = returnedColumns(endpoint, values);
  const [run] = await Promise.allSettled([runExample({ ...endpoint, columns }, query, tools)]);
  const [ofPages] = await Promise.allSettled([problemsOfPages(endpoint, values, tools)]);
  const [estimate] = await Promise.allSettled([estimateOf(query, tools)]);
  tools.signal.throwIfAborted();
  const withoutForm = formRemarks(columns);
  const outcomes = [
    ['the example failed', '', run],
    ['EXPLAIN ESTIMATE failed', EXPLAIN_ESTIMATE, estimate],
    ['the comparison of pages failed', '', ofPages],
  ] as const;
  const failures = outcomes.flatMap(([what, prefix, outcome]): readonly FileProblem[] =>
    outcome.status === 'rejected'
      ? [
          withPrefix(
            what,
            queryProblemInFile(outcome.reason, { prefix, text: query.text, values }, endpoint.file),
          ),
        ]
      : [],
  );
  const tables = estimate.status === 'fulfilled' ? estimate.value : [];
  const example = run.status === 'fulfilled' ? run.value : undefined;
  const unpruned = await unprunedTimes(endpoint, values, tables, tools);
  const lists = await listsInIn(endpoint, tools);
  const ends = await endsOfUnions(endpoint, tools);
  const hidden = await hiddenColumns(endpoint, tools);
  tools.signal.throwIfAborted();
  return {
    problems: [
      ...(withoutForm.problems.length > 0 ? withoutForm.problems : failures.slice(0, 1)),
      ...(ofPages.status === 'fulfilled' ? ofPages.value : []),
    ],
    warnings: [
      ...withoutForm.warnings,
      ...emptyResult(example, tables, tools),
      ...cutResult(endpoint, example),
      ...lists,
      ...ends,
      ...hidden,
      ...unpruned.map(({ warning }) => warning),
      // A time filter that does not prune is reported as the reason, instead of the full scan.
      ...fullScans(tables.filter(({ table }) => !unpruned.some((other) => other.table === table))),
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
    return missing ? [{ name, ...missing }] : [];
  });
  return {
    problems: remarks
      .filter(({ isEvery }) => isEvery)
      .map(({ name, reason }) => problem('COLUMN_WITHOUT_FORMAT', name, reason)),
    warnings: remarks
      .filter(({ isEvery }) => !isEvery)
      .map(({ name, reason }) => `column ${name}: ${reason}`),
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

function cutResult(endpoint: Endpoint, example: ExampleRun | undefined): readonly string[] {
  // A limit of the endpoint's own cuts on purpose, and pages have the other rows.
  if (example?.truncated !== true || endpoint.limit !== undefined || endpoint.pages) return [];
  const cap = rowCap(endpoint);
  return [
    `the example has more than ${cap} rows, its row cap, so that callers miss rows: aggregate them, narrow the example, or raise maxRows`,
  ];
}

/** The call of the example, with other values in place of its own. */
export function exampleCall(
  endpoint: Endpoint,
  tools: CallTools,
  others: Readonly<Record<string, string>> = {},
): Call {
  const sent = Object.entries({ ...secretSamples(endpoint), ...endpoint.example, ...others });
  const raw = new Map(sent.map(([name, text]) => [name, { text, times: 1 }]));
  return callOf(endpoint, raw, tools, { requestId: REQUEST_ID });
}

/** Request id of every query of a check. */
const REQUEST_ID = 'querygate-check';

async function runExample(endpoint: Endpoint, query: BoundQuery, tools: CheckTools): Promise<ExampleRun> {
  const started = performance.now();
  const { rowCount, truncated, cost } = await tools.runQuery({
    query,
    columns: endpoint.columns,
    rowCap: rowCap(endpoint),
    requestId: REQUEST_ID,
    signal: tools.signal,
    ...(endpoint.settings.queryLimits && { limits: endpoint.settings.queryLimits }),
  });
  const milliseconds = Math.round((performance.now() - started) * 10) / 10;
  const { rowsRead, bytesRead } = cost.readBy(OPERATORS);
  return { rows: rowCount, truncated, milliseconds, rowsRead, bytesRead };
}
