import { unquote } from '../../endpoint/quote-sql.js';
import { itemsOf, TABLE_SECTIONS, type TreeNode } from './tree.js';

/** Names in a query, from ClickHouse's tree. */
interface NamesInQuery<Names> {
  /** Names of tables that the query reads and that no WITH query defines. */
  readonly tables: Names;
  /** Names that mean a table only if such a table exists: the right side of IN, and names of WITH queries in their own query. */
  readonly possibleTables: Names;
  /** Names of tables followed by FINAL or SAMPLE, which ClickHouse prints as if they were part of the name. */
  readonly printedTables: Names;
  /** WITH queries that the query reads. */
  readonly withQueries: Names;
  readonly dictionaries: Names;
  readonly functions: Names;
  /** Names of columns, and everything else that stands where a name can. */
  readonly names: Names;
}

/** What a query reads and calls, from ClickHouse's tree. */
export interface Facts extends NamesInQuery<ReadonlySet<string>> {
  readonly tableFunctions: readonly TableFunction[];
  readonly comparisons: readonly Equality[];
  /** Names of the parameters, one for each place; `parametersInIn` has those that are the right side of IN. */
  readonly parameters: readonly string[];
  readonly parametersInIn: readonly string[];
  readonly hasSettings: boolean;
  /** Clauses and functions by which other rows decide whether a row is in the result, or what it contains. */
  readonly dependsOnOtherRows: ReadonlySet<string>;
  /** Facts of each WITH query, and of each expression that a WITH names, at any depth. */
  readonly named: ReadonlyMap<string, Facts>;
}

export interface TableFunction {
  readonly name: string;
  /** Arguments. Undefined for one that is neither a text nor a name. */
  readonly texts: readonly (string | undefined)[];
}

/** A comparison `column = @parameter`. */
export interface Equality {
  readonly column: string;
  readonly parameter: string;
}

/** Function that replaces the value of a parameter in a text for parsing: `querygate_parameter('name')`. */
export const PARAMETER = 'querygate_parameter';

/** Table that ClickHouse reads where a SELECT has no FROM. It has one row, with a zero. */
export const NO_TABLE = 'system.one';

/** Functions whose second argument may be the name of a table. */
export const MEMBERSHIP: ReadonlySet<string> = new Set(
  'in notin nullin notnullin globalin globalnotin globalnullin globalnotnullin'.split(' '),
);

/** Reads the facts from trees of one query, before or after names are resolved. A fact of any tree counts. */
export function factsOf(...trees: readonly TreeNode[]): Facts {
  const reader = new FactsReader();
  for (const tree of trees) reader.read(tree, { ofWith: new Set(), possiblyOfWith: new Set() }, false);
  return reader.facts;
}

/** Attribute of a node. Empty where the node does not have it. */
export const attribute = ({ attributes }: TreeNode, name: string): string => attributes.get(name) ?? '';

export function* nodesIn(node: TreeNode): Generator<TreeNode> {
  yield node;
  for (const child of node.children) yield* nodesIn(child.node);
}

/** Names of WITH items that are visible at a place. */
interface Scope {
  readonly ofWith: ReadonlySet<string>;
  /** Names of WITH items that are used in their own query or an earlier one. ClickHouse may take them for tables. */
  readonly possiblyOfWith: ReadonlySet<string>;
}

class FoundFacts implements Facts {
  readonly tables = new Set<string>();
  readonly possibleTables = new Set<string>();
  readonly printedTables = new Set<string>();
  readonly withQueries = new Set<string>();
  readonly dictionaries = new Set<string>();
  readonly functions = new Set<string>();
  readonly names = new Set<string>();
  readonly tableFunctions: TableFunction[] = [];
  readonly comparisons: Equality[] = [];
  readonly parameters: string[] = [];
  readonly parametersInIn: string[] = [];
  readonly named = new Map<string, FoundFacts>();
  readonly dependsOnOtherRows = new Set<string>();
  hasSettings = false;
}

class FactsReader {
  readonly facts = new FoundFacts();
  /** Facts of the query, and of each WITH item around the current place. */
  private open: readonly FoundFacts[] = [this.facts];

  read(node: TreeNode, scope: Scope, isTable: boolean): void {
    const { kind } = node;
    for (const facts of this.open)
      for (const found of dependsOnOtherRows(node)) facts.dependsOnOtherRows.add(found);
    this.add('names', attribute(node, 'column_name'), attribute(node, 'identifier'));
    if (isTable || kind === 'TABLE') this.add('printedTables', attribute(node, 'printed'));
    if (OF_QUERIES.has(kind)) {
      this.readQuery(node, scope);
      return;
    }
    if (kind === 'TABLE') this.add('tables', attribute(node, 'table_name'));
    if (kind === 'IDENTIFIER' && isTable) this.readTable(attribute(node, 'identifier'), scope);
    if (kind === 'FUNCTION') this.readFunction(node, scope);
    for (const facts of this.open) facts.parameters.push(...parameterIn(node));
    if (kind === 'TABLE_FUNCTION') this.readTableFunction(node);
    this.readChildren(node.children, scope);
  }

  private add(kind: keyof NamesInQuery<unknown>, ...names: readonly string[]): void {
    for (const facts of this.open) for (const name of names) if (name !== '') facts[kind].add(name);
  }

  private readChildren(children: TreeNode['children'], scope: Scope): void {
    for (const { section, node } of children) this.read(node, scope, TABLE_SECTIONS.has(section));
  }

