import { MEMBERSHIP, NO_TABLE } from '../facts/facts.js';
import { Rejection } from '../facts/rejection.js';
import { itemsOf, TABLE_SECTIONS, type TreeNode } from '../facts/tree.js';
import { isAllowedFunction, TYPE_NAME_FUNCTIONS } from './functions.js';

/** Names that a caller's SQL may or must not use. */
export interface Names {
  /** The endpoint's named parts, including `result`. */
  readonly parts: ReadonlySet<string>;
  /** Named parts that this caller may not read, with the reason. */
  readonly withheld?: ReadonlyMap<string, string>;
  /** Tables of the database. A WITH query must not have the name of one. */
  readonly tables: ReadonlySet<string>;
  /** Tables that the caller can read, for a message. Absent: the parts, and earlier queries of the WITH. */
  readonly readable?: string;
  /** Whether the text contains {@link NO_TABLE}. It may be in a FROM, so a tree without a FROM, which looks the same, is then rejected. */
  readonly isNoTableNamed: boolean;
}

/** Size of a query after its WITH queries are expanded in place. */
interface Cost {
  readonly nodes: number;
  /** Number of times that named parts run. */
  readonly reads: number;
}

/** Limits on the size of a query, and functions that it may call besides those that only compute. */
export interface Bounds {
  /** Maximum number of times that one SELECT may run named parts. */
  readonly reads: number;
  /** Maximum number of nodes in the tree after its WITH queries are expanded. */
  readonly nodes: number;
  /** Additional functions, in lower case. */
  readonly functions: ReadonlySet<string>;
  /** Allowed table functions, in lower case. Their arguments must be constants. */
  readonly tableFunctions: ReadonlySet<string>;
}

const OF_CALLERS: Bounds = { reads: 24, nodes: 20_000, functions: new Set(), tableFunctions: new Set() };

/** Kinds of node that may stand where a table is read. */
const TABLES: ReadonlySet<string> = new Set([
  'QUERY',
  'UNION',
  'IDENTIFIER',
  'JOIN',
  'CROSS JOIN',
  'ARRAY_JOIN',
  'TABLE_FUNCTION',
]);

/** WITH queries that are visible at a place, by name. */
type Scope = ReadonlyMap<string, Cost>;

/**
 * Checks the tree of `SELECT * FROM (caller's SELECT)`.
 *
 * @returns the named parts that the SELECT reads.
 * @throws Rejection when the SELECT reads anything else, calls a function that is not allowed, or is too large.
 */
export function checkTree(root: TreeNode, names: Names, bounds = OF_CALLERS): ReadonlySet<string> {
  const checker = new TreeChecker(names, bounds);
  checker.checkSize(checker.walk(root, new Map(), false));
  return checker.reads;
}

class TreeChecker {
  readonly reads = new Set<string>();
  /** Text of every WITH query, by name. The tree repeats the WITH of a UNION in each branch, so the same name may occur again. */
  private readonly withQueryTextByName = new Map<string, string>();

  constructor(
    private readonly names: Names,
    private readonly bounds: Bounds,
  ) {}

