import { isAllowedFunction, MEMBERSHIP, TAKE_A_TYPE } from './functions.js';
import { Rejection } from './rejection.js';
import type { TreeNode } from './tree.js';

/** What a caller's SQL may name. */
export interface Names {
  /** The endpoint's named parts, `result` among them. */
  readonly parts: ReadonlySet<string>;
  /** Tables of the database: names that the caller must not give to a query of its own. */
  readonly tables: ReadonlySet<string>;
  /** Whether a FROM of the text names {@link NO_TABLE}, which the tree does not tell from no FROM at all. */
  readonly isNoTableNamed: boolean;
}

/** How much a query comes to where the ones that it names in WITH stand in their places. */
interface Cost {
  readonly nodes: number;
  /** How often a named part is run. */
  readonly reads: number;
}

/** Most times that one SELECT may run a named part. */
const MAX_READS = 24;
const MAX_EXPANDED_NODES = 20_000;

/** What ClickHouse reads where there is no FROM: one row with a zero. */
export const NO_TABLE = 'system.one';

/** Sections whose direct children are tables. */
const TABLE_SECTIONS: ReadonlySet<string> = new Set([
  'JOIN TREE',
  'TABLE EXPRESSION',
  'LEFT TABLE EXPRESSION',
  'RIGHT TABLE EXPRESSION',
]);

/** Kinds of node that can stand there. */
const TABLES: ReadonlySet<string> = new Set([
  'QUERY',
  'UNION',
  'IDENTIFIER',
  'JOIN',
  'CROSS JOIN',
  'ARRAY_JOIN',
  'TABLE_FUNCTION',
]);

/** Queries of the caller's own that can be named at a place, by their names. */
type Scope = ReadonlyMap<string, Cost>;

/**
 * Walks the tree of `SELECT * FROM (caller's SELECT)`.
 *
 * @returns the parts that it reads.
 * @throws Refusal where it reads anything else, calls a function that is not on the list, or comes to too much.
 */
export function checkTree(root: TreeNode, names: Names): ReadonlySet<string> {
  const judge = new TreeChecker(names);
  judge.checkSize(judge.walk(root, new Map(), false));
  return judge.reads;
}

class TreeChecker {
  readonly reads = new Set<string>();
  /** Every named query of the caller, as text: ClickHouse repeats those of a UNION for each branch. */
  private readonly named = new Map<string, string>();

  constructor(private readonly names: Names) {}

  walk(node: TreeNode, scope: Scope, isTable: boolean): Cost {
    if (isTable && !TABLES.has(node.kind))
      throw new Rejection('reads from something that is not understood here');
    switch (node.kind) {
      case 'QUERY':
        return this.walkQuery(node, scope);
      case 'TABLE_FUNCTION':
        throw new Rejection(tableFunctionProblem(node.attributes.get('table_function_name') ?? ''));
      case 'IDENTIFIER':
        return isTable ? this.readTable(node, scope) : leaf;
      case 'FUNCTION':
        return this.walkFunction(node, scope);
      case 'LAMBDA':
        return this.walkLambda(node, scope);
      case 'MATCHER':
        return this.walkMatcher(node, scope);
      default:
        return this.walkChildren(node, scope);
    }
  }

  checkSize({ nodes, reads }: Cost): void {
    if (nodes > MAX_EXPANDED_NODES) throw new Rejection('comes to too much; make it simpler');
    if (reads > MAX_READS)
      throw new Rejection(`reads the endpoint ${reads} times; at most ${MAX_READS} are allowed`);
  }

  private walkChildren(node: TreeNode, scope: Scope): Cost {
    return node.children.reduce<Cost>((cost, { section, node: child }) => {
      return this.add(cost, this.walk(child, scope, TABLE_SECTIONS.has(section)));
    }, leaf);
  }

  private add(one: Cost, other: Cost): Cost {
    const sum = { nodes: one.nodes + other.nodes, reads: one.reads + other.reads };
    this.checkSize(sum);
    return sum;
  }

  private walkQuery(node: TreeNode, outer: Scope): Cost {
    const scope = new Map(outer);
    let cost = leaf;
    for (const { node: item } of itemsOf(node, 'WITH')) {
      const name = item.attributes.get('cte_name');
      // A name holds from here on, not in its own query: there ClickHouse would take it for a table.
      const itemCost = this.walk(item, scope, false);
      if (name === undefined) cost = this.add(cost, itemCost);
      else {
        this.checkName(name, item);
        scope.set(name, itemCost);
      }
    }
    const rest = node.children.filter(
      ({ section, node: child }) =>
        section !== 'WITH' && !(section === 'JOIN TREE' && this.standsForNoFrom(child)),
    );
    return this.add(cost, this.walkChildren({ ...node, children: rest }, scope));
  }

