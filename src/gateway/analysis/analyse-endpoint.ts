import { ClickHouseError } from '@clickhouse/client';

import { isOfDefinition } from '../clickhouse/definition-errors.js';
import { isRejectionOfQuery } from '../clickhouse/translate-error.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import type { FileProblem } from '../../endpoint/file-problems.js';
import { analyseCombination } from './analyse-combination.js';
import type { AnalysisTools } from './analyze-query.js';
import { combinationText } from './check-combinations.js';
import { combinationsOf, type Combination } from './combinations.js';
import type { SqlFile } from './sql-file.js';
import { withPrefix } from './with-prefix.js';

/** What ClickHouse says of an endpoint without running it. */
export interface Analysis {
  /** Why ClickHouse rejects its query; empty where it accepts it. */
  readonly rejections: readonly FileProblem[];
  /** The calls that are rejected; absent: all. */
  readonly rejected?: Combination;
  /** How the columns of the query, which ClickHouse accepts, differ from the declared ones. */
  readonly differences: readonly FileProblem[];
}

const ACCEPTED: Analysis = { rejections: [], differences: [] };

/**
 * Lets ClickHouse analyse the query of an endpoint, one query at a time: that of the example, then, of a `.sql` file, the
 * combinations of its optional parts until one is rejected. Made-up values can be ones that the query does not take, so that of
 * them only errors of the definition count.
 *
 * @throws Error where ClickHouse does not analyse it, because it is away, busy or at a limit
 */
export async function analyseEndpoint(
  endpoint: Endpoint,
  file: SqlFile | undefined,
  tools: AnalysisTools,
): Promise<Analysis> {
  const ofExample = await analyse(endpoint, file, tools, { names: Object.keys(endpoint.example) });
  if (ofExample.rejections.length > 0 || file === undefined) return ofExample;
  let { differences } = ofExample;
  for (const combination of combinationsOf(file.select.pieces, endpoint.parameters)) {
    const found = await analyse(endpoint, file, tools, combination, isOfDefinition);
    const where = (problem: FileProblem): FileProblem => withPrefix(combinationText(combination, 0), problem);
    if (found.rejections.length > 0) {
      return { rejections: found.rejections.map(where), differences, rejected: combination };
    }
    if (differences.length === 0) differences = found.differences.map(where);
  }
  return { rejections: [], differences };
}

/** @param counts whether an error of this code is one of the query, and not of the values. */
async function analyse(
  endpoint: Endpoint,
  file: SqlFile | undefined,
  tools: AnalysisTools,
  combination: Combination,
  counts: (code: string) => boolean = () => true,
): Promise<Analysis> {
  const found = await analyseCombination(endpoint, file, tools, combination);
  if (!('error' in found)) {
    const { differences, lacksColumn } = found;
    // The gateway asks for the declared columns by name, which ClickHouse then rejects.
    return lacksColumn ? { ...ACCEPTED, rejections: differences } : { ...ACCEPTED, differences };
  }
  const { error, problem } = found;
  if (!(error instanceof ClickHouseError) || !isRejectionOfQuery(error)) throw error;
  return counts(error.code) ? { ...ACCEPTED, rejections: [problem] } : ACCEPTED;
}

/** Everything that is wrong. */
export const problemsOf = ({ rejections, differences }: Analysis): readonly FileProblem[] => [
  ...rejections,
  ...differences,
];
