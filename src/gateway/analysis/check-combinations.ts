import { isDeepStrictEqual } from 'node:util';

import type { Endpoint } from '../../endpoint/endpoint.js';
import { analyseCombination } from './analyse-combination.js';
import type { AnalysisTools } from './analyze-query.js';
import { combinationsOf, type Combination } from './combinations.js';
import { textOfProblem, type FileProblem } from '../../endpoint/file-problems.js';
import { withPrefix } from './with-prefix.js';
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
  const found = await analyseCombination(endpoint, file, tools, combination);
  return { combination, problems: 'error' in found ? [found.problem] : found.differences };
}

function newProblems(
  checked: readonly CheckedCombination[],
  known: readonly FileProblem[],
): readonly FileProblem[] {
  const failing = new Map<string, { readonly problem: FileProblem; readonly where: Combination[] }>();
  for (const { combination, problems } of checked) {
    for (const problem of problems) {
      const text = textOfProblem(comparable(problem));
      const same = failing.get(text);
      if (same) same.where.push(combination);
      else failing.set(text, { problem, where: [combination] });
    }
  }
  return [...failing.values()]
    .filter(({ problem }) => !known.some((other) => isSame(other, problem)))
    .map(({ problem, where: [first = NOTHING, ...others] }) =>
      withPrefix(combinationText(first, others.length), problem),
    );
}

/** Whether a known problem, which may have a prefix, is this one. */
function isSame(known: FileProblem, other: FileProblem): boolean {
  const { problem: knownText, ...knownPlace } = comparable(known);
  const { problem: text, ...place } = comparable(other);
  return knownText.endsWith(text) && isDeepStrictEqual(knownPlace, place);
}

/** Without what ClickHouse expected in place of a syntax error, which depends on what was sent before and after the query. */
function comparable(problem: FileProblem): FileProblem {
  return { ...problem, problem: problem.problem.replace(/\. Expected [^]*/, '') };
}

const NOTHING: Combination = { names: [] };

/** How messages name a combination. @param others combinations with the same problem */
export function combinationText({ names, choice }: Combination, others: number): string {
  const of = names.length === 0 ? 'without optional parameters' : `with a value for ${names.join(', ')}`;
  const which = choice ? `where ${choice[0]} is ${choice[1]}` : of;
  if (others === 0) return which;
  return `${which} (and in ${others} other ${others === 1 ? 'combination' : 'combinations'})`;
}
