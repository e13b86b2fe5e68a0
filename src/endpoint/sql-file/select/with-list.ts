import { isQuery } from './clauses.js';
import { comparisonsOf } from './comparisons.js';
import { wordOf, type GroupNode, type Node } from './nodes.js';
import { isName, nameOf } from './names.js';
import type { Scan, Step } from './scan.js';
import type { Place, WithQuery } from './select.js';
import { tablesOf } from './tables.js';

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
  const isOfRecursion = isRecursive(list);
  const items = splitItems(isOfRecursion ? list.slice(1) : list);
  const scanOf = (group: GroupNode): Scan | undefined =>
    isOfRecursion ? undefined : list.find(({ node }) => node === group)?.inner;
  const queries = items.map((item) => readQuery(item, scanOf));
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
function readQuery(
  item: readonly Node[],
  scanOf: (group: GroupNode) => Scan | undefined,
): WithQuery | undefined {
  const [name] = item;
  const group = item.at(-1);
  if (name === undefined || !isName(name) || !isQueryGroup(group)) return undefined;
  const between = item.slice(1, -1).filter((node) => node.kind !== 'group');
  const words = between.map((node) => wordOf(node)).join(' ');
  if (words !== 'AS' && words !== 'AS MATERIALIZED') return undefined;
  return {
    name: nameOf(name),
    query: { start: group.start + 1, end: group.end - 1 },
    item: { start: name.start, end: group.end },
    ...rowsOf(scanOf(group), between.length < item.length - 2),
  };
}

/** @param renames whether the item lists columns of its own. */
function rowsOf(scan: Scan | undefined, renames: boolean): Pick<WithQuery, 'tables' | 'comparisons'> {
  const read = scan && tablesOf(scan);
  const isOfOneTable = read?.selects === 1 && read.tables.length === 1 && !renames;
  return {
    tables: read?.tables,
    comparisons: scan && isOfOneTable && isSelect(scan) ? comparisonsOf(scan) : undefined,
  };
}

/** A query with a WITH list of its own can give its names another meaning. */
const isSelect = ({ steps: [first] }: Scan): boolean => wordOf(first?.node) === 'SELECT';

function isQueryGroup(node: Node | undefined): node is GroupNode {
  return node?.kind === 'group' && node.open === '(' && isQuery(node.nodes);
}
