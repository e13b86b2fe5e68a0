import { attribute, nodesIn, ofOtherRows } from '../facts/facts.js';
import { COLUMNS } from '../facts/printed-names.js';
import { itemsOf, type TreeNode } from '../facts/tree.js';
import type { QueryTrees } from './query-tree.js';

/** What the rows of a result should be composed by. */
export interface PiecesInTree {
  /** As `database.name`. */
  readonly table: string;
  /** Its column that the range bounds. */
  readonly time: string;
  /** The column of the result. */
  readonly bucket: string;
  readonly isDescending: boolean;
  /** The ends of the range that the query has. */
  readonly ends: readonly RangeEnd[];
}

/** How a query whose rows are those of partitions reads them. */
export interface PiecesOfQuery {
  /** Whether the range begins after `from`, and not with it. */
  readonly isFromExcluded: boolean;
}

export type RangeEnd = 'from' | 'to';

/** Times that a query has as the ends of its range, so that its tree shows where they are: milliseconds, and microseconds of them. */
const PROBES = {
  from: { text: '1987-06-05 04:03:02.101001', seconds: '549864182.101001' },
  to: { text: '2009-08-07 06:05:04.302002', seconds: '1249625104.302002' },
} as const satisfies Readonly<Record<RangeEnd, unknown>>;

const COMPARISONS: Readonly<Record<RangeEnd, readonly string[]>> = {
  from: ['greater', 'greaterOrEquals'],
  to: ['less', 'lessOrEquals'],
};

/** The parameters of a query, with ends of the range that {@link piecesInTree} finds. @param names of the parameters */
export const withProbes = <T extends Readonly<Record<string, unknown>>>(
  parameters: T,
  { from, to }: Readonly<Record<RangeEnd, string>>,
): T => ({ ...parameters, [from]: PROBES.from.text, [to]: PROBES.to.text });

/**
 * How a query reads the partitions of a table, or why its rows are not those of partitions, one after another, given that the buckets
 * of any two partitions differ.
 *
 * Then a bucket has rows of one partition only. A query that filters and computes row by row, and then groups at most once, by something
 * of which the bucket is computed, and returns every group, has no group with rows of two partitions, because the two would have one
 * bucket.
 *
 * @param trees of a query {@link withProbes}
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

/** What makes a row depend on those of other partitions, wherever it is: of a query as it is written, because other values count too. */
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

/** @param isOutermost whether it is the query that the gateway has given a LIMIT */
function problemOfNode(node: TreeNode, isOutermost: boolean): string | undefined {
  if (node.kind === 'UNION') return 'UNION, INTERSECT or EXCEPT';
  if (node.attributes.has('printed')) return 'FINAL or SAMPLE';
  if (['group_by_type', 'is_group_by_with_totals'].some((key) => node.attributes.has(key)))
    return 'ROLLUP, CUBE, GROUPING SETS or TOTALS';
  return ofOtherRows(node, isOutermost ? 'LIMIT' : '')[0];
}

/** Columns of MergeTree tables whose value depends on the other parts of a query. */
const OF_A_QUERY: ReadonlySet<string> = new Set(['_part_index', '_part_starting_offset', '_sample_factor']);

/** The SELECTs from the outermost one to that which reads the table; or why its rows do not simply pass through them. */
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
      // ANY uses each row of the right side once for all rows of the left one.
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

/** Whether a SELECT has several rows in one. */
function groups(query: TreeNode): boolean {
  return (
    childIn(query, 'GROUP BY') !== undefined ||
    attribute(query, 'is_distinct') === '1' ||
    itemsOf(query, 'PROJECTION').some(aggregates)
  );
}

const aggregates = (node: TreeNode): boolean =>
  [...nodesIn(node)].some((inner) => attribute(inner, 'function_type') === 'aggregate');

/** A group that is left out in one piece, and not in the whole, would hide that a bucket has rows of two partitions. */
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

/** The range must decide of each row by itself whether it is read. */
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

/** The terms of a condition. */
function termsOf(condition: TreeNode | undefined): readonly TreeNode[] {
  if (!condition) return [];
  if (attribute(condition, 'function_name') !== 'and') return [condition];
  return itemsOf(condition, 'ARGUMENTS').flatMap(termsOf);
}

/** Whether an expression is the value of a parameter itself, which ClickHouse writes into the query as a cast of a constant. */
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

/** A text that equal expressions have. */
const shapeOf = ({ kind, attributes, children }: TreeNode): string =>
  JSON.stringify([
    kind,
    [...attributes].filter(([name]) => name !== 'alias'),
    children.map(({ node }) => shapeOf(node)),
  ]);

/** The expression of a column of a SELECT. */
function projected(query: TreeNode, name: string): TreeNode | undefined {
  const lines = query.lines.get(COLUMNS) ?? [];
  const places = lines.flatMap((line, index) =>
    line.startsWith(`${name} `) && /^[A-Z]\w*(?:\(.*\))?$/s.test(line.slice(name.length + 1)) ? [index] : [],
  );
  const items = itemsOf(query, 'PROJECTION');
  return places.length === 1 && lines.length === items.length ? items[places[0] ?? 0] : undefined;
}

/** Whether an expression is computed of single rows, through the SELECTs below. */
function isOfKeys(expression: TreeNode, queries: ReadonlyMap<number, TreeNode>): boolean {
  return [...nodesIn(expression)].every((node) => {
    if (attribute(node, 'function_type') === 'aggregate') return false;
    const below = node.kind === 'COLUMN' ? queries.get(Number(attribute(node, 'source_id'))) : undefined;
    if (!below) return true;
    const source = projected(below, attribute(node, 'column_name'));
    return source !== undefined && isOfKeys(source, queries);
  });
}

/** The table of which a column is, where the SELECTs between them pass it on unchanged. */
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
