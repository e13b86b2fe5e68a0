import type { Endpoint } from '../../endpoint/endpoint.js';
import { bindValues, explainLines, type AnalysisTools } from '../../gateway/analysis/analyze-query.js';
import { whereRejected } from '../../gateway/clickhouse/where-rejected.js';
import { sampleValues } from '../../gateway/query/sample-values.js';
import { MEMBERSHIP, nodesIn } from '../../gateway/facts/facts.js';
import { knownFacts, type QueryFacts } from '../../gateway/facts/query-facts.js';
import { itemsOf, readTree, type TreeNode } from '../../gateway/facts/tree.js';

/** A warning for each list that could be a set: ClickHouse's tree of the query has it on the right side of IN, and nowhere else. */
export async function listsInIn(endpoint: Endpoint, tools: AnalysisTools): Promise<readonly string[]> {
  const lists = [...endpoint.parameters].flatMap(([name, { isList, isSet }]) =>
    isList && !isSet ? [name] : [],
  );
  const facts = knownFacts(endpoint);
  const used = facts ? lists.filter((name) => isOnlyInIn(name, endpoint, facts)) : [];
  if (used.length === 0) return [];
  const names = [...endpoint.parameters.keys()];
  const { text, parameters } = bindValues(endpoint, sampleValues(endpoint, { names }, tools.now()), tools);
  // This pass adds the types of the compared values.
  const explain = `EXPLAIN QUERY TREE run_passes = 1 ${text}`;
  const lines = await explainLines(tools, explain, parameters).catch(whereRejected(undefined));
  if (!lines || [...nodesIn(readTree(lines))].some(comparesWholeList)) return [];
  return used.map(
    (name) =>
      `the list ${name} is only used in IN, where order and duplicates make no difference: write set: true for it, so that all ways to send it share a cached result`,
  );
}

/** Whether every use in every branch of the query is the right side of IN. */
function isOnlyInIn(name: string, { query }: Endpoint, { facts }: QueryFacts): boolean {
  const count = (names: readonly string[]): number => names.filter((each) => each === name).length;
  const uses = count(facts.parameters);
  const filters = query.tenant?.some(({ reference }) => reference.name === name) === true;
  return !filters && uses > 0 && count(facts.parametersInIn) === uses;
}

/** The arguments of IN, in any of its forms; undefined for every other node. */
function argumentsOfIn(node: TreeNode): readonly TreeNode[] | undefined {
  return MEMBERSHIP.has(node.attributes.get('function_name')?.toLowerCase() ?? '')
    ? itemsOf(node, 'ARGUMENTS')
    : undefined;
}

/** An array on the left side of IN, or what can be one, is compared with the list, not with its items. */
function comparesWholeList(node: TreeNode): boolean {
  const [left] = argumentsOfIn(node) ?? [];
  const type =
    left?.attributes.get('result_type') ?? left?.attributes.get('constant_value_type') ?? 'Dynamic';
  return left !== undefined && /Array|Dynamic|Variant|JSON/.test(type);
}