  private readQuery(query: TreeNode, outer: Scope): void {
    if (query.lines.has('SETTINGS')) for (const facts of this.open) facts.hasSettings = true;
    const items = itemsOf(query, 'WITH').map((item) => [item, namesOf(item)] as const);
    const possiblyOfWith = new Set([...outer.possiblyOfWith, ...items.flatMap(([, names]) => names)]);
    const ofWith = new Set(outer.ofWith);
    for (const [item, names] of items) {
      this.readNamed(item, names, { ofWith: new Set(ofWith), possiblyOfWith });
      if (attribute(item, 'cte_name') !== '') ofWith.add(attribute(item, 'cte_name'));
    }
    const rest = query.children.filter(({ section }) => section !== 'WITH');
    this.readChildren(rest, { ofWith, possiblyOfWith });
  }

  private readNamed(item: TreeNode, names: readonly string[], scope: Scope): void {
    const around = this.open;
    const own = names.map((name) => {
      const facts = this.facts.named.get(name) ?? new FoundFacts();
      this.facts.named.set(name, facts);
      return facts;
    });
    this.open = [...around, ...own];
    this.read(item, scope, false);
    this.open = around;
  }

  private readTable(name: string, { ofWith, possiblyOfWith }: Scope): void {
    if (name === NO_TABLE) return;
    if (ofWith.has(name)) this.add('withQueries', name);
    else this.add(possiblyOfWith.has(name) ? 'possibleTables' : 'tables', name);
  }

  private readFunction(node: TreeNode, { ofWith }: Scope): void {
    const name = attribute(node, 'function_name');
    this.add('functions', name);
    const [first, second] = itemsOf(node, 'ARGUMENTS');
    if (first && second && name === 'equals') this.readComparison(first, second);
    if (first && /^dict[A-Z]/.test(name)) this.add('dictionaries', writtenName(first));
    if (first && name.startsWith('joinGet')) this.add('tables', writtenName(first));
    if (!second || !MEMBERSHIP.has(name.toLowerCase())) return;
    for (const facts of this.open) facts.parametersInIn.push(...parameterIn(second));
    this.add('printedTables', attribute(second, 'printed'));
    const set = attribute(second, 'identifier');
    this.add(ofWith.has(set) ? 'withQueries' : 'possibleTables', set);
  }

  private readComparison(...sides: readonly TreeNode[]): void {
    const column = sides.map((side) => attribute(side, 'identifier').split('.').at(-1)).find(Boolean);
    const [parameter] = sides.flatMap(parameterIn);
    if (column === undefined || parameter === undefined) return;
    for (const { comparisons } of this.open) comparisons.push({ column, parameter });
  }

  private readTableFunction(node: TreeNode): void {
    const called = {
      name: attribute(node, 'table_function_name'),
      texts: itemsOf(node, 'ARGUMENTS').map((argument) => constantText(argument) ?? nameIn(argument)),
    };
    for (const { tableFunctions } of this.open) tableFunctions.push(called);
  }
}

/** Names that a WITH item defines: the name of a WITH query, or every alias in an expression. */
function namesOf(item: TreeNode): readonly string[] {
  const name = attribute(item, 'cte_name');
  if (name !== '') return [name];
  return [
    attribute(item, 'alias'),
    ...(OF_QUERIES.has(item.kind) ? [] : item.children.flatMap(({ node }) => namesOf(node))),
  ].filter((alias) => alias !== '');
}

/** Functions whose value depends on the rows before. */
const OF_BLOCKS =
  /^(?:rowNumberIn(?:All)?Blocks?|blockNumber|blockSize|runningDifference\w*|runningAccumulate|runningConcurrency|neighbor)$/i;

const CLAUSES_OF_OTHER_ROWS: readonly (readonly [RegExp, string])[] = [
  [/^(?:LIMIT|OFFSET)/, 'LIMIT or OFFSET'],
  [/^WINDOW$/, 'a window'],
];

/** Constructs of a node that make rows depend on each other, except groups, joins and set operations. @param without clause to ignore */
export function dependsOnOtherRows(node: TreeNode, without = ''): readonly string[] {
  const called = attribute(node, 'function_name');
  const clauses = node.children.map(({ section }) => section).filter((section) => section !== without);
  return [
    ...(attribute(node, 'with_fill') === '1' ? ['WITH FILL'] : []),
    ...(OF_BLOCKS.test(called) ? [`${called}()`] : []),
    ...CLAUSES_OF_OTHER_ROWS.flatMap(([clause, name]) =>
      clauses.some((one) => clause.test(one)) ? name : [],
    ),
  ];
}

const OF_QUERIES: ReadonlySet<string> = new Set(['QUERY', 'UNION']);

/** Name of the parameter whose value the node is. Empty for any other node. */
const parameterIn = (node: TreeNode): readonly string[] =>
  attribute(node, 'function_name') === PARAMETER
    ? itemsOf(node, 'ARGUMENTS').flatMap((name) => constantText(name) ?? [])
    : [];

const nameIn = ({ attributes }: TreeNode): string | undefined => attributes.get('identifier');

const writtenName = (argument: TreeNode): string =>
  constantText(argument) ?? attribute(argument, 'identifier');

function constantText(node: TreeNode): string | undefined {
  const [literal] = /^'(?:[^'\\]|\\.)*'/.exec(attribute(node, 'constant_value')) ?? [];
  return literal === undefined ? undefined : unquote(literal);
}
