import { attribute, nodesIn, dependsOnOtherRows } from '../facts/facts.js';
import { COLUMNS } from '../facts/printed-names.js';
import { itemsOf, type TreeNode } from '../facts/tree.js';
import type { QueryTrees } from './query-tree.js';

/** How the rows of a result should be composed of pieces. */
export interface PiecesInTree {
  /** Table whose partitions are the pieces, as `database.name`. */
  readonly table: string;
  /** Column of the table that the range bounds. */
  readonly time: string;
  /** Column of the result that has the time bucket. */
  readonly bucket: string;
  readonly isDescending: boolean;
  /** Ends of the range that the query has. */
  readonly ends: readonly RangeEnd[];
}

/** How a query whose rows come partition by partition reads the partitions. */
export interface PiecesOfQuery {
  /** Whether the range excludes the time `from` itself. */
  readonly isFromExcluded: boolean;
}

export type RangeEnd = 'from' | 'to';

/** Unusual times for the ends of the range, by which the tree shows where the ends are: as text, and as seconds since 1970. */
const PROBES = {
  from: { text: '1987-06-05 04:03:02.101001', seconds: '549864182.101001' },
  to: { text: '2009-08-07 06:05:04.302002', seconds: '1249625104.302002' },
} as const satisfies Readonly<Record<RangeEnd, unknown>>;

const COMPARISONS: Readonly<Record<RangeEnd, readonly string[]>> = {
  from: ['greater', 'greaterOrEquals'],
  to: ['less', 'lessOrEquals'],
};

/** Sets the parameters of the range to times that {@link piecesInTree} finds. @param names names of these parameters */
export const withProbes = <T extends Readonly<Record<string, unknown>>>(
  parameters: T,
  { from, to }: Readonly<Record<RangeEnd, string>>,
): T => ({ ...parameters, [from]: PROBES.from.text, [to]: PROBES.to.text });

/**
 * How a query reads the partitions of a table, or the reason why its rows do not come partition by partition. The caller guarantees that
 * two partitions never have a bucket in common.
 *
 * The proof: a query filters and computes row by row, then groups at most once, by expressions from which the bucket is computed, and
 * returns every group. A group with rows of two partitions would give both partitions the same bucket, so no such group exists.
 *
 * @param trees trees of a query {@link withProbes}
 */
export function piecesInTree(
  { written, resolved: tree }: QueryTrees,
  pieces: PiecesInTree,
): PiecesOfQuery | string {
  const { table, bucket, ends } = pieces;
  const problemOfAll = problemOfRows([...nodesIn(written)], ends);
  if (problemOfAll !== undefined) return problemOfAll;
  const nodes = [...nodesIn(tree)];
  const [scan, ...others] = nodes.filter((node) => isTable(node, table));
  if (!scan || others.length > 0) return `it reads ${table} more than once`;
  if (nodes.some((node) => OF_A_QUERY.has(attribute(node, 'column_name'))))
    return 'it reads a column that depends on which parts a query reads';
  const levels = levelsOf(tree, table);
  if (typeof levels === 'string') return levels;
  const queries = new Map(levels.map((query) => [query.id, query]));
  const ofBucket = projected(tree, bucket);
  if (!ofBucket || !isOfKeys(ofBucket, queries)) return `the column ${bucket} is not computed of single rows`;
  const range = rangeIn(levels, pieces, scan);
  const problem =
    problemOfGroups(levels, nodes) ??
    (typeof range === 'string' ? range : undefined) ??
    problemOfOrder(tree, ofBucket, pieces);
  return problem ?? range;
}

const isTable = (node: TreeNode, table: string): boolean =>
  node.kind === 'TABLE' && attribute(node, 'table_name') === table;

/** Finds what makes a row depend on rows of other partitions. Reads the tree as written, because ClickHouse then optimized nothing away. */
function problemOfRows(
  [query, ...others]: readonly TreeNode[],
  ends: readonly RangeEnd[],
): string | undefined {
  const nodes = [...(query ? [query] : []), ...others];
  const [found] = nodes.flatMap((node) => problemOfNode(node, node === query) ?? []);
  if (found !== undefined) return `it has ${found}, which needs all rows`;
  const isEnd = (node: TreeNode, end: RangeEnd): boolean =>
    attribute(node, 'constant_value').endsWith(`'${PROBES[end].seconds}'`);
  const end = ends.find((each) => nodes.filter((node) => isEnd(node, each)).length !== 1);
  return end && `it uses the parameter ${end} of its pieces more than once`;
}

