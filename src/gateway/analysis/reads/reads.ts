import { ClickHouseError } from '@clickhouse/client';

import { isPrivateTable, OF_CALLERS } from '../../../endpoint/private-tables.js';
import { engineArguments, type AliasColumn, type Catalog, type Table } from './catalog.js';
import type { Grant } from './grant.js';
import type { Facts, TableFunction } from '../../facts/facts.js';

/** Text of an error that a query caused. @throws any other error */
export function problemOf(error: unknown): string {
  if (error instanceof ClickHouseError) return error.message.trimEnd();
  throw error;
}

/** All names in a query that can name a table. */
export function namesIn({ tables, possibleTables, dictionaries, tableFunctions }: Facts): readonly string[] {
  return [...tables, ...possibleTables, ...dictionaries, ...tableFunctions.map(({ name }) => name)];
}

/** Code of ClickHouse's error for the query of a view with parameters. */
const UNKNOWN_QUERY_PARAMETER = '456';

/** Table functions that every user may call. `merge` returns the rows of the tables that the user may read. */
const FREE_TABLE_FUNCTIONS: ReadonlySet<string> = new Set(
  'generate_series generateSeries generateRandom merge null numbers numbers_mt values view zeros zeros_mt'.split(
    ' ',
  ),
);

/** Collects the tables that the queries of one endpoint read, and the grants that they need. */
export class Reads {
  readonly grants: Grant[] = [];
  readonly problems = new Set<string>();
  /** Problems by the names of tables that the user cannot see. */
  readonly unseenTables = new Map<string, string>();
  readonly warnings = new Set<string>();
  /** The gateway's own tables that the endpoint reads. */
  readonly ownTables = new Set<string>();
  /** Functions that the query, its views and their SQL user-defined functions call. */
  private readonly functions = new Set<string>();
  /** Names that can be names of columns. */
  private readonly names = new Set<string>();
  private readonly aliases = new Set<AliasColumn>();
  private readonly visited = new Set<string>();

  constructor(private readonly catalog: Catalog) {}

  async add(facts: Facts): Promise<void> {
    const { tables, possibleTables, dictionaries, tableFunctions } = facts;
    await this.addExpressions(facts);
    const found = await this.catalog.tables(namesIn(facts));
    for (const name of tables) {
      if (found.get(name)?.length === 0)
        this.unseenTables.set(name, unknownTable(name, this.catalog.currentDatabase));
    }
    for (const name of [...tables, ...possibleTables]) await this.addTables(found.get(name));
    for (const name of dictionaries) this.addDictionary(name, found.get(name) ?? []);
    for (const each of tableFunctions) await this.addTableFunction(each, found.get(each.name) ?? []);
  }

  /** Functions that the query calls, and those that its ALIAS columns call. Only ALIAS columns that it reads count. */
  async calledFunctions(): Promise<ReadonlySet<string>> {
    for (;;) {
      const read = [...this.aliases].filter(([name]) => this.names.has(name));
      if (read.length === 0) return this.functions;
      for (const alias of read) this.aliases.delete(alias);
      await this.addExpressions(
        await this.catalog.facts(`SELECT ${read.map(([, expression]) => expression).join(', ')}`),
      );
    }
  }

  private async addExpressions({ functions, names }: Facts): Promise<void> {
    // A column can follow the name of its table, and its own name can contain dots.
    for (const words of [...names].map((name) => name.split('.')))
      for (const at of words.keys()) this.names.add(words.slice(at).join('.'));
    const unknown = [...functions].filter((name) => !this.functions.has(name));
    if (unknown.length === 0) return;
    for (const name of unknown) this.functions.add(name);
    for (const facts of await this.catalog.factsOfFunctions(unknown)) await this.add(facts);
  }

  private async addQuery(select: string): Promise<void> {
    await this.add(await this.catalog.facts(select));
  }

  private async addTables(tables: readonly Table[] = [], isStored = true): Promise<void> {
    for (const table of tables) {
      const key = JSON.stringify([table.database, table.name]);
      if (this.visited.has(key)) continue;
      this.visited.add(key);
      if (OF_CALLERS.test(table.name)) this.ownTables.add(table.name);
      if (isPrivateTable(table.name)) {
        this.problems.add(
          `reads ${table.name}, which has parameters of callers and which no endpoint may read`,
        );
        continue;
      }
      this.grants.push({
        privilege: 'SELECT',
        database: table.database,
        name: table.name,
        isStored: isStored && table.engine.endsWith('MergeTree'),
      });
      await this.addBelow(table);
    }
  }

