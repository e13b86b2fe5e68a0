import type { AnalysisTools } from '../../gateway/analysis/analyze-query.js';
import { isOwnEndpoint } from '../../gateway/observability/own-endpoints.js';
import { usageError } from '../cli/exit-codes.js';
import type { ProjectFile } from '../cli/project/write-new-file.js';
import { newestDay, readColumns, tablesIn, type CatalogTable } from './catalog.js';
import { endpointText, NotCarriedOver, type Draft } from './draft.js';
import { endpointName } from './names.js';
import { tableDraft } from './table-draft.js';
import { isParameterisedView, viewDraft } from './view-draft.js';

/** An endpoint over a table or view. */
export interface IntrospectedTable {
  readonly file: ProjectFile;
  /** What of the table the endpoint lacks, with the reason: `table orders: column total: …`. */
  readonly leftOut: readonly string[];
  /** The start of the period of the example, where the one by default has no rows. */
  readonly since?: string | undefined;
}

/** What a server has for endpoints. */
export interface Introspected {
  readonly files: readonly ProjectFile[];
  readonly leftOut: readonly string[];
  /** Names of the database's tables for which no endpoint was requested. */
  readonly others: readonly string[];
}

/** How many tables a message lists. */
const MAX_SHOWN = 20;

/**
 * Makes an endpoint of each chosen table and each parameterised view of the database.
 *
 * @param chosen names of tables, with or without their database.
 * @throws CommandError (invalid usage) where a chosen table does not exist, or there is nothing to make an endpoint of.
 */
export async function introspect(
  tools: AnalysisTools,
  database: string,
  chosen: readonly string[],
): Promise<Introspected> {
  const tables = await tablesIn(tools, database);
  const found = await Promise.all(chosen.map((name) => findTable(tools, name, tables, database)));
  const sources = new Set([
    ...found.filter((table) => !isParameterisedView(table)),
    ...[...found, ...tables].filter(isParameterisedView),
  ]);
  const files = new Map<string, ProjectFile>();
  const leftOut: string[] = [];
  for (const table of sources) {
    try {
      const name = nameOf(table, database, files);
      const made = await endpointOf(tools, database, name, table);
      files.set(name, made.file);
      leftOut.push(...made.leftOut);
    } catch (error) {
      if (!(error instanceof NotCarriedOver)) throw error;
      leftOut.push(`${shownName(table, database)}: ${error.message}`);
    }
  }
  if (files.size === 0) throw usageError([...leftOut, adviceFor(tables, database)].join('\n'));
  const others = tables.filter((table) => !sources.has(table)).map(({ name }) => name);
  return { files: [...files.values()], leftOut, others };
}

/**
 * Creates an endpoint with a name for a table, with an example that returns rows.
 *
 * @throws CommandError (invalid usage) where the table does not exist; NotCarriedOver where it cannot have an endpoint.
 */
export async function introspectTable(
  tools: AnalysisTools,
  database: string,
  name: string,
  tableName: string,
): Promise<IntrospectedTable> {
  const table = await findTable(tools, tableName, await tablesIn(tools, database), database);
  return endpointOf(tools, database, name, table);
}

async function endpointOf(
  tools: AnalysisTools,
  database: string,
  name: string,
  table: CatalogTable,
): Promise<IntrospectedTable> {
  const fileOf = async (draft: Draft): Promise<ProjectFile> => ({
    path: `endpoints/${name}.sql`,
    text: await endpointText(draft, tools),
  });
  if (isParameterisedView(table)) return { file: await fileOf(viewDraft(name, table)), leftOut: [] };
  const { draft, leftOut, period } = tableDraft(name, table, await readColumns(tools, table), database);
  const since = period && (await newestDay(tools, table, period));
  return {
    file: await fileOf(since === undefined ? draft : { ...draft, example: { since } }),
    leftOut: leftOut.map((text) => `${shownName(table, database)}: ${text}`),
    since,
  };
}

/** @throws CommandError (invalid usage) that lists the tables */
async function findTable(
  tools: AnalysisTools,
  name: string,
  tables: readonly CatalogTable[],
  database: string,
): Promise<CatalogTable> {
  const here = tables.find((table) => table.name === name);
  if (here) return here;
  const [, other, own] = /^([^.]+)\.(.+)$/s.exec(name) ?? [];
  const there = other === undefined ? [] : other === database ? tables : await tablesIn(tools, other);
  const found = there.find((table) => table.name === own);
  if (found) return found;
  throw usageError(`There is no table ${name}, or the user may not see it. ${adviceFor(tables, database)}`);
}

function adviceFor(tables: readonly CatalogTable[], database: string): string {
  const names = tables.map(({ name }) => name);
  if (names.length === 0) {
    return `The user sees no table in the database ${database}. Name another database in the URL, or a user with rights.`;
  }
  return `Choose with --table NAME; ${database} has ${listed(names)}.`;
}

/** The first names, and how many more there are. */
export const listed = (names: readonly string[]): string =>
  names.slice(0, MAX_SHOWN).join(', ') +
  (names.length > MAX_SHOWN ? ` and ${names.length - MAX_SHOWN} more` : '');

function shownName(table: CatalogTable, database: string): string {
  const { database: own, name } = table;
  return `${isParameterisedView(table) ? 'view' : 'table'} ${own === database ? '' : `${own}.`}${name}`;
}

/** @throws NotCarriedOver where no endpoint can have the name of the table, or one has it */
function nameOf(
  { database: own, name }: CatalogTable,
  database: string,
  files: ReadonlyMap<string, ProjectFile>,
): string {
  const found = endpointName(own === database ? name.replaceAll('.', '-') : `${own}.${name}`);
  if (found === '')
    throw new NotCarriedOver('its name has no letter or digit that an endpoint’s name can have');
  if (isOwnEndpoint(found)) throw new NotCarriedOver(`${found} is an endpoint of the gateway itself`);
  if (files.has(found)) throw new NotCarriedOver(`its endpoint would be ${found}, which is written already`);
  return found;
}
