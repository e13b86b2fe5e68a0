import { createHash } from 'node:crypto';
import { isRegExp } from 'node:util/types';

import type { Values } from './values.js';
import { problemsOfDefinition, tenantColumns } from './check-definition.js';
import { afterLast } from './after-last-row.js';
import { readCaching, type CachingSettings } from './caching.js';
import { EndpointDefinitionError } from './definition-error.js';
import type {
  Column,
  EndpointDeclaration,
  EndpointDefinition,
  EndpointSettings,
  Parameters,
  References,
} from './definition.js';
import { readDeprecation, type DeprecationRules } from './deprecation.js';
import { describeValue } from './describe-value.js';
import { readPageOrder, type PageOrder } from './page-order.js';
import { pagesOf, type Pages } from './pages.js';
import { piecesOf, type Pieces } from './pieces.js';
import type { Parameter } from './parameters/parameter.js';
import { NOW } from './reserved.js';
import { OF_CALLERS, problemOfTables } from './private-tables.js';
import { printSavedQuery } from './saved-query.js';
import { Part, Reference, Sql, type Query, type TenantFilter } from './sql.js';
import { problem } from './problems.js';
import type { SqlFile } from './sql-file/parse-sql-file.js';
import { ENDPOINT_SETTINGS } from './settings-schema.js';

/** The execution settings of an endpoint, as they are served. */
export interface ServedSettings extends Omit<EndpointSettings, 'caching'>, CachingSettings {}

/** An endpoint that is ready to serve: checked, with its query built once. */
export interface Endpoint {
  readonly id: string;
  readonly name: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters: ReadonlyMap<string, Parameter>;
  readonly columns: ReadonlyMap<string, Column>;
  readonly settings: ServedSettings;
  readonly limit: number | undefined;
  readonly example: Readonly<Record<string, string>>;
  readonly warm: readonly Readonly<Record<string, string>>[];
  readonly query: Query;
  /** Present where callers should leave the endpoint. */
  readonly deprecated?: DeprecationRules;
  /** Present where the rows have pages. */
  readonly pages?: Pages;
  /** Present where a result is composed of the rows of partitions. */
  readonly pieces?: Pieces | undefined;
  /** Columns that the query returns only where all of these parameters have a value. */
  readonly optionalColumns: ReadonlyMap<string, readonly string[]>;
  /** Whether the text of its query names the request log, which has figures of every caller. */
  readonly readsRequestLog: boolean;
  /** The query in its `@parameter` form. */
  readonly savedQuery: string;
  /** The file that it was read from, for the places of mistakes; absent for one in TypeScript. */
  readonly file?: SqlFile;
  /** SHA-256 (hex) over everything that decides a result; part of every cache key. */
  readonly digest: string;
  /** What results are kept apart by as well; absent where the ClickHouse user has no settings that are overridden. */
  readonly resultsUnder?: string | undefined;
}

/**
 * Checks a definition and builds its query.
 *
 * @throws EndpointDefinitionError with every mistake: keys that are unknown, missing or of another type, names and settings
 * that are invalid, an example or a query with an undeclared parameter.
 *
 * @example
 * ```ts
 * defineEndpoint({
 *   id: '9f0c9d6e-4a53-4d6f-8e5b-2f7f6c1a9b3d',
 *   name: 'visits.by-city',
 *   summary: 'Visits by city.',
 *   parameters: { city: text({ description: 'Only this city.' }) },
 *   columns: { city: column('String', 'City.'), visits: column('UInt64', 'How many.') },
 *   maxRows: 1000,
 *   caching: 60,
 *   warming: 0,
 *   sandboxing: 'disabled',
 *   example: {},
 *   build: (p) => sql`
 *     SELECT city, count() AS visits
 *     FROM visits
 *     ${where(whenGiven(p.city, sql`city = ${p.city}`))}
 *     GROUP BY city
 *     ORDER BY city`,
 * })
 * ```
 */
export function defineEndpoint<const P extends Parameters>(definition: EndpointDefinition<P>): Endpoint {
  return createEndpoint(definition, checkAndBuild(definition));
}

/** The query of an endpoint, as its author wrote it, for ClickHouse and for people. */
export interface BuiltQuery extends Pick<Endpoint, 'query' | 'savedQuery' | 'file'> {
  readonly optionalColumns?: Endpoint['optionalColumns'];
}

/** Creates the endpoint of a declaration that was checked. */
export function createEndpoint(
  definition: EndpointDeclaration,
  { query: built, savedQuery, optionalColumns = new Map(), file }: BuiltQuery,
): Endpoint {
  const tenant = tenantFilters(definition);
  const query = tenant.length === 0 ? built : { ...built, tenant };
  const { id, name, summary, tags = [], example, limit, warm = [] } = definition;
  const endpoint: Endpoint = {
    id: id.toLowerCase(),
    name,
    summary,
    tags,
    example,
    limit,
    parameters: new Map(Object.entries(definition.parameters)),
    columns: new Map(Object.entries(definition.columns)),
    warm,
    settings: settingsOf(definition),
    query,
    ...(definition.deprecated && { deprecated: readDeprecation(definition.deprecated) }),
    ...(definition.pages && { pages: pagesOf(query, readPageOrder(definition).order) }),
    ...(definition.pieces && { pieces: piecesOf(definition) }),
    optionalColumns,
    savedQuery,
    ...(file && { file }),
    readsRequestLog: OF_CALLERS.test(textOf(query)),
    digest: digestOf(query, definition),
  };
  DEFINED.add(endpoint);
  return endpoint;
}

