import { isQuery } from './clauses.js';
import { wordOf, type GroupNode, type Node } from './nodes.js';
import { isName, nameOf } from './names.js';
import type { Scan, Step } from './scan.js';
import type { Place, WithQuery } from './select.js';

/** The WITH list of the outermost query. */
export interface WithList {
  readonly list: Place | undefined;
  readonly queries: readonly WithQuery[];
}

/** Reads the WITH list at the beginning of a text. */
export function readWithList({ steps }: Scan): WithList {
  const [first, ...rest] = steps;
  if (first === undefined || wordOf(first.node) !== 'WITH') return { list: undefined, queries: [] };
  const length = rest.findIndex(({ role }) => role === 'clause' || role === 'set');
  const list = rest.slice(0, length === -1 ? rest.length : length);
  const [start, end] = [list.at(0)?.node.start, list.at(-1)?.node.end];
  if (start === undefined || end === undefined) return { list: undefined, queries: [] };
  const items = splitItems(isRecursive(list) ? list.slice(1) : list);
  return { list: { start, end }, queries: items.flatMap((item) => readQuery(item)) };
}

/** WITH RECURSIVE, not an expression that begins with a column of that name. */
function isRecursive([first, second]: readonly Step[]): boolean {
  return wordOf(first?.node) === 'RECURSIVE' && isName(second?.node) && wordOf(second?.node) !== 'AS';
}

/** Splits nodes at the commas between them. */
export function splitItems(steps: readonly Step[]): readonly (readonly Node[])[] {
  const items: Node[][] = [[]];
  for (const { node, role } of steps) {
    if (role === 'comma') items.push([]);
    else items.at(-1)?.push(node);
  }
  return items;
}

/** Reads `name [(columns)] AS [MATERIALIZED] (query)`. */
function readQuery(item: readonly Node[]): readonly WithQuery[] {
  const [name] = item;
  const group = item.at(-1);
  if (name === undefined || !isName(name) || !isQueryGroup(group)) return [];
  const between = item.slice(1, -1).filter((node) => node.kind !== 'group');
  const words = between.map((node) => wordOf(node)).join(' ');
  if (words !== 'AS' && words !== 'AS MATERIALIZED') return [];
  const query = { start: group.start + 1, end: group.end - 1 };
  return [{ name: nameOf(name), query, item: { start: name.start, end: group.end } }];
}

function isQueryGroup(node: Node | undefined): node is GroupNode {
  return node?.kind === 'group' && node.open === '(' && isQuery(node.nodes);
}