/** @param isOutermost whether the node is the outermost query, to which the gateway has added a LIMIT */
function problemOfNode(node: TreeNode, isOutermost: boolean): string | undefined {
  if (node.kind === 'UNION') return 'UNION, INTERSECT or EXCEPT';
  if (node.attributes.has('printed')) return 'FINAL or SAMPLE';
  if (['group_by_type', 'is_group_by_with_totals'].some((key) => node.attributes.has(key)))
    return 'ROLLUP, CUBE, GROUPING SETS or TOTALS';
  return dependsOnOtherRows(node, isOutermost ? 'LIMIT' : '')[0];
}

/** Columns of MergeTree tables whose value depends on the other data parts that the query reads. */
const OF_A_QUERY: ReadonlySet<string> = new Set(['_part_index', '_part_starting_offset', '_sample_factor']);

/** SELECTs from the outermost one down to the one that reads the table. A text says why rows do not simply pass through them. */
function levelsOf(tree: TreeNode, table: string): readonly TreeNode[] | string {
  const levels: TreeNode[] = [];
  for (let node: TreeNode | undefined = tree; node;) {
    if (isTable(node, table)) return levels;
    if (node.kind === 'QUERY') {
      levels.push(node);
      node = childIn(node, 'JOIN TREE');
    } else if (isArrayJoin(node)) {
      node = childIn(node, 'TABLE EXPRESSION');
    } else if (node.kind.includes('JOIN')) {
      const [kind, strictness] = [attribute(node, 'kind'), attribute(node, 'strictness')];
      // ANY joins each row of the right side to one row of the left side only, so a row depends on other rows.
      if (kind !== 'LEFT' && !(kind === 'INNER' && strictness === 'ALL'))
        return `it has a join other than LEFT JOIN and INNER JOIN (${[strictness, kind].join(' ').trim() || 'CROSS'})`;
      node = childIn(node, 'LEFT TABLE EXPRESSION');
    } else break;
  }
  return `it does not read ${table} as the first table of its FROM`;
}

const isArrayJoin = ({ kind }: TreeNode): boolean => /^ARRAY.JOIN$/.test(kind);

const childIn = ({ children }: TreeNode, section: string): TreeNode | undefined =>
  children.find((child) => child.section === section)?.node;

/** Whether a SELECT merges several rows into one. */
function groups(query: TreeNode): boolean {
  return (
    childIn(query, 'GROUP BY') !== undefined ||
    attribute(query, 'is_distinct') === '1' ||
    itemsOf(query, 'PROJECTION').some(aggregates)
  );
}

const aggregates = (node: TreeNode): boolean =>
  [...nodesIn(node)].some((inner) => attribute(inner, 'function_type') === 'aggregate');

/** Rejects filters on groups: a group that a piece leaves out, but the whole does not, would hide a bucket of two partitions. */
function problemOfGroups(levels: readonly TreeNode[], nodes: readonly TreeNode[]): string | undefined {
  const grouping = levels.findIndex(groups);
  if (grouping === -1) return undefined;
  if (levels.filter(groups).length > 1) return 'it groups the rows more than once';
  const above = levels.slice(0, grouping);
  const leavesOut =
    [...above, ...levels.slice(grouping, grouping + 1)].some((query) => childIn(query, 'HAVING')) ||
    above.some((query) => childIn(query, 'WHERE') ?? childIn(query, 'PREWHERE')) ||
    above.some((query) => childIn(query, 'JOIN TREE')?.kind !== 'QUERY') ||
    nodes.some((node) => attribute(node, 'function_name') === 'arrayJoin');
  return leavesOut ? 'it filters or joins the groups: HAVING, WHERE around GROUP BY, arrayJoin' : undefined;
}

