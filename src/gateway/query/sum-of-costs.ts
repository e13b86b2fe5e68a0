import { Figures, OPERATORS } from '../../endpoint/figures.js';
import type { QueryCost } from '../../endpoint/limit-rules.js';
import { Failure } from '../errors.js';

export const NO_COST: QueryCost = { rowsRead: 0, bytesRead: 0, clickhouseMs: 0 };

/** Sum of the costs of several queries. */
export function sumOfCosts(costs: readonly Figures<QueryCost>[]): Figures<QueryCost> {
  const sum = { ...NO_COST };
  for (const cost of costs) {
    const { rowsRead, bytesRead, clickhouseMs } = cost.readBy(OPERATORS);
    sum.rowsRead += rowsRead;
    sum.bytesRead += bytesRead;
    sum.clickhouseMs += clickhouseMs;
  }
  return new Figures(sum);
}

/** Cost of a failed query: nothing where it did not run at this gateway. Undefined for an error that does not say. */
export function costOfFailure(error: unknown): QueryCost | undefined {
  return error instanceof Failure ? (error.details.cost?.readBy(OPERATORS) ?? NO_COST) : undefined;
}
