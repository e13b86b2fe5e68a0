import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';

import { selectRows } from '../../clickhouse/select-rows.js';
import { unquote } from '../../../endpoint/quote-sql.js';
import { parseTypeName } from '../../../endpoint/type-name.js';
import { PARAMETER, type Facts } from '../../facts/facts.js';
import { readFacts, type ReadLines } from '../../facts/query-facts.js';

/** A table, view or dictionary of ClickHouse. */
export interface Table {
  readonly database: string;
  readonly name: string;
  readonly engine: string;
  /** Engine with its arguments. */
  readonly engineFull: string;
  /** Query of a view that reads with the rights of its caller. Otherwise empty. */
  readonly invokerQuery: string;
  /** Query of any other view. Otherwise empty. */
  readonly ownerQuery: string;
  /** ALIAS columns of the table. ClickHouse checks the expressions of all, even of those that a query does not read. */
  readonly aliases: readonly AliasColumn[];
}

export type AliasColumn = readonly [name: string, expression: string];

const SETTINGS: ClickHouseSettings = {
  readonly: '2',
  allow_experimental_analyzer: 1,
  join_use_nulls: 0,
  // All shapes of a query are parsed as one text, which can be long.
  max_query_size: '10000000',
  max_ast_elements: '1000000',
};

// A view without a definer reads with the rights of its caller, unless its SQL SECURITY is NONE.
const TABLES = `
  SELECT
    database, name, engine, engine_full AS engineFull,
    definer = '' AND position(create_table_query, ' SQL SECURITY NONE AS ') = 0 AS isOfInvoker,
    if(isOfInvoker, as_select, '') AS invokerQuery, if(isOfInvoker, '', as_select) AS ownerQuery,
    aliases
  FROM system.tables
  LEFT JOIN (
    SELECT (database, table) AS of, groupArray((name, default_expression)) AS aliases
    FROM system.columns
    WHERE database IN {databases:Array(String)} AND default_kind = 'ALIAS'
    GROUP BY of
  ) AS aliases_of_tables ON of = (database, name)
  WHERE database IN {databases:Array(String)}
    AND (database = currentDatabase() AND name IN {names:Array(String)} OR database || '.' || name IN {names:Array(String)})`;

interface FunctionRow {
  readonly name: string;
  readonly origin: string;
  /** 1 where the name can be written in any case. */
  readonly isAnyCase: number;
  readonly statement: string;
}

const FUNCTIONS = `
  SELECT name, origin, case_insensitive AS isAnyCase, create_query AS statement FROM system.functions
  WHERE name IN {names:Array(String)} OR case_insensitive AND lower(name) IN {lowerNames:Array(String)}`;

/** Text before the expression in the CREATE statement of a function. */
const BEFORE_EXPRESSION = /^CREATE FUNCTION (?:`(?:[^`\\]|\\.)*`|[^\s`]+) AS /s;

/** ClickHouse's own functions that were looked up, in their exact spelling. No statement can create a function of such a name. */
const ofClickHouse = new Set<string>([PARAMETER]);

/** Parses queries and looks up tables. It runs only queries on system tables. */
export class Catalog {
  private readonly tablesByName = new Map<string, readonly Table[]>();
  private readonly factsByText = new Map<string, Promise<Facts>>();

  constructor(
    private readonly client: ClickHouseClient,
    readonly currentDatabase: string,
  ) {}

  /** Creates a catalog with the client's own database. */
  static async of(client: ClickHouseClient): Promise<Catalog> {
    const [row] = await new Catalog(client, '').rows<{ name: string }>('SELECT currentDatabase() AS name');
    return new Catalog(client, row?.name ?? '');
  }

  /** Facts of a SELECT from ClickHouse's own parser. */
  facts(select: string): Promise<Facts> {
    const known = this.factsByText.get(select) ?? readFacts(select, this.lines);
    this.factsByText.set(select, known);
    return known;
  }

  readonly lines: ReadLines = async (query) => {
    const rows = await this.rows<Readonly<Record<string, string>>>(query);
    return rows.flatMap((row) => Object.values(row));
  };

  /** Tables that each name can mean. A name with a dot can belong to another database. */
  async tables(names: Iterable<string>): Promise<ReadonlyMap<string, readonly Table[]>> {
    const wanted = [...new Set(names)];
    const unknown = wanted.filter((name) => !this.tablesByName.has(name));
    if (unknown.length > 0) {
      const databases = [this.currentDatabase, ...unknown.flatMap(prefixes)];
      const found = await this.rows<Table>(TABLES, { names: unknown, databases });
      for (const name of unknown) {
        this.tablesByName.set(
          name,
          found.filter(
            (table) =>
              `${table.database}.${table.name}` === name ||
              (table.database === this.currentDatabase && table.name === name),
          ),
        );
      }
    }
    return new Map(wanted.map((name) => [name, this.tablesByName.get(name) ?? []]));
  }

  /** Facts of the SQL user-defined functions among these. Their arguments appear as columns. */
  async factsOfFunctions(called: readonly string[]): Promise<readonly Facts[]> {
    const names = called.filter((name) => !ofClickHouse.has(name));
    if (names.length === 0) return [];
    const lowerNames = names.map((name) => name.toLowerCase());
    const rows = await this.rows<FunctionRow>(FUNCTIONS, { names, lowerNames });
    const statements = names.flatMap((name, at) => {
      const row = rows.find((each) =>
        each.isAnyCase ? each.name.toLowerCase() === lowerNames[at] : each.name === name,
      );
      if (row?.origin === 'System') ofClickHouse.add(name);
      return row?.origin === 'SQLUserDefined' ? [row.statement] : [];
    });
    return Promise.all(
      statements.map((statement) => this.facts(`SELECT ${statement.replace(BEFORE_EXPRESSION, '')}`)),
    );
  }

  /** Names, with their database, of the tables that match a regular expression. @param database undefined for any database */
  async matchingTables(database: string | undefined, pattern: string): Promise<readonly string[]> {
    const where = database === undefined ? '' : 'database = {database:String} AND ';
    const rows = await this.rows<{ readonly qualified: string }>(
      `SELECT database || '.' || name AS qualified FROM system.tables WHERE ${where}match(name, {pattern:String})`,
      { ...(database !== undefined && { database }), pattern },
    );
    return rows.map(({ qualified }) => qualified);
  }

  private rows<T>(query: string, parameters?: Record<string, unknown>): Promise<readonly T[]> {
    return selectRows<T>(this.client, query, parameters, { clickhouse_settings: SETTINGS });
  }
}

/** Possible databases in `a.b.c`: `a` and `a.b`. */
function prefixes(name: string): readonly string[] {
  const words = name.split('.');
  return words.slice(1).map((_, index) => words.slice(0, index + 1).join('.'));
}

/** Arguments of a table's engine without quotes: for `Distributed('cluster', 'database', table)` these three. */
export function engineArguments({ engineFull }: Table): readonly string[] {
  return parseTypeName(engineFull).args.map((written) =>
    /^['`"]/.test(written) ? unquote(written) : written,
  );
}
