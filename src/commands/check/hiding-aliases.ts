import { attribute } from '../../gateway/facts/facts.js';
import { itemsOf, TABLE_SECTIONS, type TreeNode } from '../../gateway/facts/tree.js';

/** An alias that a clause of its SELECT uses, where a column of that name may be meant: ClickHouse takes the alias. */
export interface HidingAlias {
  readonly name: string;
  /** The clauses in which the alias replaces the column. */
  readonly clauses: readonly string[];
  /** What it is, as a message shows it. */
  readonly expression: string;
  /** Whether the expression itself uses the name, which there is that of the column. */
  readonly isOfColumn: boolean;
  readonly sources: readonly Source[];
}

/** What a SELECT reads columns from. */
export interface Source {
  /** Name that qualifies the columns; empty without a name. */
  readonly name: string;
  readonly columns: ReadonlySet<string>;
  /** Tables whose columns are all included. */
  readonly tables: readonly string[];
}

type Queries = ReadonlyMap<string, TreeNode>;

/** The aliases in the original query that may hide a column. @param ofWith its WITH queries, by name */
export function hidingAliases(node: TreeNode, ofWith: Queries = new Map()): readonly HidingAlias[] {
  if (PREFERS_COLUMNS.test(node.lines.get('SETTINGS')?.join() ?? '')) return [];
  const inside = node.kind === 'QUERY' ? withQueriesOf(node, ofWith) : ofWith;
  const below = node.children.flatMap((child) => hidingAliases(child.node, inside));
  return node.kind === 'QUERY' ? [...aliasesOfSelect(node, inside), ...below] : below;
}

const PREFERS_COLUMNS = /\bprefer_column_name_to_alias=(?:1|true)\b/;

function withQueriesOf(query: TreeNode, outer: Queries): Queries {
  const named = itemsOf(query, 'WITH').map((item) => [attribute(item, 'cte_name'), item] as const);
  return new Map([...outer, ...named.filter(([name]) => name !== '')]);
}

function aliasesOfSelect(query: TreeNode, ofWith: Queries): readonly HidingAlias[] {
  const clauses = clausesOf(query).map(([clause, nodes]) => [clause, namesIn(nodes)] as const);
  return aliasesIn(query).flatMap(([name, node]): readonly HidingAlias[] => {
    const users = clauses.flatMap(([clause, names]) => (names.has(name) ? clause : []));
    if (users.length === 0 || isColumn(node, name)) return [];
    const isOfColumn = namesIn([node]).has(name);
    return [
      {
        ...{ name, isOfColumn, clauses: [...new Set(users)] },
        expression: shown(node),
        sources: sourcesOf(query, ofWith),
      },
    ];
  });
}

/**
 * The clauses that determine which rows a SELECT has, and from what. They exclude a key of GROUP BY that is only the alias, because
 * that is the shown column of the result, and ORDER BY and HAVING, which refer to the result.
 */
function clausesOf(query: TreeNode): readonly (readonly [clause: string, nodes: readonly TreeNode[]])[] {
  const condition = (section: string): readonly TreeNode[] =>
    query.children.flatMap((child) => (child.section === section ? child.node : []));
  const keys = itemsOf(query, 'GROUP BY').flatMap((key) =>
    key.kind === 'LIST' ? key.children.map(({ node }) => node) : key,
  );
  return [
    ['PREWHERE', condition('PREWHERE')],
    ['WHERE', condition('WHERE')],
    ['ON', condition('JOIN TREE').flatMap(conditionsOfJoins)],
    ['GROUP BY', keys.filter(({ kind }) => kind !== 'IDENTIFIER')],
  ];
}

/** A list of names, as USING has it, is of columns. */
const conditionsOfJoins = ({ children }: TreeNode): readonly TreeNode[] =>
  children.flatMap(({ section, node }) => {
    if (TABLE_SECTIONS.has(section)) return conditionsOfJoins(node);
    return section === 'JOIN EXPRESSION' && node.kind !== 'LIST' ? node : [];
  });

