import { ClickHouseError } from '@clickhouse/client';

import { converted, isOfColumns } from '../clickhouse/converted-columns.js';
import { isOfDefinition } from '../clickhouse/definition-errors.js';
import { DESCRIBE, describe, type ResultColumn } from '../clickhouse/describe-columns.js';
import { isRejectionOfQuery } from '../clickhouse/translate-sql-error.js';
import type { BoundQuery } from '../../endpoint/bind.js';
import { OTHER_VALUES, type DeclaredTypes } from '../../endpoint/declared-types.js';
import { returnedColumns, type Endpoint } from '../../endpoint/endpoint.js';
import { textOfProblem, type FileProblem, withPrefix } from '../../endpoint/file-problems.js';
import { queryProblemInFile } from './query-problem-in-file.js';
import { isPrivateTable } from '../../endpoint/private-tables.js';
import { problem, type Problem } from '../../endpoint/problems.js';
import { knownFacts } from '../facts/query-facts.js';
import { bindValues, queryRows, type AnalysisTools } from './analyze-query.js';
import { columnProblems } from './column-problems.js';
import { sampleValues, type Combination } from '../query/sample-values.js';
import { combinationsOf, combinationText } from './combinations.js';
import { mistakeAtEnd } from './ends-of-unions.js';
import { bindLaterPage } from './later-page.js';
import { Catalog } from './reads/catalog.js';
import { ownTablesOf } from './reads/own-tables.js';

/** A problem that an analysis found in the query of an endpoint. */
export interface Finding {
  readonly problem: FileProblem;
  /**
   * `rejected`: ClickHouse does not run such a call. `differs`: the columns differ from the declared ones, but can be converted to them.
   * `values`: possibly only the made-up values of the analysis are wrong.
   */
  readonly kind: 'rejected' | 'differs' | 'values';
  /** Calls that have the problem. The problem's text names the first. Absent: all calls. */
  readonly calls?: readonly Combination[];
}

/** ClickHouse's analysis of an endpoint, made without running it. */
export interface Analysis {
  /** Columns of the example's query. Absent where ClickHouse rejects it. */
  readonly columns?: readonly ResultColumn[];
  /** Findings, with each problem once. */
  readonly findings: readonly Finding[];
  /** The gateway's own tables that the endpoint reads. Present only for an accepted endpoint. */
  readonly ownTables?: readonly string[];
}

/**
 * Lets ClickHouse analyse the query of an endpoint, one query at a time. The first is that of the example. If ClickHouse accepts it, those
 * of the combinations of optional parts of a `.sql` file follow.
 *
 * @throws Error where ClickHouse does not analyse it, because ClickHouse is unreachable, busy or at a limit
 */
export async function analyseEndpoint(endpoint: Endpoint, tools: AnalysisTools): Promise<Analysis> {
  const example = await analyse(endpoint, tools, { names: Object.keys(endpoint.example) }, 'rejected');
  if (example.findings.some(({ kind }) => kind === 'rejected')) return example;
  const ownTables = await ownTablesOf(endpoint, await Catalog.of(tools.client));
  const secret = ownTables.find(isPrivateTable);
  if (secret !== undefined)
    return { ...example, findings: [{ problem: problem('TABLE_PRIVATE', secret), kind: 'rejected' }] };
  const ofPages = problemOfPaging(endpoint);
  if (ofPages) return { ...example, findings: [{ problem: ofPages, kind: 'rejected' }] };
  return { ...(await analyseCombinations(endpoint, tools, example)), ownTables };
}

/**
 * Reason why the condition of a page cannot be put around the query: a LIMIT or window in the query depends on rows that a page leaves
 * out. A query that takes the cursor itself may have a LIMIT or window. Undefined where there is no reason.
 */
function problemOfPaging(endpoint: Endpoint): Problem | undefined {
  if (endpoint.pages?.takesCursor !== false) return undefined;
  const [found] = knownFacts(endpoint)?.facts.dependsOnOtherRows ?? [];
  return found === undefined ? undefined : problem('PAGES_NOT_POSSIBLE', found);
}

