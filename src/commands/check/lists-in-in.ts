import { ClickHouseError } from '@clickhouse/client';

import type { Endpoint } from '../../endpoint/endpoint.js';
import { tokensOfAll } from '../../endpoint/other-rows.js';
import { quoteText } from '../../endpoint/quote-sql.js';
import { bindValues, queryRows, type AnalysisTools } from '../../gateway/analysis/analyze-query.js';
import { sampleValues } from '../../gateway/query/sample-values.js';
import { itemsOf, readTree, type TreeNode } from '../../gateway/facts/tree.js';

const IN = /^(?:global)?(?:not)?(?:null)?in$/i;

/** A warning for each list that could be a set: ClickHouse's tree of the query has it on the right side of IN, and nowhere else. */
export async function listsInIn(endpoint: Endpoint, tools: AnalysisTools): Promise<readonly string[]> {
  const lists = [...endpoint.parameters].flatMap(([name, { isList, isSet }]) =>
    isList && !isSet ? [name] : [],
  );
  if (lists.length === 0) return [];
  const names = [...endpoint.parameters.keys()];
  const { text, parameters } = bindValues(endpoint, sampleValues(endpoint, { names }, tools.now()), tools);
  const explain = async (passes: number, query: string): Promise<readonly TreeNode[]> => {
    const prefix = `EXPLAIN QUERY TREE run_passes = ${passes} `;
    const rows = await queryRows<{ readonly explain: string }>(tools, `${prefix}${query}`, parameters);
    return nodesIn(readTree(rows.map((row) => row.explain)));
  };
  try {
    // Before names and types are resolved, and constants computed.
    const written = await explain(0, withMarks(text, lists));
    const used = lists.filter((name) => isOnlyInIn(name, written, endpoint));
    if (used.length === 0 || (await explain(1, text)).some(comparesWholeList)) return [];
    return used.map(
      (name) =>
        `the list ${name} is only used in IN, where order and duplicates make no difference: write set: true for it, so that all ways to send it share a cached result`,
    );
  } catch (error) {
    // What ClickHouse rejects is reported elsewhere.
    if (error instanceof ClickHouseError) return [];
    throw error;
  }
}

const markOf = (name: string): string => quoteText(`the list ${name}`);

/** The query with a text in each list by which the tree shows where it is. */
function withMarks(text: string, lists: readonly string[]): string {
  return text.replaceAll(/\{(\w+):[^}]*\}/g, (written, name: string) =>
    lists.includes(name) ? `[${markOf(name)}]` : written,
  );
}

/** Every use in every branch of the query must be one that the tree has. */
function isOnlyInIn(name: string, nodes: readonly TreeNode[], { query }: Endpoint): boolean {
  let uses = 0;
  tokensOfAll(query, (reference) => {
    if (reference.name === name) uses += 1;
    return '0';
  });
  const isMarked = (node?: TreeNode): boolean =>
    node?.attributes.get('constant_value')?.includes(markOf(name)) === true;
  const inIn = nodes.filter((node) => isMarked(argumentsOfIn(node)?.[1]));
  const filters = query.tenant?.some(({ reference }) => reference.name === name) === true;
  return !filters && uses > 0 && inIn.length === uses && nodes.filter(isMarked).length === uses;
}

/** The arguments of IN, in any of its forms; undefined for every other node. */
function argumentsOfIn(node: TreeNode): readonly TreeNode[] | undefined {
  return IN.test(node.attributes.get('function_name') ?? '') ? itemsOf(node, 'ARGUMENTS') : undefined;
}

/** An array on the left side of IN, or what can be one, is compared with the list, not with its items. */
function comparesWholeList(node: TreeNode): boolean {
  const [left] = argumentsOfIn(node) ?? [];
  const type =
    left?.attributes.get('result_type') ?? left?.attributes.get('constant_value_type') ?? 'Dynamic';
  return left !== undefined && /Array|Dynamic|Variant|JSON/.test(type);
}

const nodesIn = (node: TreeNode): readonly TreeNode[] => [
  node,
  ...node.children.flatMap((child) => nodesIn(child.node)),
];
