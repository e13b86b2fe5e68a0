import { unquote } from '../../../endpoint/quote-sql.js';
import { NO_TABLE } from '../../sandbox/check-tree.js';
import { MEMBERSHIP } from '../../sandbox/functions.js';
import { itemsOf, TABLE_SECTIONS, type TreeNode } from '../../sandbox/tree.js';

/** What a query names beside columns and ordinary functions, as it is written. */
export interface Sources {
  readonly tables: ReadonlySet<string>;
  /** Names that are a table only if a table has that name: the right side of IN, and names of WITH in their own query. */
  readonly possibleTables: ReadonlySet<string>;
  readonly dictionaries: ReadonlySet<string>;
  readonly tableFunctions: readonly TableFunction[];
}

export interface TableFunction {
  readonly name: string;
  /** The arguments; undefined for one that is neither a text nor a name. */
  readonly texts: readonly (string | undefined)[];
}

/** Reads the sources of a query from its tree before names are resolved. */
export function sourcesOf(tree: TreeNode): Sources {
  const reader = new SourceReader();
  reader.read(tree, { ofWith: new Set(), possiblyOfWith: new Set() }, false);
  return reader;
}

/** The names of WITH at a place. */
interface Scope {
  readonly ofWith: ReadonlySet<string>;
  /** A name of WITH whose own query, or an earlier one, uses it: ClickHouse may take it for a table. */
  readonly possiblyOfWith: ReadonlySet<string>;
}

class SourceReader implements Sources {
  readonly tables = new Set<string>();
  readonly possibleTables = new Set<string>();
  readonly dictionaries = new Set<string>();
  readonly tableFunctions: TableFunction[] = [];

  read(node: TreeNode, scope: Scope, isTable: boolean): void {
    const { kind } = node;
    if (kind === 'QUERY' || kind === 'UNION') {
      this.readQuery(node, scope);
      return;
    }
    if (kind === 'IDENTIFIER' && isTable) this.readTable(attribute(node, 'identifier'), scope);
    if (kind === 'FUNCTION') this.readFunction(node, scope);
    if (kind === 'TABLE_FUNCTION') this.readTableFunction(node);
    this.readChildren(node.children, scope);
  }

  private readChildren(children: TreeNode['children'], scope: Scope): void {
    for (const { section, node } of children) this.read(node, scope, TABLE_SECTIONS.has(section));
  }

  private readQuery(query: TreeNode, outer: Scope): void {
    const withQueries = itemsOf(query, 'WITH');
    const names = withQueries.map((item) => attribute(item, 'cte_name')).filter((name) => name !== '');
    const possiblyOfWith = new Set([...outer.possiblyOfWith, ...names]);
    const ofWith = new Set(outer.ofWith);
    for (const item of withQueries) {
      this.read(item, { ofWith: new Set(ofWith), possiblyOfWith }, false);
      ofWith.add(attribute(item, 'cte_name'));
    }
    const rest = query.children.filter(({ section }) => section !== 'WITH');
    this.readChildren(rest, { ofWith, possiblyOfWith });
  }

  private readTable(name: string, { ofWith, possiblyOfWith }: Scope): void {
    if (ofWith.has(name) || name === NO_TABLE) return;
    (possiblyOfWith.has(name) ? this.possibleTables : this.tables).add(name);
  }

  private readFunction(node: TreeNode, { ofWith }: Scope): void {
    const name = attribute(node, 'function_name');
    const [first, second] = itemsOf(node, 'ARGUMENTS');
    if (first && /^dict[A-Z]/.test(name)) addName(this.dictionaries, first);
    if (first && name.startsWith('joinGet')) addName(this.tables, first);
    if (second?.kind === 'IDENTIFIER' && MEMBERSHIP.has(name.toLowerCase())) {
      const set = attribute(second, 'identifier');
      if (!ofWith.has(set)) this.possibleTables.add(set);
    }
  }

  private readTableFunction(node: TreeNode): void {
    this.tableFunctions.push({
      name: attribute(node, 'table_function_name'),
      texts: itemsOf(node, 'ARGUMENTS').map((argument) => constantText(argument) ?? nameIn(argument)),
    });
  }
}

/** An attribute of a node; empty where it has none. */
const attribute = ({ attributes }: TreeNode, name: string): string => attributes.get(name) ?? '';

const nameIn = ({ attributes }: TreeNode): string | undefined => attributes.get('identifier');

function addName(names: Set<string>, argument: TreeNode): void {
  const name = constantText(argument) ?? attribute(argument, 'identifier');
  if (name !== '') names.add(name);
}

function constantText(node: TreeNode): string | undefined {
  const [literal] = /^'(?:[^'\\]|\\.)*'/.exec(attribute(node, 'constant_value')) ?? [];
  return literal === undefined ? undefined : unquote(literal);
}
