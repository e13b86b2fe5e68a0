import { Figures, OPERATORS } from '../../endpoint/figures.js';
import type { QueryCost } from '../../endpoint/limit-rules.js';

/** What several queries cost together. */
export function sumOfCosts(costs: readonly Figures<QueryCost>[]): Figures<QueryCost> {
  const sum = { rowsRead: 0, bytesRead: 0, clickhouseMs: 0 };
  for (const cost of costs) {
    const { rowsRead, bytesRead, clickhouseMs } = cost.readBy(OPERATORS);
    sum.rowsRead += rowsRead;
    sum.bytesRead += bytesRead;
    sum.clickhouseMs += clickhouseMs;
  }
  return new Figures(sum);
}
