import { unquote } from '../../endpoint/quote-sql.js';
import { itemsOf, TABLE_SECTIONS, type TreeNode } from '../facts/tree.js';

/** Functions that read data outside the tables of the tree. `__getScalar` is a scalar subquery that ClickHouse has run. */
const READS_DATA = /^(?:dict[A-Z]|joinGet|__getScalar$)/;
const SET_FUNCTIONS = /^(?:global)?(?:not)?(?:null)?in$/i;
/** Functions that evaluate an argument only for rows that need it. */
const CONDITIONAL: ReadonlySet<string> = new Set(['if', 'multiIf']);
const DIVISIONS = /^(?:divide|divideDecimal|intDiv|modulo|moduloLegacy|positiveModulo|tuple\w+ByNumber)$/;

const nameOf = ({ attributes }: TreeNode): string => attributes.get('function_name') ?? '';

/** Role of a subquery: a table, the second argument of IN, or a value. The analysis of the query runs a subquery that is a value. */
type Role = 'table' | 'set' | 'value';

/** Whether ClickHouse reads rows to analyse this node: those of a scalar subquery, of a dictionary or of a Join table. */
export function readsRows(node: TreeNode, role: Role = 'value'): boolean {
  const { kind, attributes, children } = node;
  const isSubquery = kind === 'QUERY' || kind === 'UNION';
  if (isSubquery && role === 'value' && !attributes.has('is_cte')) return true;
  if (READS_DATA.test(nameOf(node))) return true;
  const roleIn = (section: string, index: number): Role => {
    if (kind === 'LIST') return role === 'set' && index === 0 ? 'value' : role;
    if (SET_FUNCTIONS.test(nameOf(node))) return 'set';
    return TABLE_SECTIONS.has(section) || section === 'QUERIES' ? 'table' : 'value';
  };
  return children.some(({ section, node: child }, index) => readsRows(child, roleIn(section, index)));
}

/** A kind of function that fails for some constants, whatever the rows. */
interface Kind {
  readonly has: (node: TreeNode) => boolean;
  /** Index of the constant among the arguments. */
  readonly decisive: number;
  readonly fails: (value: number) => boolean;
  /** Index of the message among the arguments. Absent where there is no message. */
  readonly message?: number;
}

/** Kinds by the code of ClickHouse's error: FUNCTION_THROW_IF_VALUE_IS_NON_ZERO and ILLEGAL_DIVISION. */
export const FAILING: Readonly<Partial<Record<string, Kind>>> = {
  395: {
    has: (node) => nameOf(node) === 'throwIf',
    decisive: 0,
    fails: (value) => value < 0 || value > 0,
    message: 1,
  },
  153: {
    has: (node) => DIVISIONS.test(nameOf(node)) && !node.attributes.get('result_type')?.includes('Float'),
    decisive: 1,
    fails: (value) => value === 0,
  },
};

/**
 * Messages of the functions that fail through constants, regardless of the rows. The empty text stands for a function without a message.
 * The result is empty where another function, or one without a message of the author, may have failed.
 *
 * @param tree tree of `EXPLAIN QUERY TREE run_passes = 1`.
 * @param literals texts in the query as its author wrote it.
 */
export function failingByValues(
  tree: TreeNode,
  kind: Kind,
  literals: ReadonlySet<string>,
): ReadonlySet<string> {
  const certain = new Set<string>();
  const conditional = new Set<string>();
  const others = new Set<TreeNode>();
  const note = (node: TreeNode, messages: Set<string>): void => {
    const items = itemsOf(node, 'ARGUMENTS');
    const value = constantOf(items[kind.decisive]);
    if (value !== undefined && !kind.fails(Number(/_'?([^']*)'?$/.exec(value)?.[1]))) return;
    const message = kind.message === undefined ? '' : unquote(constantOf(items[kind.message]) ?? '');
    if (value !== undefined && (kind.message === undefined || literals.has(message))) messages.add(message);
    else others.add(node);
  };
  const visit = (node: TreeNode, messages: Set<string>): void => {
    // A constant has only the result of a computation that ClickHouse has already done.
    if (node.kind === 'CONSTANT') return;
    if (kind.has(node)) note(node, messages);
    for (const { node: child } of node.children)
      visit(child, CONDITIONAL.has(nameOf(node)) ? conditional : messages);
  };
  visit(tree, certain);
  return certain.size > 0 || others.size > 0 ? certain : conditional;
}

/** Constant in the form of the tree. Undefined where rows decide the value. */
function constantOf(node: TreeNode | undefined): string | undefined {
  if (node?.kind !== 'CONSTANT' || readsRows(node)) return undefined;
  return node.attributes.get('constant_value');
}
