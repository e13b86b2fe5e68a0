import { Figures, OPERATORS } from '../../endpoint/figures.js';
import type { QueryCost } from '../../endpoint/limit-rules.js';
import { Failure } from '../errors.js';

export const NO_COST: QueryCost = { rowsRead: 0, bytesRead: 0, clickhouseMs: 0 };

/** What several queries cost together. */
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

/** What a query that failed has cost: nothing where it did not run at this gateway; undefined for an error that does not say. */
export function costOfFailure(error: unknown): QueryCost | undefined {
  return error instanceof Failure ? (error.details.cost?.readBy(OPERATORS) ?? NO_COST) : undefined;
}