/** The columns of the rows of one request. */
export function returnedColumns(
  { columns, optionalColumns }: Endpoint,
  values: Values,
): ReadonlyMap<string, Column> {
  if (optionalColumns.size === 0) return columns;
  const isReturned = (name: string): boolean =>
    optionalColumns.get(name)?.every((parameter) => (values.get(parameter) ?? null) !== null) ?? true;
  return new Map([...columns].filter(([name]) => isReturned(name)));
}

/** Endpoints that this copy of the module defined. Those of another copy contain SQL of other classes. */
const DEFINED = new WeakSet();

/** Whether a value is an endpoint that {@link defineEndpoint} of this module returned. */
export function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === 'object' && value !== null && DEFINED.has(value);
}

/** The endpoint with execution settings of this deployment. */
export function withSettings(endpoint: Endpoint, overrides: Partial<EndpointSettings>): Endpoint {
  const { caching, ...others } = overrides;
  const cached = caching !== undefined && readCaching(caching);
  return { ...endpoint, settings: { ...endpoint.settings, ...others, ...cached } };
}

/** Rows that a response of the endpoint has at most. */
export function rowCap(endpoint: Endpoint): number {
  return Math.min(endpoint.settings.maxRows, endpoint.limit ?? Infinity);
}

function tenantFilters({ tenant = {}, parameters }: EndpointDeclaration): readonly TenantFilter[] {
  return Object.entries(tenant).flatMap(([table, filter]) =>
    tenantColumns(filter).map(([column, name]) => ({
      table,
      column,
      reference: new Reference(name, parameters[name]?.type ?? ''),
    })),
  );
}

function settingsOf(definition: EndpointDeclaration): ServedSettings {
  const names = Object.keys(ENDPOINT_SETTINGS) as (keyof EndpointSettings)[];
  const given = names.filter((name) => definition[name] !== undefined);
  const { caching, ...others } = Object.fromEntries(
    given.map((name) => [name, definition[name]]),
  ) as unknown as EndpointSettings;
  return { ...others, ...readCaching(caching) };
}

/** The keys of a definition without which its query cannot be built. */
const NEEDED_BY_BUILD: ReadonlySet<string> = new Set(['parameters', 'build', 'columns', 'pages']);

function checkAndBuild<P extends Parameters>(definition: EndpointDefinition<P>): BuiltQuery {
  const problems = problemsOfDefinition(definition);
  if (problems.some(({ path: [key] }) => key === undefined || NEEDED_BY_BUILD.has(key))) {
    throw new EndpointDefinitionError(problems);
  }
  try {
    const { order } = readPageOrder(definition);
    const query = buildQuery(definition, order);
    const savedQuery = printSavedQuery(query, definition.limit);
    const ofTables = problemOfTables(textOf(query));
    if (ofTables) throw new EndpointDefinitionError([...problems, { path: ['build'], ...ofTables }]);
    if (problems.length === 0) return { query, savedQuery };
  } catch (cause) {
    if (cause instanceof EndpointDefinitionError) throw cause;
    const found = problem('BUILD_FAILED', cause instanceof Error ? cause.message : String(cause));
    throw new EndpointDefinitionError([...problems, { path: ['build'], ...found }], { cause });
  }
  throw new EndpointDefinitionError(problems);
}

function buildQuery<P extends Parameters>(definition: EndpointDefinition<P>, order: PageOrder): Query {
  const references = Object.fromEntries(
    Object.entries(definition.parameters).map(([name, parameter]) => [
      name,
      new Reference(name, parameter.type),
    ]),
  ) as References<P>;
  const built: unknown = definition.build(references, NOW, afterLast(order));
  if (built instanceof Sql) return { parts: [], body: built };
  if (!isQuery(built)) {
    throw new TypeError(`must return sql\`…\` or withParts([…], sql\`…\`), not ${describeValue(built)}`);
  }
  // A caller's own SQL reads the endpoint's rows under the name `result`.
  if (built.parts.some(({ name }) => name === 'result')) throw new Error('a part must not be named "result"');
  return built;
}

function isQuery(built: unknown): built is Query {
  const { parts, body } = (built ?? {}) as Partial<Record<keyof Query, unknown>>;
  return body instanceof Sql && Array.isArray(parts) && parts.every((part) => part instanceof Part);
}

/** Covers the whole tree: the printed query lacks branches that only make it faster, and a change of those can be wrong too. */
function digestOf(query: Query, definition: EndpointDeclaration): string {
  const columns = Object.entries(definition.columns).map(([name, { type, holdsJson = false }]) => [
    name,
    type,
    holdsJson,
  ]);
  const types = Object.entries(definition.parameters).map(([name, { type }]) => [name, type]);
  const ofPages = definition.pages ? [definition.pages.by] : [];
  return createHash('sha256')
    .update(textOf([query, definition.limit, columns, types, ...ofPages]))
    .digest('hex');
}

const textOf = (tree: unknown): string => JSON.stringify(tree, readable);

// Not `instanceof`, because a file that runs in another realm has another RegExp.
const readable = (_key: string, value: unknown): unknown => (isRegExp(value) ? value.source : value);