  walk(node: TreeNode, scope: Scope, isTable: boolean): Cost {
    if (isTable && !TABLES.has(node.kind)) throw new Rejection('reads from an unsupported source');
    switch (node.kind) {
      case 'QUERY':
        return this.walkQuery(node, scope);
      case 'TABLE_FUNCTION':
        return this.walkTableFunction(node, scope);
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
    if (nodes > this.bounds.nodes)
      throw new Rejection('is too large once its WITH queries are expanded; simplify it');
    if (reads > this.bounds.reads)
      throw new Rejection(`reads the endpoint ${reads} times; at most ${this.bounds.reads} are allowed`);
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
    for (const item of itemsOf(node, 'WITH')) {
      const name = item.attributes.get('cte_name');
      // A name is visible from here on, but not in its own query. There ClickHouse would take the name for a table.
      const itemCost = this.walk(item, scope, false);
      if (name === undefined) cost = this.add(cost, itemCost);
      else {
        this.checkName(name, item);
        scope.set(name, itemCost);
      }
    }
    const rest = node.children.filter(
      ({ section, node: child }) =>
        section !== 'WITH' && !(section === 'JOIN TREE' && this.isImplicitTable(child)),
    );
    return this.add(cost, this.walkChildren({ ...node, children: rest }, scope));
  }

  private isImplicitTable({ kind, attributes }: TreeNode): boolean {
    if (this.names.isNoTableNamed || attributes.has('alias')) return false;
    return kind === 'IDENTIFIER' && attributes.get('identifier') === NO_TABLE;
  }

  private checkName(name: string, query: TreeNode): void {
    if (name.includes('.')) {
      // In the tree such a name would look like a table of another database.
      throw new Rejection(`names a WITH query ${quoted(name)}; use only letters, digits and _`);
    }
    const { parts, withheld, tables } = this.names;
    if (parts.has(name) || withheld?.has(name) === true || tables.has(name)) {
      throw new Rejection(
        `must not name a WITH query ${quoted(name)}: a table or a part of the endpoint has this name`,
      );
    }
    const text = print(query);
    if ((this.withQueryTextByName.get(name) ?? text) !== text) {
      throw new Rejection(`defines two different WITH queries ${quoted(name)}; use different names`);
    }
    this.withQueryTextByName.set(name, text);
  }

  private readTable({ attributes }: TreeNode, scope: Scope): Cost {
    const name = attributes.get('identifier') ?? '';
    const own = scope.get(name);
    if (own) return own;
    if (!this.names.parts.has(name)) {
      const parts = [...this.names.parts].toReversed().join(', ');
      const { readable = `${parts}, and earlier queries of its WITH` } = this.names;
      const reason = this.names.withheld?.get(name);
      const because = reason === undefined ? '' : `, which this key may not read, because ${name} ${reason}`;
      throw new Rejection(`reads ${quoted(name)}${because}; it can read only ${readable}`);
    }
    this.reads.add(name);
    return { nodes: 1, reads: 1 };
  }

  private walkFunction(node: TreeNode, scope: Scope): Cost {
    const name = node.attributes.get('function_name') ?? '';
    if (!isAllowedFunction(name) && !this.bounds.functions.has(name.toLowerCase()))
      throw new Rejection(`calls ${quoted(name)}, which is not an allowed function`);
    const args = itemsOf(node, 'ARGUMENTS');
    if (TYPE_NAME_FUNCTIONS.has(name.toLowerCase())) checkType(name, args.at(-1));
    if (!MEMBERSHIP.has(name.toLowerCase())) return this.walkChildren(node, scope);
    const [left, right] = args;
    if (!left || !right || args.length !== 2) throw new Rejection('has an IN without exactly two operands');
    checkSet(right);
    return this.add(this.walk(left, scope, false), this.walk(right, scope, right.kind === 'IDENTIFIER'));
  }

  private walkTableFunction(node: TreeNode, scope: Scope): Cost {
    const name = node.attributes.get('table_function_name') ?? '';
    if (!this.bounds.tableFunctions.has(name.toLowerCase())) throw new Rejection(tableFunctionProblem(name));
    const rows = itemsOf(node, 'ARGUMENTS');
    if (!rows.every(isConstant))
      throw new Rejection(`has ${quoted(name)} with more than constants; use SELECT … UNION ALL SELECT …`);
    // A text as first argument, also in a parameter, declares columns: even ALIAS columns, whose expressions run but are in no tree.
    if (name !== STANDARD_VALUES && !isRow(rows[0]))
      throw new Rejection(
        `has ${quoted(name)} with other than rows in brackets, such as values((1, 'a'), (2, 'b'))`,
      );
    return this.walkChildren(node, scope);
  }

  private walkLambda(node: TreeNode, scope: Scope): Cost {
    // ClickHouse would also apply a named lambda to the endpoint's own query: it would replace the function of that name in the filters.
    if (node.attributes.has('alias'))
      throw new Rejection('names a lambda; write the lambda where it is called');
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

/** Rejects any right side of IN that could be a table under another name. */
function checkSet({ kind, attributes }: TreeNode): void {
  if (['CONSTANT', 'QUERY', 'UNION', 'IDENTIFIER'].includes(kind)) return;
  const name = attributes.get('function_name')?.toLowerCase();
  if (name === 'tuple' || name === 'array') return;
  throw new Rejection(
    'has an IN whose right side is not a list, a subquery or a name; use has() for an array',
  );
}

/** Requires a literal type name that is not the internal state of an aggregate function. */
function checkType(name: string, type: TreeNode | undefined): void {
  const text = type?.kind === 'CONSTANT' ? type.attributes.get('constant_value') : undefined;
  if (!text?.startsWith("'")) throw new Rejection(`calls ${quoted(name)} without a type name in quotes`);
  if (/aggregate|\\/i.test(text.replaceAll("\\'", ''))) {
    throw new Rejection(`calls ${quoted(name)} with a type that is not allowed here`);
  }
}

/** Table function into which ClickHouse turns `(VALUES …)`. */
const STANDARD_VALUES = 'SQLStandardValues';

/** Whether a node is a literal, or a tuple or an array of literals. */
const isConstant = (node: TreeNode): boolean =>
  node.kind === 'CONSTANT' || (isRow(node) && itemsOf(node, 'ARGUMENTS').every(isConstant));

const isRow = (node: TreeNode | undefined): boolean =>
  /^(?:tuple|array)$/.test(node?.attributes.get('function_name') ?? '') ||
  /^(?:Tuple|Array)_/.test(node?.attributes.get('constant_value') ?? '');

function tableFunctionProblem(name: string): string {
  if (name === 'viewExplain') return 'must be a SELECT, not EXPLAIN';
  if (name === STANDARD_VALUES) return 'must not read VALUES; use SELECT … UNION ALL SELECT …';
  return `reads the table function ${quoted(name)}; it can read only the endpoint’s result and named parts`;
}

/** Quotes and truncates a name from the caller's SQL. */
const quoted = (name: string): string => `“${name.slice(0, 80)}”`;

function print({ kind, attributes, children }: TreeNode): string {
  return JSON.stringify([kind, [...attributes], children.map(({ section, node }) => [section, print(node)])]);
}
