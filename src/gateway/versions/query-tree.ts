import { ClickHouseError, type ClickHouseSettings } from '@clickhouse/client';

import { EXPLAIN_WRITTEN } from '../facts/query-facts.js';
import { Rejection } from '../facts/rejection.js';
import { readTree, type TreeNode } from '../facts/tree.js';

/** Says why the data of a query has no version. */
export class NoVersion extends Error {}

/** Sends a query that reads no data of endpoints. */
export type ReadRows = <Row>(
  text: string,
  parameters?: Readonly<Record<string, unknown>>,
  settings?: ClickHouseSettings,
) => Promise<readonly Row[]>;

/** Two trees of a SELECT, as ClickHouse reads it. */
export interface QueryTrees {
  /** As it is written, with the calls of functions of SQL, and with conditions that ClickHouse then takes for settled. */
  readonly written: TreeNode;
  /** With tables, columns and the expressions behind constants. */
  readonly resolved: TreeNode;
}

/** Bytes of a tree; ClickHouse prints the values of scalar subqueries, whatever their length. */
const MAX_TREE_BYTES = 1_000_000;

/** Of this error: the tree is longer, or has an array that is longer than ClickHouse prints. */
const TOO_LONG: ReadonlySet<string> = new Set(['128', '396']);

const SETTINGS: ClickHouseSettings = {
  // Otherwise an array, a tuple or a state hides the subquery that it comes from.
  enable_scalar_subquery_optimization: 0,
  max_result_bytes: String(MAX_TREE_BYTES),
  result_overflow_mode: 'throw',
};

/** Of one pass: later ones leave out what does not change the result of now. */
const EXPLAIN = {
  written: EXPLAIN_WRITTEN,
  resolved: 'EXPLAIN QUERY TREE run_passes = 1, passes = 1 ',
} as const satisfies Record<keyof QueryTrees, string>;

/**
 * Reads what ClickHouse makes of a SELECT.
 *
 * @throws NoVersion where that is too long, or has a name that hides what else it has; Error where ClickHouse does not analyse it
 */
export async function readQueryTrees(readRows: ReadRows, text: string): Promise<QueryTrees> {
  const read = async (form: keyof QueryTrees): Promise<TreeNode> => {
    const lines = await readRows<{ explain: string }>(`${EXPLAIN[form]}${text}`, {}, SETTINGS);
    return readTree(lines.map(({ explain }) => explain));
  };
  try {
    const [written, resolved] = await Promise.all([read('written'), read('resolved')]);
    return { written, resolved };
  } catch (error) {
    if (error instanceof Rejection) throw new NoVersion(`the query or a view that it reads ${error.message}`);
    if (error instanceof ClickHouseError && TOO_LONG.has(error.code))
      throw new NoVersion(`a scalar subquery of it has a value of more than ${MAX_TREE_BYTES} bytes`);
    throw error;
  }
}
