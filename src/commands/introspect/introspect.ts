import { REQUESTS_ENDPOINT } from '../../gateway/observability/requests-endpoint.js';
import type { AnalysisTools } from '../../gateway/analysis/analyze-query.js';
import { usageError } from '../cli/exit-codes.js';
import type { ProjectFile } from '../cli/project/write-new-file.js';
import { readColumns, readTables, type CatalogTable } from './catalog.js';
import { completeDraft } from './complete-draft.js';
import { endpointName } from './names.js';
import { newestDay } from './newest-day.js';
import { hasParameters, NotCarriedOver, viewDraft } from './query-draft.js';
import { tableDraft, type TableDraft } from './table-draft.js';

/** What a server has for endpoints. */
export interface Introspected {
  readonly files: readonly ProjectFile[];
  /** What could not be carried over, with the reason: `view sales: …`. */
  readonly leftOut: readonly string[];
  /** Names of the tables of the database of which nobody asked for an endpoint. */
  readonly others: readonly string[];
}

/** Something on the server that becomes an endpoint. */
interface Source {
  /** How messages name it. */
  readonly shown: string;
  readonly name: string;
  /** @throws NotCarriedOver */
  readonly draft: (name: string) => Promise<SourceDraft>;
}

interface SourceDraft extends Pick<TableDraft, 'draft' | 'leftOut'> {
  /** The start of the period of the example, where the one by default has no rows. */
  readonly since?: string;
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
  const tables = await readTables(tools, database);
  const views = tables.filter(isParameterisedView);
  const ofTables = await Promise.all(
    [...new Set(chosen)].map((name) => findTable(tools, name, tables, database)),
  );
  const sources = [
    ...ofTables.filter((table) => !views.includes(table)).map((table) => tableSource(tools, table, database)),
    ...views.map(viewSource),
  ];
  const { files, leftOut } = await filesOf(sources, tools);
  if (files.length === 0) throw usageError([...leftOut, adviceFor(tables, database)].join('\n'));
  const isSource = new Set([...ofTables, ...views]);
  return {
    files,
    leftOut,
    others: tables.filter((table) => !isSource.has(table)).map(({ name }) => name),
  };
}

const isParameterisedView = ({ engine, select }: CatalogTable): boolean =>
  engine === 'View' && hasParameters(select);

/** An endpoint over one table. */
export interface IntrospectedTable {
  readonly file: ProjectFile;
  readonly leftOut: readonly string[];
  /** The start of the period of the example, where the one by default has no rows. */
  readonly since?: string;
}

/**
 * Makes an endpoint of a name for a table, with an example that returns rows of it.
 *
 * @throws CommandError (invalid usage) where the table does not exist; NotCarriedOver where no endpoint can be made of it.
 */
export async function introspectTable(
  tools: AnalysisTools,
  database: string,
  name: string,
  tableName: string,
): Promise<IntrospectedTable> {
  const table = await findTable(tools, tableName, await readTables(tools, database), database);
  const source = isParameterisedView(table) ? viewSource(table) : tableSource(tools, table, database);
  const { draft, leftOut, since } = await source.draft(name);
  const text = await completeDraft(draft, tools);
  const file = { path: `endpoints/${name}.sql`, text };
  return { file, leftOut, ...(since !== undefined && { since }) };
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
  const dot = name.indexOf('.');
  const [other, table] = [name.slice(0, dot), name.slice(dot + 1)];
  const there = dot === -1 ? [] : other === database ? tables : await readTables(tools, other);
  const found = there.find((one) => one.name === table);
  if (found) return found;
  throw usageError(`There is no table ${name}, or the user may not see it. ${adviceFor(tables, database)}`);
}

function adviceFor(tables: readonly CatalogTable[], database: string): string {
  const names = tables.map(({ name }) => name);
  if (names.length === 0) {
    return `The user sees no table in the database ${database}. Name another database in the URL, or a user with rights.`;
  }
  const more = names.length > MAX_SHOWN ? ` and ${names.length - MAX_SHOWN} more` : '';
  return `Choose with --table NAME; ${database} has ${names.slice(0, MAX_SHOWN).join(', ')}${more}.`;
}

function tableSource(tools: AnalysisTools, table: CatalogTable, database: string): Source {
  const isOther = table.database !== database;
  const shown = `table ${isOther ? `${table.database}.` : ''}${table.name}`;
  return {
    shown,
    name: isOther ? `${table.database}.${table.name}` : table.name.replaceAll('.', '-'),
    draft: async (name) => {
      const made = tableDraft(name, table, await readColumns(tools, table), database);
      if (!made) throw new NotCarriedOver('it has no column that can be selected');
      const { draft, period } = made;
      const since = period && (await newestDay(tools, table, period));
      return {
        draft: since === undefined ? draft : { ...draft, example: { since } },
        leftOut: made.leftOut.map((text) => `${shown}: ${text}`),
        ...(since !== undefined && { since }),
      };
    },
  };
}

const viewSource = (view: CatalogTable): Source => ({
  shown: `view ${view.name}`,
  name: view.name,
  draft: (name) => Promise.resolve({ draft: viewDraft(name, view), leftOut: [] }),
});

async function filesOf(
  sources: readonly Source[],
  tools: AnalysisTools,
): Promise<Pick<Introspected, 'files' | 'leftOut'>> {
  const files = new Map<string, ProjectFile>();
  const leftOut: string[] = [];
  for (const source of sources) {
    try {
      const name = nameOf(source, files);
      const { draft, leftOut: parts } = await source.draft(name);
      files.set(name, { path: `endpoints/${name}.sql`, text: await completeDraft(draft, tools) });
      leftOut.push(...parts);
    } catch (error) {
      if (!(error instanceof NotCarriedOver)) throw error;
      leftOut.push(`${source.shown}: ${error.message}`);
    }
  }
  return { files: [...files.values()], leftOut };
}

/** @throws NotCarriedOver where no endpoint can have the name, or one has it */
function nameOf({ name }: Source, files: ReadonlyMap<string, ProjectFile>): string {
  const own = endpointName(name);
  if (own === '')
    throw new NotCarriedOver('its name has no letter or digit that an endpoint’s name can have');
  if (own === REQUESTS_ENDPOINT.name) throw new NotCarriedOver(`${own} is an endpoint of the gateway itself`);
  if (files.has(own)) throw new NotCarriedOver(`its endpoint would be ${own}, which is written already`);
  return own;
}
