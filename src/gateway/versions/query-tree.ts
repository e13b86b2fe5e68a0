import { ClickHouseError, type ClickHouseSettings } from '@clickhouse/client';

import { EXPLAIN_WRITTEN } from '../facts/query-facts.js';
import { Rejection } from '../facts/rejection.js';
import { readTree, type TreeNode } from '../facts/tree.js';

/** Reason why the data of a query has no version. */
export class NoVersion extends Error {}

/** Sends a query that reads only metadata, never data of endpoints. */
export type ReadRows = <Row>(
  text: string,
  parameters?: Readonly<Record<string, unknown>>,
  settings?: ClickHouseSettings,
) => Promise<readonly Row[]>;

/** Two trees of a SELECT from ClickHouse. */
export interface QueryTrees {
  /** Tree of the query as written. It still has calls of SQL functions, and conditions that ClickHouse later optimizes away. */
  readonly written: TreeNode;
  /** Tree with resolved tables and columns, and with the expressions behind constants. */
  readonly resolved: TreeNode;
}

/** Maximum size of a tree, in bytes. ClickHouse prints values of scalar subqueries at any length. */
const MAX_TREE_BYTES = 1_000_000;

/** Codes of ClickHouse's errors for a tree that is too long, or an array that is longer than ClickHouse prints. */
const TOO_LONG: ReadonlySet<string> = new Set(['128', '396']);

const SETTINGS: ClickHouseSettings = {
  // With the optimization, an array, a tuple or a state would hide the subquery that it comes from.
  enable_scalar_subquery_optimization: 0,
  max_result_bytes: String(MAX_TREE_BYTES),
  result_overflow_mode: 'throw',
};

/** Statements with one pass at most: later passes remove what does not change the result at this moment. */
const EXPLAIN = {
  written: EXPLAIN_WRITTEN,
  resolved: 'EXPLAIN QUERY TREE run_passes = 1, passes = 1 ',
} as const satisfies Record<keyof QueryTrees, string>;

/**
 * Reads ClickHouse's trees of a SELECT.
 *
 * @throws NoVersion where a tree is too long, or a name in it is ambiguous; Error where ClickHouse does not analyse the SELECT
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
