import { returnedColumns, type Endpoint } from '../../endpoint/endpoint.js';
import type { FileProblem } from '../../endpoint/file-problems.js';
import { bindValues, DESCRIBE, describe, type AnalysisTools } from './analyze-query.js';
import { columnProblems } from './column-problems.js';
import { sampleValues, type Combination } from './combinations.js';
import { queryProblemInFile } from './query-problem-in-file.js';
import type { SqlFile } from './sql-file.js';

/** How the columns of a query differ from the declared ones, or why it could not be described. */
export type CombinationAnalysis =
  | {
      readonly differences: readonly FileProblem[];
      /** Whether the query lacks a declared column. */
      readonly lacksColumn: boolean;
    }
  | { readonly error: unknown; readonly problem: FileProblem };

/** Lets ClickHouse describe the query of one combination of optional parts. Never rejects. */
export async function analyseCombination(
  endpoint: Endpoint,
  file: SqlFile | undefined,
  tools: AnalysisTools,
  combination: Combination,
): Promise<CombinationAnalysis> {
  const values = sampleValues(endpoint, combination, tools.now());
  const query = bindValues(endpoint, values, tools);
  const declared = returnedColumns(endpoint, values);
  try {
    const described = await describe(query, tools);
    const returned = new Set(described.map(({ name }) => name));
    return {
      differences: columnProblems(declared, described, file, values),
      lacksColumn: [...declared.keys()].some((name) => !returned.has(name)),
    };
  } catch (error) {
    const sent = { prefix: DESCRIBE, text: query.text, values };
    return { error, problem: queryProblemInFile(error, sent, file) };
  }
}
