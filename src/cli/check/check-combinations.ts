import { returnedColumns, type Endpoint } from '../../endpoint/endpoint.js';
import { bindValues, DESCRIBE, describe, type AnalysisTools } from './analyze-query.js';
import { columnFaults } from './column-faults.js';
import { combinationsOf, sampleValues, type Combination } from './combinations.js';
import { faultInFile } from './fault-in-file.js';
import type { SqlFile } from './sql-file.js';

/** Queries that ClickHouse analyses at the same time. */
const CONCURRENCY = 4;

interface CheckedCombination {
  readonly combination: Combination;
  readonly faults: readonly string[];
}

/**
 * Lets ClickHouse parse and analyse combinations of the optional parts of a `.sql` file.
 *
 * @param known faults that are reported already.
 * @returns each fault once, with the first combination that has it.
 */
export async function checkCombinations(
  endpoint: Endpoint,
  file: SqlFile,
  tools: AnalysisTools,
  known: readonly string[],
): Promise<readonly string[]> {
  const combinations = combinationsOf(file.select.pieces, endpoint.parameters);
  const checked: CheckedCombination[] = [];
  for (let at = 0; at < combinations.length; at += CONCURRENCY) {
    const some = combinations.slice(at, at + CONCURRENCY);
    checked.push(
      ...(await Promise.all(some.map((combination) => check(endpoint, file, tools, combination)))),
    );
    tools.signal.throwIfAborted();
  }
  return newFaults(checked, known);
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
    return { combination, faults: columnFaults(returnedColumns(endpoint, values), described, file) };
  } catch (error) {
    return {
      combination,
      faults: [faultInFile(error, { prefix: DESCRIBE, text: query.text, values }, file)],
    };
  }
}

function newFaults(checked: readonly CheckedCombination[], known: readonly string[]): readonly string[] {
  const failing = new Map<string, readonly Combination[]>();
  for (const { combination, faults } of checked) {
    for (const fault of faults) failing.set(fault, [...(failing.get(fault) ?? []), combination]);
  }
  return [...failing]
    .filter(([fault]) => !known.some((other) => other.endsWith(fault)))
    .map(([fault, [first = NOTHING, ...others]]) => `${combinationText(first, others.length)}: ${fault}`);
}

const NOTHING: Combination = { names: [] };

function combinationText({ names, choice }: Combination, others: number): string {
  const of = names.length === 0 ? 'without optional parameters' : `with a value for ${names.join(', ')}`;
  const which = choice ? `where ${choice[0]} is ${choice[1]}` : of;
  if (others === 0) return which;
  return `${which} (and in ${others} other ${others === 1 ? 'combination' : 'combinations'})`;
}
