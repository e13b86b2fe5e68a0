import { isDeepStrictEqual } from 'node:util';

import { returnedColumns, type Endpoint } from '../endpoint/endpoint.js';
import { bindValues, DESCRIBE, describe, type AnalysisTools } from './analyze-query.js';
import { columnProblems } from './column-problems.js';
import { combinationsOf, sampleValues, type Combination } from './combinations.js';
import { textOfProblem, type FileProblem } from '../endpoint/file-problems.js';
import { withPrefix } from './with-prefix.js';
import { queryProblemInFile } from './query-problem-in-file.js';
import type { SqlFile } from './sql-file.js';

/** Queries that ClickHouse analyses at the same time. */
const CONCURRENCY = 4;

interface CheckedCombination {
  readonly combination: Combination;
  readonly problems: readonly FileProblem[];
}

/**
 * Lets ClickHouse parse and analyse combinations of the optional parts of a `.sql` file.
 *
 * @param known problems that are reported already.
 * @returns each problem once, with the first combination that has it.
 */
export async function checkCombinations(
  endpoint: Endpoint,
  file: SqlFile,
  tools: AnalysisTools,
  known: readonly FileProblem[],
): Promise<readonly FileProblem[]> {
  const combinations = combinationsOf(file.select.pieces, endpoint.parameters);
  const checked: CheckedCombination[] = [];
  for (let at = 0; at < combinations.length; at += CONCURRENCY) {
    const some = combinations.slice(at, at + CONCURRENCY);
    checked.push(
      ...(await Promise.all(some.map((combination) => check(endpoint, file, tools, combination)))),
    );
    tools.signal.throwIfAborted();
  }
  return newProblems(checked, known);
}

async function check(
  endpoint: Endpoint,
  file: SqlFile,
  tools: AnalysisTools,
  combination: Combination,
): Promise<CheckedCombination> {
  const values = sampleValues(endpoint, combination, tools.now());
  const query = bindValues(endpoint, values, tools);
  try {
    const described = await describe(query, tools);
    return {
      combination,
      problems: columnProblems(returnedColumns(endpoint, values), described, file, values),
    };
  } catch (error) {
    return {
      combination,
      problems: [queryProblemInFile(error, { prefix: DESCRIBE, text: query.text, values }, file)],
    };
  }
}

function newProblems(
  checked: readonly CheckedCombination[],
  known: readonly FileProblem[],
): readonly FileProblem[] {
  const failing = new Map<string, { readonly problem: FileProblem; readonly where: Combination[] }>();
  for (const { combination, problems } of checked) {
    for (const problem of problems) {
      const same = failing.get(textOfProblem(problem));
      if (same) same.where.push(combination);
      else failing.set(textOfProblem(problem), { problem, where: [combination] });
    }
  }
  return [...failing.values()]
    .filter(({ problem }) => !known.some((other) => isSame(other, problem)))
    .map(({ problem, where: [first = NOTHING, ...others] }) =>
      withPrefix(combinationText(first, others.length), problem),
    );
}

/** Whether a known problem, which may have a prefix, is this one. */
function isSame(known: FileProblem, problem: FileProblem): boolean {
  const { problem: text, ...place } = problem;
  return (
    known.problem.endsWith(text) &&
    isDeepStrictEqual({ ...known, problem: text }, { ...place, problem: text })
  );
}

const NOTHING: Combination = { names: [] };

/** How messages name a combination. @param others combinations with the same problem */
export function combinationText({ names, choice }: Combination, others: number): string {
  const of = names.length === 0 ? 'without optional parameters' : `with a value for ${names.join(', ')}`;
  const which = choice ? `where ${choice[0]} is ${choice[1]}` : of;
  if (others === 0) return which;
  return `${which} (and in ${others} other ${others === 1 ? 'combination' : 'combinations'})`;
}
