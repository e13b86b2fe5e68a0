import { itemsOf, type TreeNode } from '../sandbox/tree.js';

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

export type RangeEnd = 'from' | 'to';

/** How often `identity` is around the value of an end, by which the tree shows where it is compared. */
const MARKS = { from: 2, to: 3 } as const satisfies Readonly<Record<RangeEnd, number>>;

const COMPARISONS: Readonly<Record<RangeEnd, readonly string[]>> = {
  from: ['greater', 'greaterOrEquals'],
  to: ['less', 'lessOrEquals'],
};

/** The query in which the ends of the range are marked. @param names of the parameters */
export function withMarks(text: string, names: Readonly<Record<RangeEnd, string>>): string {
  const marked = (of: string, end: RangeEnd): string =>
    of.replaceAll(
      new RegExp(String.raw`\{${names[end]}:[^}]*\}`, 'g'),
      (value) => 'identity('.repeat(MARKS[end]) + value + ')'.repeat(MARKS[end]),
    );
  return marked(marked(text, 'from'), 'to');
}

/**
 * Why the rows of a query are not those of the partitions of a table, one after another, given that the buckets of any two partitions
 * differ; undefined where they are.
 *
 * Then a bucket has rows of one partition only. A query that filters and computes row by row, and then groups at most once, by something
 * of which the bucket is computed, and returns every group, has no group with rows of two partitions, because the two would have one
 * bucket.
 *
 * @param tree of `EXPLAIN QUERY TREE run_passes = 1`, {@link withMarks}
 */
export function problemOfPiecesIn(tree: TreeNode, pieces: PiecesInTree): string | undefined {
  const { table, bucket } = pieces;
  const nodes = [...nodesIn(tree)];
  const [scan, ...others] = nodes.filter((node) => isTable(node, table));
  if (!scan || others.length > 0) return `it reads ${table} more than once`;
  if (nodes.some((node) => attribute(node, 'function_type') === 'window')) return 'it has a window';
  if (nodes.some((node) => OF_A_QUERY.has(attribute(node, 'column_name'))))
    return 'it reads a column that depends on which parts a query reads';
  const levels = levelsOf(tree, table);
  if (typeof levels === 'string') return levels;
  const queries = new Map(levels.map((query) => [query.id, query]));
  const ofBucket = projected(tree, bucket);
  if (!ofBucket || !isOfKeys(ofBucket, queries)) return `the column ${bucket} is not computed of single rows`;
  return (
    problemOfGroups(levels, nodes) ??
    problemOfRange(levels, pieces, scan) ??
    problemOfOrder(tree, ofBucket, pieces)
  );
}

const attribute = ({ attributes }: TreeNode, name: string): string => attributes.get(name) ?? '';

const isTable = (node: TreeNode, table: string): boolean =>
  node.kind === 'TABLE' && attribute(node, 'table_name') === table;

/** Columns of MergeTree tables whose value depends on the other parts of a query. */
const OF_A_QUERY: ReadonlySet<string> = new Set(['_part_index', '_part_starting_offset', '_sample_factor']);

function* nodesIn(node: TreeNode): Generator<TreeNode> {
  yield node;
  for (const child of node.children) yield* nodesIn(child.node);
}

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
function problemOfRange(
  levels: readonly TreeNode[],
  { table, time, ends }: PiecesInTree,
  scan: TreeNode,
): string | undefined {
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
      markOf(value) === MARKS[end]
    );
  };
  return ends.every((end) => terms.some((term) => isBound(term, end)))
    ? undefined
    : `its WHERE does not compare ${time} of ${table} itself with both ends of the range, in terms of their own; a column of the result that has the name ${time} hides it`;
}

/** The terms of a condition. */
function termsOf(condition: TreeNode | undefined): readonly TreeNode[] {
  if (!condition) return [];
  if (attribute(condition, 'function_name') !== 'and') return [condition];
  return itemsOf(condition, 'ARGUMENTS').flatMap(termsOf);
}

/** How often `identity` is in an expression. */
const markOf = (node: TreeNode): number =>
  [...nodesIn(node)].filter((inner) => attribute(inner, 'function_name') === 'identity').length;

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
  const places = (query.lines.get('PROJECTION COLUMNS') ?? []).flatMap((line, index) =>
    line.startsWith(`${name} `) && /^[A-Z]\w*(?:\(.*\))?$/s.test(line.slice(name.length + 1)) ? [index] : [],
  );
  return places.length === 1 ? itemsOf(query, 'PROJECTION')[places[0] ?? 0] : undefined;
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