  /** Adds the tables that ClickHouse reads, with the rights of the same user, when it reads a table. */
  private async addBelow(table: Table): Promise<void> {
    if (table.invokerQuery !== '') await this.addView(table);
    if (table.ownerQuery !== '') await this.addOfOwner(table);
    if (table.aliases.length > 0)
      // ClickHouse checks all ALIAS columns, but a query reads few. So their functions and names do not count here.
      await this.add({
        ...(await this.catalog.facts(
          `SELECT ${table.aliases.map(([, expression]) => expression).join(', ')}`,
        )),
        functions: new Set(),
        names: new Set(),
      });
    for (const alias of table.aliases) this.aliases.add(alias);
    const [first = '', second = '', third = ''] = engineArguments(table);
    if (table.engine === 'Distributed') await this.addLocal(second, third);
    if (table.engine === 'Buffer') await this.addNames([`${first}.${second}`]);
    if (table.engine === 'Merge') await this.addMerge([/\W/.test(first) ? undefined : first, second]);
  }

  private async addView({ database, name, invokerQuery }: Table): Promise<void> {
    try {
      await this.addQuery(invokerQuery);
    } catch (error) {
      const reason =
        error instanceof ClickHouseError && error.code === UNKNOWN_QUERY_PARAMETER
          ? 'has parameters'
          : `cannot be analysed (${problemOf(error)})`;
      this.warnings.add(
        `reads the view ${database}.${name}, which ${reason}; grant SELECT on the tables that it reads by hand`,
      );
    }
  }

  /** Adds what a view reads with the rights of its owner, which needs no grant. */
  private async addOfOwner({ ownerQuery, ...table }: Table): Promise<void> {
    const below = new Reads(this.catalog);
    await below.addView({ ...table, ownerQuery: '', invokerQuery: ownerQuery });
    for (const name of below.ownTables) this.ownTables.add(name);
    for (const name of below.functions) this.functions.add(name);
    for (const name of below.names) this.names.add(name);
    for (const alias of below.aliases) this.aliases.add(alias);
  }

  private async addNames(names: readonly string[]): Promise<void> {
    const found = await this.catalog.tables(names);
    for (const name of names) await this.addTables(found.get(name));
  }

  /** Adds a local table. A shard runs the query as the user that sent it. The table may exist only on the other servers. */
  private async addLocal(database: string, name: string): Promise<void> {
    const found = await this.catalog.tables([`${database}.${name}`]);
    const tables = found.get(`${database}.${name}`) ?? [];
    if (tables.length > 0) await this.addTables(tables, false);
    else this.grants.push({ privilege: 'SELECT', database, name, isStored: false });
  }

  private addDictionary(name: string, found: readonly Table[]): void {
    const dictionaries = found.filter(({ engine }) => engine === 'Dictionary');
    if (dictionaries.length === 0) {
      this.warnings.add(
        `uses the dictionary ${name}, which no CREATE DICTIONARY has made; grant dictGet on it by hand`,
      );
    }
    for (const { database, name: own } of dictionaries) {
      this.grants.push({ privilege: 'dictGet', database, name: own, isStored: false });
    }
  }

  private async addTableFunction({ name, texts }: TableFunction, found: readonly Table[]): Promise<void> {
    // The call of a view with parameters looks like a table function.
    if (found.length > 0) await this.addTables(found);
    else if (name === 'merge') await this.addMerge(texts);
    else if (!FREE_TABLE_FUNCTIONS.has(name)) {
      // Table functions for other servers have the table's name in their arguments.
      for (const text of texts) {
        const own = OF_CALLERS.exec(text ?? '')?.[0];
        if (own !== undefined) this.ownTables.add(own);
      }
      this.warnings.add(
        `calls the table function ${name}, which needs rights beyond SELECT on a table; the read-only user has none of these: read a table instead`,
      );
    }
  }

  private async addMerge(texts: TableFunction['texts']): Promise<void> {
    const [database, pattern] = texts.length === 1 ? [this.catalog.currentDatabase, texts[0]] : texts;
    if (database === undefined || pattern === undefined) {
      // The table may be in any database and, if the pattern is unknown as well, may have any name.
      for (const name of await this.catalog.matchingTables(undefined, pattern ?? ''))
        if (OF_CALLERS.test(name)) this.ownTables.add(name.slice(name.indexOf('.') + 1));
      this.warnings.add(
        'calls the table function merge with an argument that is not a text; grant SELECT on the tables that it reads by hand',
      );
      return;
    }
    await this.addNames(await this.catalog.matchingTables(database, pattern));
  }
}

function unknownTable(name: string, database: string): string {
  const qualified = name.includes('.') ? name : `${database}.${name}`;
  return (
    `reads ${qualified}, which ClickHouse does not have or does not show to this user; ` +
    'apply the schema (querygate migrate), or grant this user SELECT or SHOW TABLES on it'
  );
}
