import { itemsOf, type TreeNode } from '../sandbox/tree.js';

/** What the rows of a result should be composed by. */
export interface PiecesInTree {
  /** As `database.name`. */
  readonly table: string;
  /** Its column that the range bounds. */
  readonly time: string;
  /** The column of the result. */
  readonly bucket: string;
}

const COMPARISONS: ReadonlySet<string> = new Set([...['greater', 'greaterOrEquals', 'less', 'lessOrEquals']]);

/** Joins that return each row of their left side on its own, whatever other rows are there. */
const JOINS: ReadonlySet<string> = new Set(['INNER', 'LEFT', 'CROSS', 'COMMA']);

/**
 * Why the rows of a query are not those of the partitions of a table, one after another, given that the buckets of any two partitions
 * differ; undefined where they are.
 *
 * Then a bucket has rows of one partition only. A query that filters and computes row by row, and groups at most once, by something of
 * which the bucket is computed, has no group with rows of two partitions, because the two would have one bucket.
 *
 * @param tree of `EXPLAIN QUERY TREE run_passes = 1`
 */
export function problemOfPiecesIn(tree: TreeNode, pieces: PiecesInTree): string | undefined {
  const { table, bucket } = pieces;
  const nodes = [...nodesIn(tree)];
  const [scan, ...others] = nodes.filter((node) => isTable(node, table));
  if (!scan || others.length > 0) return `it reads ${table} more than once`;
  if (nodes.some((node) => attribute(node, 'function_type') === 'window')) return 'it has a window';
  const levels = levelsOf(tree, table);
  if (typeof levels === 'string') return levels;
  if (levels.filter(groups).length > 1) return 'it groups the rows more than once';
  const queries = new Map(levels.map((query) => [query.id, query]));
  const ofBucket = projected(tree, bucket);
  if (!ofBucket || !isOfKeys(ofBucket, queries))
    return `the column ${bucket} is computed by an aggregate function`;
  const isOfAnother = nodes.some((node) => {
    const compared = COMPARISONS.has(attribute(node, 'function_name'))
      ? itemsOf(node, 'ARGUMENTS')[0]
      : undefined;
    return (
      compared !== undefined &&
      attribute(compared, 'column_name') === pieces.time &&
      originOf(compared, queries)?.id !== scan.id
    );
  });
  return isOfAnother ? `it compares a column ${pieces.time} that is not the one of ${table}` : undefined;
}

const attribute = ({ attributes }: TreeNode, name: string): string => attributes.get(name) ?? '';

const isTable = (node: TreeNode, table: string): boolean =>
  node.kind === 'TABLE' && attribute(node, 'table_name') === table;

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
    } else if (node.kind.includes('JOIN') && node.kind !== 'ARRAY_JOIN') {
      const kind = node.kind === 'CROSS_JOIN' ? 'CROSS' : attribute(node, 'kind');
      if (!JOINS.has(kind)) return `it has a ${kind} JOIN, which returns rows without a partner`;
      node = childIn(node, 'LEFT TABLE EXPRESSION') ?? node.children[0]?.node;
    } else if (node.kind === 'ARRAY_JOIN') {
      node = childIn(node, 'TABLE EXPRESSION');
    } else break;
  }
  return `it does not read ${table} as the first table of its FROM`;
}

const childIn = ({ children }: TreeNode, section: string): TreeNode | undefined =>
  children.find((child) => child.section === section)?.node;

/** Whether a SELECT has several rows in one. */
function groups(query: TreeNode): boolean {
  return (
    query.children.some(({ section }) => section === 'GROUP BY') ||
    attribute(query, 'is_distinct') === '1' ||
    itemsOf(query, 'PROJECTION').some(aggregates)
  );
}

const aggregates = (node: TreeNode): boolean =>
  [...nodesIn(node)].some((inner) => attribute(inner, 'function_type') === 'aggregate');

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