/** Finds the bounds of the range. They must decide for each row separately whether the query reads it. */
function rangeIn(
  levels: readonly TreeNode[],
  { table, time, ends }: PiecesInTree,
  scan: TreeNode,
): PiecesOfQuery | string {
  const queries = new Map(levels.map((query) => [query.id, query]));
  const ofRows = levels.slice(Math.max(0, levels.findIndex(groups)));
  const terms = ofRows.flatMap((query) =>
    ['WHERE', 'PREWHERE'].flatMap((section) => termsOf(childIn(query, section))),
  );
  const isBound = (term: TreeNode, end: RangeEnd): boolean => {
    const [column, value] = itemsOf(term, 'ARGUMENTS');
    return (
      COMPARISONS[end].includes(attribute(term, 'function_name')) &&
      column !== undefined &&
      attribute(column, 'column_name') === time &&
      originOf(column, queries)?.id === scan.id &&
      value !== undefined &&
      isParameter(value, end)
    );
  };
  const bounds = ends.map((end) => terms.find((term) => isBound(term, end)));
  if (bounds.includes(undefined))
    return `its WHERE does not compare ${time} of ${table} itself with both ends of the range themselves, as in ${time} >= @from AND ${time} < @to, in terms of their own; a column of the result that has the name ${time} hides it`;
  return { isFromExcluded: bounds.some((term) => term && attribute(term, 'function_name') === 'greater') };
}

/** Terms of a condition that AND connects. */
function termsOf(condition: TreeNode | undefined): readonly TreeNode[] {
  if (!condition) return [];
  if (attribute(condition, 'function_name') !== 'and') return [condition];
  return itemsOf(condition, 'ARGUMENTS').flatMap(termsOf);
}

/** Whether an expression is the plain value of a parameter, which ClickHouse writes into the query as a cast of a constant. */
function isParameter(node: TreeNode, end: RangeEnd): boolean {
  const cast = childIn(node, 'EXPRESSION');
  const [value] = cast ? itemsOf(cast, 'ARGUMENTS') : [];
  return (
    node.kind === 'CONSTANT' &&
    cast !== undefined &&
    attribute(cast, 'function_name') === '_CAST' &&
    value?.children.length === 0 &&
    [node, value].every((one) => attribute(one, 'constant_value').endsWith(`'${PROBES[end].seconds}'`))
  );
}

function problemOfOrder(
  tree: TreeNode,
  ofBucket: TreeNode,
  { bucket, isDescending }: PiecesInTree,
): string | undefined {
  const [first] = itemsOf(tree, 'ORDER BY');
  const direction = isDescending ? 'DESC' : 'ASC';
  const expression = first?.children[0]?.node;
  const isFirst =
    expression !== undefined &&
    first !== undefined &&
    attribute(first, 'sort_direction').startsWith(direction) &&
    shapeOf(expression) === shapeOf(ofBucket);
  return isFirst ? undefined : `its ORDER BY does not begin with ${bucket} ${direction}`;
}

/** Text that is the same for equal expressions. */
const shapeOf = ({ kind, attributes, children }: TreeNode): string =>
  JSON.stringify([
    kind,
    [...attributes].filter(([name]) => name !== 'alias'),
    children.map(({ node }) => shapeOf(node)),
  ]);

/** Expression of a column of a SELECT. Undefined where the column is not unique. */
function projected(query: TreeNode, name: string): TreeNode | undefined {
  const lines = query.lines.get(COLUMNS) ?? [];
  const places = lines.flatMap((line, index) =>
    line.startsWith(`${name} `) && /^[A-Z]\w*(?:\(.*\))?$/s.test(line.slice(name.length + 1)) ? [index] : [],
  );
  const items = itemsOf(query, 'PROJECTION');
  return places.length === 1 && lines.length === items.length ? items[places[0] ?? 0] : undefined;
}

/** Whether an expression is computed from single rows, followed through the SELECTs below. */
function isOfKeys(expression: TreeNode, queries: ReadonlyMap<number, TreeNode>): boolean {
  return [...nodesIn(expression)].every((node) => {
    if (attribute(node, 'function_type') === 'aggregate') return false;
    const below = node.kind === 'COLUMN' ? queries.get(Number(attribute(node, 'source_id'))) : undefined;
    if (!below) return true;
    const source = projected(below, attribute(node, 'column_name'));
    return source !== undefined && isOfKeys(source, queries);
  });
}

/** Table of a column, if the SELECTs in between pass the column on unchanged. */
function originOf(
  column: TreeNode,
  queries: ReadonlyMap<number, TreeNode>,
): { readonly id: number } | undefined {
  if (column.kind !== 'COLUMN') return undefined;
  const source = Number(attribute(column, 'source_id'));
  const below = queries.get(source);
  if (!below) return { id: source };
  const expression = projected(below, attribute(column, 'column_name'));
  return expression && originOf(expression, queries);
}
