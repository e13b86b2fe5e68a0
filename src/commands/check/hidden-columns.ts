import type { Endpoint } from '../../endpoint/endpoint.js';
import { explainLines, queryRows, type AnalysisTools } from '../../gateway/analysis/analyze-query.js';
import { problemOf } from '../../gateway/analysis/reads/reads.js';
import { whereRejected } from '../../gateway/clickhouse/where-rejected.js';
import { NO_TABLE } from '../../gateway/facts/facts.js';
import { treesOf } from '../../gateway/facts/query-facts.js';
import { queryShapes } from '../../gateway/facts/query-shapes.js';
import { hidingAliases, type HidingAlias, type Source } from './hiding-aliases.js';

/** Which of these columns tables have. */
const COLUMNS = `SELECT DISTINCT name, database = currentDatabase() AS isOwn, database || '.' || table AS qualified, table
  FROM system.columns
  WHERE name IN {names:Array(String)}
    AND (isOwn AND table IN {tables:Array(String)} OR qualified IN {tables:Array(String)})`;

interface ColumnRow {
  readonly name: string;
  readonly isOwn: number;
  readonly qualified: string;
  readonly table: string;
}

/** A warning for each column that an alias of its SELECT hides where rows are filtered, joined or grouped. */
export async function hiddenColumns(endpoint: Endpoint, tools: AnalysisTools): Promise<readonly string[]> {
  const aliases = await aliasesOf(endpoint, tools);
  if (aliases.length === 0) return [];
  const tables = aliases.flatMap(({ sources }) => sources.flatMap((source) => source.tables));
  // A user can have the right to the query and none to system tables.
  const rows = await queryRows<ColumnRow>(tools, COLUMNS, {
    names: aliases.map(({ name }) => name),
    tables: tables.filter((table) => table !== NO_TABLE),
  }).catch(whereRejected([]));
  const found = new Set(
    rows.flatMap(({ name, isOwn, qualified, table }) =>
      [qualified, ...(isOwn ? [table] : [])].map((each) => columnKey(each, name)),
    ),
  );
  return [...new Set(aliases.flatMap((alias) => warningOf(alias, found) ?? []))];
}

async function aliasesOf({ query }: Endpoint, tools: AnalysisTools): Promise<readonly HidingAlias[]> {
  const readLines = (explain: string): Promise<readonly string[]> => explainLines(tools, explain);
  // What ClickHouse rejects is reported elsewhere.
  const trees = await treesOf(queryShapes(query), readLines, problemOf);
  return trees.flatMap((tree) => (typeof tree === 'string' ? [] : hidingAliases(tree)));
}

const columnKey = (table: string, column: string): string => JSON.stringify([table, column]);

function warningOf(alias: HidingAlias, found: ReadonlySet<string>): string | undefined {
  const { name, clauses, expression, isOfColumn, sources } = alias;
  const has = ({ columns, tables }: Source): boolean =>
    columns.has(name) || tables.some((table) => found.has(columnKey(table, name)));
  const source = sources.find(has) ?? (isOfColumn ? sources[0] : undefined);
  if (!source) return undefined;
  const column = `${source.name || 't'}.${name}`;
  const named = source.name === '' ? ', with AS t behind what is read,' : '';
  return (
    `${clauses.join(' and ')} ${clauses.length > 1 ? 'use' : 'uses'} ${name}, which is the alias of ${expression} there and not the column: ` +
    `write ${column}${named} for the column, or that expression of ${column} if it is meant`
  );
}
