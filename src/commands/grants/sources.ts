import type { Line } from './printed-tree.js';

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
  /** The arguments; undefined for one that is not a text. */
  readonly texts: readonly (string | undefined)[];
}

/** Reads the sources of a query from its tree before names are resolved (EXPLAIN QUERY TREE run_passes = 0). */
export function sourcesOf(tree: Line): Sources {
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

/** Lines whose children are tables. */
const TABLE_SECTIONS: ReadonlySet<string> = new Set([
  'JOIN TREE',
  'TABLE EXPRESSION',
  'LEFT TABLE EXPRESSION',
  'RIGHT TABLE EXPRESSION',
]);

/** What ClickHouse reads where there is no FROM. */
const NO_TABLE = 'system.one';

const MEMBERSHIP = /^(?:global)?(?:not)?(?:null)?in(?:ignoreset)?$/i;

class SourceReader implements Sources {
  readonly tables = new Set<string>();
  readonly possibleTables = new Set<string>();
  readonly dictionaries = new Set<string>();
  readonly tableFunctions: TableFunction[] = [];

  read(line: Line, scope: Scope, isTable: boolean): void {
    const kind = /^([A-Z_]+) id: /.exec(line.text)?.[1];
    if (kind === 'QUERY' || kind === 'UNION') {
      this.readQuery(line, scope);
      return;
    }
    if (kind === 'IDENTIFIER' && isTable) this.readTable(attribute(line, 'identifier'), scope);
    if (kind === 'FUNCTION') this.readFunction(line, scope);
    if (kind === 'TABLE_FUNCTION') this.readTableFunction(line);
    this.readChildren(line, scope);
  }

  private readChildren({ text, children }: Line, scope: Scope): void {
    for (const child of children) this.read(child, scope, TABLE_SECTIONS.has(text));
  }

  private readQuery(query: Line, outer: Scope): void {
    const withQueries = itemsOf(query, 'WITH');
    const names = withQueries.map((item) => attribute(item, 'cte_name')).filter((name) => name !== '');
    const possiblyOfWith = new Set([...outer.possiblyOfWith, ...names]);
    const ofWith = new Set(outer.ofWith);
    for (const item of withQueries) {
      this.read(item, { ofWith: new Set(ofWith), possiblyOfWith }, false);
      ofWith.add(attribute(item, 'cte_name'));
    }
    const children = query.children.filter(({ text }) => text !== 'WITH');
    this.readChildren({ ...query, children }, { ofWith, possiblyOfWith });
  }

  private readTable(name: string, { ofWith, possiblyOfWith }: Scope): void {
    if (ofWith.has(name) || name === NO_TABLE) return;
    (possiblyOfWith.has(name) ? this.possibleTables : this.tables).add(name);
  }

  private readFunction(line: Line, { ofWith }: Scope): void {
    const name = attribute(line, 'function_name');
    const [first, second] = itemsOf(line, 'ARGUMENTS');
    if (first && /^dict[A-Z]/.test(name)) addName(this.dictionaries, first);
    if (first && name.startsWith('joinGet')) addName(this.tables, first);
    if (second?.text.startsWith('IDENTIFIER') && MEMBERSHIP.test(name)) {
      const set = attribute(second, 'identifier');
      if (!ofWith.has(set)) this.possibleTables.add(set);
    }
  }

  private readTableFunction(line: Line): void {
    this.tableFunctions.push({
      name: attribute(line, 'table_function_name'),
      texts: itemsOf(line, 'ARGUMENTS').map(constantText),
    });
  }
}

/** The elements of the list in a section. */
function itemsOf({ children }: Line, section: string): readonly Line[] {
  return children
    .filter(({ text }) => text === section)
    .flatMap((found) => found.children.flatMap((list) => list.children));
}

/** An attribute of a node; empty where it has none. */
function attribute({ text }: Line, name: string): string {
  return new RegExp(`, ${name}: (.*?)(?=, [a-z_]+: |$)`).exec(text)?.[1] ?? '';
}

function addName(names: Set<string>, argument: Line): void {
  const name = constantText(argument) ?? attribute(argument, 'identifier');
  if (name !== '') names.add(name);
}

function constantText({ text }: Line): string | undefined {
  return /, constant_value: '((?:[^'\\]|\\.)*)'/.exec(text)?.[1]?.replaceAll(/\\(.)/g, '$1');
}