/** What has a name in a SELECT, wherever in its expressions that is. */
function aliasesIn(query: TreeNode): readonly (readonly [name: string, node: TreeNode])[] {
  const items = [...itemsOf(query, 'WITH'), ...itemsOf(query, 'PROJECTION')];
  return items.flatMap((item) =>
    [...ownNodes(item)].flatMap((node) => {
      const replaced = [...node.lines.values()].flat().flatMap((line) => REPLACED.exec(line)?.[1] ?? []);
      const replacing = node.children.map(({ node: by }, index) => [replaced[index] ?? '', by] as const);
      return [[attribute(node, 'alias'), node] as const, ...replacing].filter(([name]) => name !== '');
    }),
  );
}

/** A column of `* REPLACE (…)`. */
const REPLACED = /^ *REPLACEMENT NAME (.+) EXPRESSION$/;

/** The nodes of an expression that belong to its SELECT, without the nodes of subqueries. */
function* ownNodes(node: TreeNode): Generator<TreeNode> {
  yield node;
  if (node.kind === 'QUERY' || node.kind === 'UNION') return;
  for (const child of node.children) yield* ownNodes(child.node);
}

/** The names that expressions use. Arguments of lambdas, which hide all others, do not count. */
function namesIn(nodes: readonly TreeNode[]): ReadonlySet<string> {
  const all = nodes.flatMap((node) => [...ownNodes(node)]);
  const ofLambdas = all.filter(({ kind }) => kind === 'LAMBDA').flatMap((each) => itemsOf(each, 'ARGUMENTS'));
  const names = new Set(all.map((node) => attribute(node, 'identifier')));
  for (const argument of ofLambdas) names.delete(attribute(argument, 'identifier'));
  return names;
}

function isColumn(node: TreeNode, name: string): boolean {
  const column = attribute(node, 'identifier');
  return column === name || column.endsWith(`.${name}`);
}

const shown = (node: TreeNode): string => {
  const called = attribute(node, 'function_name');
  return called === '' ? attribute(node, 'identifier') || 'another expression' : `${called}(…)`;
};

function sourcesOf(query: TreeNode, ofWith: Queries): readonly Source[] {
  return query.children.flatMap(({ section, node }) =>
    section === 'JOIN TREE' ? sourcesIn(node, ofWith) : [],
  );
}

function sourcesIn(node: TreeNode, ofWith: Queries): readonly Source[] {
  const table = attribute(node, 'identifier');
  const name = attribute(node, 'alias') || (table.split('.').at(-1) ?? '');
  const named = ofWith.get(table);
  if (named)
    return [{ name, ...columnsOf(named, new Map([...ofWith].filter(([other]) => other !== table))) }];
  if (node.kind === 'TABLE_FUNCTION') return [{ name, columns: new Set(), tables: [] }];
  if (node.kind === 'IDENTIFIER') return [{ name, columns: new Set(), tables: [table] }];
  if (node.kind === 'QUERY' || node.kind === 'UNION') return [{ name, ...columnsOf(node, ofWith) }];
  return node.children.flatMap((child) =>
    TABLE_SECTIONS.has(child.section) ? sourcesIn(child.node, ofWith) : [],
  );
}

function columnsOf(node: TreeNode, outer: Queries): Omit<Source, 'name'> {
  const [first] = itemsOf(node, 'QUERIES');
  if (first) return columnsOf(first, outer);
  const ofWith = withQueriesOf(node, outer);
  const items = itemsOf(node, 'PROJECTION');
  const names = items.map(
    (item) => attribute(item, 'alias') || attribute(item, 'identifier').split('.').at(-1),
  );
  // What a matcher with EXCEPT or REPLACE leaves is not known.
  const hasAll = items.some(({ kind, children }) => kind === 'MATCHER' && children.length === 0);
  const passed = hasAll ? sourcesOf(node, ofWith) : [];
  return {
    columns: new Set([
      ...names.filter((name) => name !== undefined),
      ...passed.flatMap(({ columns }) => [...columns]),
    ]),
    tables: passed.flatMap(({ tables }) => tables),
  };
}
