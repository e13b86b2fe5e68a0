import { isQuery, type Frame } from './frame.js';
import { isName, nameOf } from './names.js';
import { isSymbol, wordOf, type GroupNode, type Node } from './nodes.js';
import type { WithList, WithQuery } from './select.js';

export const NO_WITH: WithList = { withList: undefined, withQueries: [], hasOptionalNames: false };

/** Reads the WITH list at the beginning of a text. */
export function readWithList(nodes: readonly Node[], { words }: Frame): WithList {
  const select = words.find(
    ({ node, role, part }) =>
      role === 'clause' && part === undefined && (wordOf(node) === 'SELECT' || wordOf(node) === 'FROM'),
  );
  const list = nodes.slice(1, select && nodes.indexOf(select.node));
  const [start, end] = [list.at(0)?.start, list.at(-1)?.end];
  if (wordOf(nodes[0]) !== 'WITH' || start === undefined || end === undefined) return NO_WITH;
  const items = splitItems(isRecursive(list) ? list.slice(1) : list);
  return {
    withList: { start, end },
    withQueries: items.flatMap((item) => readQuery(item) ?? []),
    hasOptionalNames: list.some(({ kind }) => kind === 'part') || definesNames(list, false),
  };
}

/** Whether an optional part has a WITH, wherever it is. */
const definesNames = (nodes: readonly Node[], isOptional: boolean): boolean =>
  nodes.some((node) =>
    node.kind === 'part' || node.kind === 'group'
      ? definesNames(node.nodes, isOptional || node.kind === 'part')
      : isOptional && wordOf(node) === 'WITH',
  );

/** WITH RECURSIVE, not an expression that begins with a column of that name. */
const isRecursive = ([first, second]: readonly Node[]): boolean =>
  wordOf(first) === 'RECURSIVE' && isName(second) && wordOf(second) !== 'AS';

function splitItems(nodes: readonly Node[]): readonly (readonly Node[])[] {
  const items: Node[][] = [[]];
  for (const node of nodes) {
    if (isSymbol(node, ',')) items.push([]);
    else items.at(-1)?.push(node);
  }
  return items;
}

/** Reads `name [(columns)] AS [MATERIALIZED] (query)`, and skips optional parts around it. */
function readQuery(all: readonly Node[]): WithQuery | undefined {
  const item = all.filter(({ kind }) => kind !== 'part');
  const [name, group] = [item.at(0), item.at(-1)];
  if (name === undefined || !isName(name) || !isQueryGroup(group)) return undefined;
  const between = item.slice(1, -1).filter((node) => node.kind !== 'group');
  const words = between.map((node) => wordOf(node)).join(' ');
  if (words !== 'AS' && words !== 'AS MATERIALIZED') return undefined;
  return {
    name: nameOf(name),
    item: { start: name.start, end: group.end },
  };
}

function isQueryGroup(node: Node | undefined): node is GroupNode {
  return node?.kind === 'group' && node.open === '(' && isQuery(node.nodes);
}
