import { ClickHouseError } from '@clickhouse/client';

import type { Endpoint } from '../../endpoint/endpoint.js';
import { attribute, nodesIn } from '../facts/facts.js';
import { EXPLAIN_WRITTEN } from '../facts/query-facts.js';
import { queryShapes } from '../facts/query-shapes.js';
import { itemsOf, readTree, type TreeNode } from '../facts/tree.js';
import { whereRejected } from '../clickhouse/where-rejected.js';
import { explainLines, type AnalysisTools } from './analyze-query.js';

/** Clauses at the end of a UNION, INTERSECT or EXCEPT that seem to apply to the whole query. */
const CLAUSES = ['ORDER BY', 'LIMIT BY', 'LIMIT', 'OFFSET'];

const UNKNOWN_IDENTIFIER = '47';

interface EndOfUnion {
  readonly warning: string;
  /** Names that the clauses use. */
  readonly names: ReadonlySet<string>;
}

/** Warning where ClickHouse's tree shows that clauses at the end of a query belong only to the last SELECT. */
export async function endsOfUnions(endpoint: Endpoint, tools: AnalysisTools): Promise<readonly string[]> {
  const end = await endOfUnion(endpoint, tools);
  return end ? [end.warning] : [];
}

/** The same warning, but only where ClickHouse rejects the query because such a clause uses a name of the other SELECTs. */
export async function mistakeAtEnd(
  error: unknown,
  endpoint: Endpoint,
  tools: AnalysisTools,
): Promise<string | undefined> {
  if (!(error instanceof ClickHouseError) || error.code !== UNKNOWN_IDENTIFIER) return undefined;
  const name = /[`']([^`']+)[`']/.exec(error.message)?.[1] ?? '';
  const end = await endOfUnion(endpoint, tools);
  return end?.names.has(name) ? end.warning : undefined;
}

async function endOfUnion({ query }: Endpoint, tools: AnalysisTools): Promise<EndOfUnion | undefined> {
  // The longest shape has all optional parts. It is read as a subquery.
  const text = queryShapes(query).reduce((one, other) => (other.length > one.length ? other : one));
  // An author who writes parentheses around the last SELECT means that. The tree does not show parentheses.
  if (/\)\s*\)\s*$/.test(text)) return undefined;
  const lines = await explainLines(tools, `${EXPLAIN_WRITTEN}${text}`).catch(whereRejected(undefined));
  const union =
    lines &&
    readTree(lines).children.find(({ section, node }) => section === 'JOIN TREE' && node.kind === 'UNION');
  return union && endOf(lastSelect(union.node));
}

function endOf({ children }: TreeNode): EndOfUnion | undefined {
  const found = children.filter(({ section }) => CLAUSES.includes(section));
  const clauses = CLAUSES.filter((clause) => found.some(({ section }) => section === clause));
  if (clauses.length === 0) return undefined;
  const nodes = found.flatMap(({ node }) => [...nodesIn(node)]);
  return {
    names: new Set(nodes.map((node) => attribute(node, 'identifier'))),
    warning:
      `${clauses.join(' and ')} at the end of the query ${clauses.length > 1 ? 'belong' : 'belongs'} to the last SELECT alone, not to all rows: ` +
      'write SELECT * FROM (…) around the others and it, or parentheses around the last SELECT if that is meant',
  };
}

function lastSelect(node: TreeNode): TreeNode {
  const last = node.kind === 'UNION' ? itemsOf(node, 'QUERIES').at(-1) : undefined;
  return last ? lastSelect(last) : node;
}
