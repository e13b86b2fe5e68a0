import { createHash } from 'node:crypto';
import { isRegExp } from 'node:util/types';

import type {
  Column,
  EndpointDeclaration,
  EndpointDefinition,
  EndpointSettings,
  Parameters,
  References,
} from './definition.js';
import type { Parameter } from './parameters/parameter.js';
import { NOW, ROW_LIMIT } from './reserved.js';
import { printSavedQuery } from './saved-query.js';
import { Reference, Sql, type Query } from './sql.js';
import { isUuid } from './uuid.js';

/** An endpoint that is ready to serve: checked, with its query built once. */
export interface Endpoint {
  readonly id: string;
  readonly name: string;
  readonly summary: string;
  readonly parameters: ReadonlyMap<string, Parameter>;
  readonly columns: ReadonlyMap<string, Column>;
  readonly settings: EndpointSettings;
  readonly limit: number | undefined;
  readonly example: Readonly<Record<string, string>>;
  readonly warm: readonly Readonly<Record<string, string>>[];
  readonly query: Query;
  /** The query in its `@parameter` form. */
  readonly savedQuery: string;
  /** SHA-256 (hex) over everything that decides a result; part of every cache key. */
  readonly digest: string;
}

/**
 * Checks a definition and builds its query.
 *
 * @throws Error with the first mistake: an invalid id or name, a reserved or malformed parameter name, settings out of
 * range, an example or a query with an undeclared parameter.
 */
export function defineEndpoint<const P extends Parameters>(definition: EndpointDefinition<P>): Endpoint {
  checkIdentity(definition);
  checkParameterNames(definition);
  checkSettings(definition);
  const { id, name, summary, example, limit, warm = [] } = definition;
  const query = buildQuery(definition);
  checkPartNames(query);
  const savedQuery = printSavedQuery(query, limit);
  const endpoint: Endpoint = {
    id: id.toLowerCase(),
    name,
    summary,
    example,
    limit,
    parameters: new Map(Object.entries(definition.parameters)),
    columns: new Map(Object.entries(definition.columns)),
    warm,
    settings: settingsOf(definition),
    query,
    savedQuery,
    digest: digestOf(query, definition),
  };
  DEFINED.add(endpoint);
  return endpoint;
}

/** What this copy of the module defined: the endpoints of another copy would have SQL of classes that are not those here. */
const DEFINED = new WeakSet();

/** Whether a value is an endpoint that {@link defineEndpoint} of this module returned. */
export function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === 'object' && value !== null && DEFINED.has(value);
}

/** The endpoint with execution settings of this deployment. */
export function withSettings(endpoint: Endpoint, overrides: Partial<EndpointSettings>): Endpoint {
  return { ...endpoint, settings: { ...endpoint.settings, ...overrides } };
}

/** Rows that a response of the endpoint has at most. */
export function rowCap(endpoint: Endpoint): number {
  return Math.min(endpoint.settings.maxRows, endpoint.limit ?? Infinity);
}

function settingsOf(definition: EndpointDeclaration): EndpointSettings {
  const { maxRows, caching, warming, sandboxing, staleIfError, queryLimits, limits } = definition;
  return {
    maxRows,
    caching,
    warming,
    sandboxing,
    ...(staleIfError !== undefined && { staleIfError }),
    ...(queryLimits && { queryLimits }),
    ...(limits && { limits }),
  };
}

function buildQuery<P extends Parameters>(definition: EndpointDefinition<P>): Query {
  const references = Object.fromEntries(
    Object.entries(definition.parameters).map(([name, parameter]) => [
      name,
      new Reference(name, parameter.type),
    ]),
  ) as References<P>;
  const built = definition.build(references, NOW);
  return built instanceof Sql ? { parts: [], body: built } : built;
}

/** Covers the whole tree: the printed query lacks branches that only make it faster, and a change of those can be wrong too. */
function digestOf(query: Query, definition: EndpointDeclaration): string {
  const columns = Object.entries(definition.columns).map(([name, { type, holdsJson = false }]) => [
    name,
    type,
    holdsJson,
  ]);
  const types = Object.entries(definition.parameters).map(([name, { type }]) => [name, type]);
  return createHash('sha256')
    .update(JSON.stringify([query, definition.limit, columns, types], readable))
    .digest('hex');
}

// Not `instanceof`: a file that runs in another realm has another RegExp.
const readable = (_key: string, value: unknown): unknown => (isRegExp(value) ? value.source : value);

function checkIdentity({ id, name }: EndpointDeclaration): void {
  if (!isUuid(id)) throw new Error(`id "${id}" is not a UUID`);
  if (!/^[a-z0-9]+(?:[.-][a-z0-9]+)*$/.test(name)) {
    throw new Error(`name "${name}" must be lower-case words joined by dots or hyphens`);
  }
  if (isUuid(name)) throw new Error(`name "${name}" must not have the form of a UUID`);
}

/** Names that the gateway itself binds or reads. */
const RESERVED = new Set([
  NOW.name,
  ROW_LIMIT,
  'sql',
  'api_key',
  'link_key',
  'link_expires',
  'link_signature',
]);

function checkParameterNames(definition: EndpointDeclaration): void {
  for (const name of Object.keys(definition.parameters)) {
    if (RESERVED.has(name)) throw new Error(`parameter "${name}" has a name that the gateway reserves`);
    if (!/^[a-z][a-z0-9_]*$/.test(name)) {
      throw new Error(`parameter "${name}" must be made of lower-case letters, digits and underscores`);
    }
  }
  for (const name of Object.keys(definition.example)) {
    if (!Object.hasOwn(definition.parameters, name)) {
      throw new Error(`example names the undeclared parameter "${name}"`);
    }
  }
}

/** A caller's own SQL reads the endpoint's rows under the name `result`. */
function checkPartNames({ parts }: Query): void {
  if (parts.some(({ name }) => name === 'result')) throw new Error('a part must not be named "result"');
}

function checkSettings({ maxRows, limit, caching, warming, columns }: EndpointDeclaration): void {
  const wholeFrom = (least: number, value: number): boolean => Number.isSafeInteger(value) && value >= least;
  if (!wholeFrom(1, maxRows)) throw new Error(`maxRows ${maxRows} must be a whole number of at least 1`);
  if (limit !== undefined && !wholeFrom(1, limit))
    throw new Error(`limit ${limit} must be a whole number of at least 1`);
  if (caching !== 'disabled' && !wholeFrom(1, caching)) {
    throw new Error(`caching ${caching} must be "disabled" or a whole number of seconds of at least 1`);
  }
  if (!wholeFrom(0, warming))
    throw new Error(`warming ${warming} must be a whole number of seconds of at least 0`);
  if (Object.keys(columns).length === 0) throw new Error('columns are missing');
}
