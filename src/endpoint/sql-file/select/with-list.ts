import { isQuery, readFrame, type Frame } from './frame.js';
import { isName, nameOf } from './names.js';
import { isSymbol, wordOf, type GroupNode, type Node } from './nodes.js';
import { readsOf } from './reads.js';
import type { Place, WithQuery } from './select.js';

/** The WITH list of the outermost query. */
export interface WithList {
  readonly list: Place | undefined;
  readonly queries: readonly WithQuery[];
}

/** Reads the WITH list at the beginning of a text. */
export function readWithList(nodes: readonly Node[], { words }: Frame): WithList {
  const select = words.find(
    ({ node, role, part }) =>
      role === 'clause' && part === undefined && (wordOf(node) === 'SELECT' || wordOf(node) === 'FROM'),
  );
  const list = nodes.slice(1, select && nodes.indexOf(select.node));
  const [start, end] = [list.at(0)?.start, list.at(-1)?.end];
  if (wordOf(nodes[0]) !== 'WITH' || start === undefined || end === undefined)
    return { list: undefined, queries: [] };
  const isOfRecursion = isRecursive(list);
  const items = splitItems(isOfRecursion ? list.slice(1) : list);
  // What is optional in the list can give a name another meaning.
  const isCertain = !isOfRecursion && !list.some(({ kind }) => kind === 'part');
  const queries = items.map((item) => readQuery(item, isCertain));
  const names = items.flatMap((item, index) => (queries[index] === undefined ? namesIn(item) : []));
  return {
    list: { start, end },
    queries: queries.flatMap((query) => (query === undefined ? [] : [withoutNames(query, new Set(names))])),
  };
}

/** An expression of the list can give a table or a column of its queries another meaning. */
function withoutNames(query: WithQuery, names: ReadonlySet<string>): WithQuery {
  const isClear = (path: string): boolean =>
    !path
      .toLowerCase()
      .split('.')
      .some((name) => names.has(name));
  return {
    ...query,
    tables: query.tables?.every(isClear) === true ? query.tables : undefined,
    comparisons: query.comparisons?.filter(({ column }) => isClear(column)),
  };
}

const namesIn = (nodes: readonly Node[]): readonly string[] =>
  nodes.flatMap((node) => {
    if (node.kind === 'group' || node.kind === 'part') return namesIn(node.nodes);
    return isName(node) ? [nameOf(node).toLowerCase()] : [];
  });

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

/** Reads `name [(columns)] AS [MATERIALIZED] (query)`, and passes over optional parts beside it. */
function readQuery(all: readonly Node[], isCertain: boolean): WithQuery | undefined {
  const item = all.filter(({ kind }) => kind !== 'part');
  const [name, group] = [item.at(0), item.at(-1)];
  if (name === undefined || !isName(name) || !isQueryGroup(group)) return undefined;
  const between = item.slice(1, -1).filter((node) => node.kind !== 'group');
  const words = between.map((node) => wordOf(node)).join(' ');
  if (words !== 'AS' && words !== 'AS MATERIALIZED') return undefined;
  const renames = between.length < item.length - 2;
  const reads = isCertain ? readsOf(readFrame(group.nodes), renames) : undefined;
  return {
    name: nameOf(name),
    query: { start: group.start + 1, end: group.end - 1 },
    item: { start: name.start, end: group.end },
    tables: reads?.tables,
    comparisons: reads?.comparisons,
  };
}

function isQueryGroup(node: Node | undefined): node is GroupNode {
  return node?.kind === 'group' && node.open === '(' && isQuery(node.nodes);
}