  private standsForNoFrom({ kind, attributes }: TreeNode): boolean {
    if (this.names.isNoTableNamed || attributes.has('alias')) return false;
    return kind === 'IDENTIFIER' && attributes.get('identifier') === NO_TABLE;
  }

  private checkName(name: string, query: TreeNode): void {
    if (name.includes('.')) {
      // In the tree it would read like a table of some database.
      throw new Rejection(`gives the name ${quoted(name)} to a query of its own; use letters, digits and _`);
    }
    if (this.names.parts.has(name) || this.names.tables.has(name)) {
      throw new Rejection(`must not give the name ${quoted(name)} to a query of its own; that is taken`);
    }
    const text = print(query);
    if ((this.named.get(name) ?? text) !== text) {
      throw new Rejection(`gives the name ${quoted(name)} to two queries; give each a name of its own`);
    }
    this.named.set(name, text);
  }

  private readTable({ attributes }: TreeNode, scope: Scope): Cost {
    const name = attributes.get('identifier') ?? '';
    const own = scope.get(name);
    if (own) return own;
    if (!this.names.parts.has(name)) {
      const known = [...this.names.parts].toReversed().join(', ');
      throw new Rejection(`reads ${quoted(name)}; it can read ${known}, and what its WITH defines before`);
    }
    this.reads.add(name);
    return { nodes: 1, reads: 1 };
  }

  private walkFunction(node: TreeNode, scope: Scope): Cost {
    const name = node.attributes.get('function_name') ?? '';
    if (!isAllowedFunction(name))
      throw new Rejection(`calls ${quoted(name)}, which is not on the list of functions`);
    const args = itemsOf(node, 'ARGUMENTS').map((child) => child.node);
    if (TAKE_A_TYPE.has(name.toLowerCase())) checkType(name, args.at(-1));
    if (!MEMBERSHIP.has(name.toLowerCase())) return this.walkChildren(node, scope);
    const [left, right] = args;
    if (!left || !right || args.length !== 2) throw new Rejection('has an IN without its two sides');
    checkSet(right);
    return this.add(this.walk(left, scope, false), this.walk(right, scope, right.kind === 'IDENTIFIER'));
  }

  private walkLambda(node: TreeNode, scope: Scope): Cost {
    // Under a name, it would stand in for the function of that name in the saved query too: its filters with it.
    if (node.attributes.has('alias'))
      throw new Rejection('gives a lambda a name; write it where it is called');
    return this.walkChildren(node, scope);
  }

  private walkMatcher(node: TreeNode, scope: Scope): Cost {
    if (node.attributes.get('matcher_type') === 'COLUMNS_REGEXP') {
      throw new Rejection('selects columns by a pattern; list them, or use *');
    }
    return this.walkChildren(node, scope);
  }
}

const leaf: Cost = { nodes: 1, reads: 0 };

/** The elements of the list in a section. */
function itemsOf(node: TreeNode, section: string): TreeNode['children'] {
  return node.children
    .filter((child) => child.section === section)
    .flatMap(({ node: list }) => list.children);
}

/** What can stand at the right of IN: what is none of these could be a table under another name. */
function checkSet({ kind, attributes }: TreeNode): void {
  if (['CONSTANT', 'QUERY', 'UNION', 'IDENTIFIER'].includes(kind)) return;
  const name = attributes.get('function_name')?.toLowerCase();
  if (name === 'tuple' || name === 'array') return;
  throw new Rejection(
    'has an IN with something else than a list, a subquery or a name; use has() for an array',
  );
}

/** A type has to stand there as text, so that it can be seen not to be the inner state of an aggregate function. */
function checkType(name: string, type: TreeNode | undefined): void {
  const text = type?.kind === 'CONSTANT' ? type.attributes.get('constant_value') : undefined;
  if (!text?.startsWith("'"))
    throw new Rejection(`calls ${quoted(name)} without the name of a type in quotes`);
  if (/aggregate|\\/i.test(text.replaceAll("\\'", ''))) {
    throw new Rejection(`calls ${quoted(name)} with a type that is not allowed here`);
  }
}

function tableFunctionProblem(name: string): string {
  if (name === 'viewExplain') return 'must be a SELECT, not EXPLAIN';
  if (name === 'SQLStandardValues') return 'must not read VALUES; use SELECT … UNION ALL SELECT …';
  return `reads the table function ${quoted(name)}; only the endpoint’s result and its named parts can be read`;
}

/** A name of the caller's own text, shortened. */
const quoted = (name: string): string => `“${name.slice(0, 80)}”`;

function print({ kind, attributes, children }: TreeNode): string {
  return JSON.stringify([kind, [...attributes], children.map(({ section, node }) => [section, print(node)])]);
}
