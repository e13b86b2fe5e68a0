import { ClickHouseError } from '@clickhouse/client';

import type { Endpoint } from '../../endpoint/endpoint.js';
import { queryRows, type AnalysisTools } from '../../gateway/analysis/analyze-query.js';
import { EXPLAIN_WRITTEN } from '../../gateway/facts/query-facts.js';
import { queryShapes } from '../../gateway/facts/query-shapes.js';
import { itemsOf, readTree, type TreeNode } from '../../gateway/facts/tree.js';

/** Clauses that seem to be those of the whole, at the end of a UNION, INTERSECT or EXCEPT. */
const CLAUSES = ['ORDER BY', 'LIMIT BY', 'LIMIT', 'OFFSET'];

/** A warning where clauses at the end of a query belong to its last SELECT alone, by ClickHouse's tree. */
export async function endsOfUnions({ query }: Endpoint, tools: AnalysisTools): Promise<readonly string[]> {
  // With its optional parts, as a subquery.
  const text = queryShapes(query).reduce((one, other) => (other.length > one.length ? other : one));
  // Who writes parentheses around a SELECT means it; the tree has none.
  if (/\)\s*\)\s*$/.test(text)) return [];
  try {
    const rows = await queryRows<{ readonly explain: string }>(tools, `${EXPLAIN_WRITTEN}${text}`, {});
    const outer = readTree(rows.map(({ explain }) => explain));
    const union = outer.children.find(
      ({ section, node }) => section === 'JOIN TREE' && node.kind === 'UNION',
    );
    if (!union) return [];
    const last = lastSelect(union.node);
    const clauses = CLAUSES.filter((clause) => last.children.some(({ section }) => section === clause));
    if (clauses.length === 0) return [];
    return [
      `${clauses.join(' and ')} at the end of the query ${clauses.length > 1 ? 'belong' : 'belongs'} to the last SELECT alone, not to all rows: ` +
        'write SELECT * FROM (…) around the others and it, or parentheses around the last SELECT if that is meant',
    ];
  } catch (error) {
    // What ClickHouse rejects is reported elsewhere.
    if (error instanceof ClickHouseError) return [];
    throw error;
  }
}

function lastSelect(node: TreeNode): TreeNode {
  const last = node.kind === 'UNION' ? itemsOf(node, 'QUERIES').at(-1) : undefined;
  return last ? lastSelect(last) : node;
}