async function analyseCombinations(
  endpoint: Endpoint,
  tools: AnalysisTools,
  example: Analysis,
): Promise<Analysis> {
  const later = await analyseLaterPage(endpoint, tools);
  const { file } = endpoint;
  if (file === undefined) return { ...example, findings: [...example.findings, ...later] };
  const known = new Set(example.findings.map(({ problem }) => textOfProblem(problem)));
  const found = new Map<string, Finding & { readonly calls: Combination[] }>();
  for (const combination of combinationsOf(file.select.pieces, endpoint.parameters)) {
    for (const finding of (await analyse(endpoint, tools, combination, 'values')).findings) {
      const text = textOfProblem(finding.problem);
      if (known.has(text)) continue;
      const { calls } = found.get(text) ?? { calls: [] };
      found.set(text, { ...finding, calls: [...calls, combination] });
    }
    tools.signal.throwIfAborted();
  }
  const named = [...found.values()].map(({ problem, ...rest }) => ({
    ...rest,
    problem: withPrefix(combinationText(rest.calls), problem),
  }));
  return { ...example, findings: [...example.findings, ...later, ...named] };
}

/** Problems of the query of a later page, which contains the condition that starts after a row. */
async function analyseLaterPage(endpoint: Endpoint, tools: AnalysisTools): Promise<readonly Finding[]> {
  if (!endpoint.pages) return [];
  const values = sampleValues(endpoint, { names: Object.keys(endpoint.example) }, tools.now());
  const query = bindLaterPage(endpoint, endpoint.pages, values, tools);
  try {
    await describe(query, tools);
    return [];
  } catch (error) {
    if (!(error instanceof ClickHouseError) || !isRejectionOfQuery(error)) throw error;
    const found = queryProblemInFile(error, { prefix: DESCRIBE, text: query.text, values }, endpoint.file);
    return [{ problem: withPrefix('on a page after the first', found), kind: 'rejected' }];
  }
}

/** @param other kind of an error that the definition need not have caused. */
async function analyse(
  endpoint: Endpoint,
  tools: AnalysisTools,
  combination: Combination,
  other: Finding['kind'],
): Promise<Analysis> {
  const values = sampleValues(endpoint, combination, tools.now());
  const query = bindValues(endpoint, values, tools);
  try {
    const columns = await describe(query, tools);
    const declared = returnedColumns(endpoint, values);
    const returned = new Set(columns.map(({ name }) => name));
    const problems = columnProblems(declared, columns, endpoint.file, values);
    // For made-up values, the types count only in the example's call.
    const isRejected =
      [...declared.keys()].some((name) => !returned.has(name)) ||
      (other === 'rejected' && problems.length > 0 && !(await isConvertible(query, declared, tools)));
    const kind = isRejected ? 'rejected' : 'differs';
    return { columns, findings: problems.map((problem) => ({ problem, kind })) };
  } catch (error) {
    if (!(error instanceof ClickHouseError) || !isRejectionOfQuery(error)) throw error;
    const [precise, prefix] = await withPlace(error, query, tools);
    const sent = {
      prefix,
      text: query.text,
      values,
      mistakeAtEnd: await mistakeAtEnd(error, endpoint, tools),
    };
    const problem = queryProblemInFile(precise, sent, endpoint.file);
    return { findings: [{ problem, kind: isOfDefinition(error.code) ? 'rejected' : other }] };
  }
}

/** Whether the gateway can convert the columns to the declared types. */
function isConvertible(query: BoundQuery, declared: DeclaredTypes, tools: AnalysisTools): Promise<boolean> {
  return describe(converted(query, declared), tools).then(
    () => true,
    (error: unknown) => {
      if (!isOfColumns(error)) throw error;
      // The row value that cannot be converted need not occur in another call.
      return OTHER_VALUES.has(error.code);
    },
  );
}

const SYNTAX_ERROR = '62';
const EXPLAIN_AST = 'EXPLAIN AST ';

/** Finds the place of a syntax error. Parentheses around a described query hide a surplus one, so the query is parsed alone. */
async function withPlace(
  error: ClickHouseError,
  { text, parameters }: BoundQuery,
  tools: AnalysisTools,
): Promise<readonly [error: unknown, prefix: string]> {
  if (error.code !== SYNTAX_ERROR) return [error, DESCRIBE];
  return queryRows(tools, `${EXPLAIN_AST}${text}`, parameters).then(
    () => [error, DESCRIBE],
    (precise: unknown) => [precise, EXPLAIN_AST],
  );
}

/** Problems that do not depend on the values of a call. */
export const problemsOf = ({ findings }: Analysis): readonly FileProblem[] =>
  findings.flatMap(({ kind, problem }) => (kind === 'values' ? [] : [problem]));

/** Reasons why ClickHouse rejects some or all calls. */
export const rejectionsIn = ({ findings }: Analysis): readonly Finding[] =>
  findings.filter(({ kind }) => kind === 'rejected');
