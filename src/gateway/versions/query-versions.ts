import { ClickHouseError } from '@clickhouse/client';
import { LRUCache } from 'lru-cache';

import type { BoundQuery } from '../../endpoint/bind.js';
import type { Pieces } from '../../endpoint/pieces.js';
import { NOW } from '../../endpoint/reserved.js';
import { revealed } from '../../endpoint/parameters/secret-value.js';
import { tableFilters } from '../../endpoint/tenant-settings.js';
import { onlyParts } from '../clickhouse/parts-of-version.js';
import { nameIn } from '../clickhouse/translate-error.js';
import type { DataVersions, VersionedQuery } from '../query/data-versions.js';
import { lifetimeOf } from '../query/cache-key.js';
import { bindCall, type EndpointQuery } from '../query/endpoint-query.js';
import type { KnownData, PartitionedData } from '../query/known-data.js';
import { pinnedParameters } from '../query/row-scope.js';
import type { QueryData } from './query-data.js';
import { NoVersion } from './query-tree.js';
import { partsOf, versionOf, type TablesVersion } from './read-version.js';
import type { KnownVersion, TableVersions } from './table-versions.js';

export interface QueryVersionsDependencies {
  readonly versions: TableVersions;
  /** Finds what a query reads. @throws NoVersion, or Error where ClickHouse does not analyse the query */
  readonly findData: (bound: BoundQuery, pieces?: Pieces) => Promise<QueryData>;
  /** Database of unqualified names. */
  readonly database: string;
  readonly steadyClock: () => number;
  /** Called with the reason for each query that has no version. */
  readonly onNoVersion: (endpoint: string, reason: string) => void;
  /** Called with the reason for each query whose endpoint has pieces but whose rows do not come partition by partition. */
  readonly onNoPieces: (endpoint: string, reason: string) => void;
}

/** Maximum number of query texts whose data is cached. */
const MAX_TEXTS = 1000;

/** Time after which a query whose data has no version is analysed again, in milliseconds. */
const RETRY_MS = 60_000;
/** Time before the next attempt where ClickHouse did not analyse a query, in milliseconds. Without it each caller would wait again. */
const RETRY_SOON_MS = 1000;

/** Versions of the data that endpoints read on one server, from the server's own list of data parts. */
export class QueryVersions implements DataVersions {
  private readonly dataByText = new LRUCache<string, Promise<QueryData>>({ max: MAX_TEXTS });

  constructor(private readonly dependencies: QueryVersionsDependencies) {}

  readonly before = async (query: VersionedQuery): Promise<KnownData | undefined> => {
    const { versions } = this.dependencies;
    return this.unlessUnknown(query, async () => {
      const { bound, data, tables } = await this.versionOf(query);
      if (versions.isMoving(data)) return undefined;
      return {
        version: tables.version,
        tableFilters: tableFilters(this.filtersOf(bound, data, tables)),
        changed: () => {
          versions.noteChange(data);
        },
      };
    });
  };

  readonly confirm: DataVersions['confirm'] = async (query, version, { isRead }) => {
    const found = await this.unlessUnknown(query, () => this.versionOf(query, isRead));
    return found?.tables.version === version ? found.readAt : undefined;
  };

  readonly partitions = async (
    query: VersionedQuery,
    { isRead } = { isRead: false },
  ): Promise<PartitionedData | undefined> => {
    const { pieces } = query.endpoint;
    if (!pieces) return undefined;
    return this.unlessUnknown(query, async () => {
      const { bound, data, tables, readAt } = await this.versionOf(query, isRead);
      if (!data.pieces) return undefined;
      if ('reason' in data.pieces) {
        this.dependencies.onNoPieces(query.endpoint.name, data.pieces.reason);
        return undefined;
      }
      const { table, isFromExcluded } = data.pieces;
      const { [table]: partitions = [], ...others } = tables.partitions;
      const { conditions = new Map<string, string>() } = bound;
      return {
        ...{ version: tables.version, rest: versionOf(tables.base, others), readAt, isFromExcluded },
        partitions: partitions.toSorted((a, b) => a.since - b.since),
        isMoving: this.dependencies.versions.isMoving(data),
        filters: (condition) => tableFilters(this.joined(new Map([[table, condition]]), conditions)),
        versionFilters: (condition) =>
          tableFilters(this.filtersOf(bound, data, tables, new Map([[table, condition]]))),
        changed: () => {
          this.dependencies.versions.noteChange(data);
        },
      };
    });
  };

  /** Why the results of an endpoint are not composed of pieces. Undefined where they are, or where the endpoint has no pieces. */
  async reasonOfPieces(query: VersionedQuery): Promise<string | undefined> {
    try {
      const { pieces } = await this.dataOf(query, query.bound ?? bindCall(query));
      return pieces && 'reason' in pieces ? pieces.reason : undefined;
    } catch {
      // The data has no version either. `reasonOf` returns that reason.
      return undefined;
    }
  }

  /** Why a query's results are cached for a time only. Undefined where its data has a version. */
  async reasonOf(query: VersionedQuery): Promise<string | undefined> {
    try {
      await this.versionOf(query);
      return undefined;
    } catch (error) {
      return reasonIn(error);
    }
  }

  private async unlessUnknown<T>(query: VersionedQuery, find: () => Promise<T>): Promise<T | undefined> {
    try {
      return await find();
    } catch (error) {
      // A caller's own SQL never has a version, which the operator need not know.
      if (!query.sandbox) this.dependencies.onNoVersion(query.endpoint.name, reasonIn(error));
      return undefined;
    }
  }

  /** @param isRead whether the version must be read from ClickHouse now */
  private async versionOf(
    query: VersionedQuery,
    isRead = false,
  ): Promise<KnownVersion & { readonly bound: BoundQuery; readonly data: QueryData }> {
    const { bound = bindCall(query) } = query;
    const { cachingMs: maxAgeMs } = lifetimeOf(query.endpoint.settings);
    const wanted = { maxAgeMs, notBefore: isRead ? this.dependencies.steadyClock() : undefined };
    requireConstant(query, bound);
    for (const isLast of [false, true]) {
      const data = await this.dataOf(query, bound);
      const { tables, readAt } = await this.dependencies.versions.get(data, wanted);
      if (tables.definitions === data.definitions) {
        if (tables.problem !== undefined) throw new NoVersion(tables.problem);
        return { bound, data, tables, readAt };
      }
      // A view was changed and may read other tables now.
      this.dataByText.delete(textOf(query, bound));
      if (isLast) break;
    }
    throw new NoVersion('its tables are being altered');
  }

  private dataOf(query: VersionedQuery, bound: BoundQuery): Promise<QueryData> {
    const text = textOf(query, bound);
    const known = this.dataByText.get(text);
    if (known) return known;
    const found = this.dependencies.findData(bound, query.endpoint.pieces);
    this.dataByText.set(text, found);
    found.catch((error: unknown) => {
      // ClickHouse may analyse the query soon. A query without a version stays so for longer.
      this.dataByText.set(text, found, { ttl: error instanceof NoVersion ? RETRY_MS : RETRY_SOON_MS });
    });
    return found;
  }

  /** Filters of the caller's pinned parameters, joined with those for the data parts. A table has only one filter. */
  private filtersOf(
    { conditions = new Map<string, string>() }: BoundQuery,
    { tables }: QueryData,
    version: TablesVersion,
    among: ReadonlyMap<string, string> = new Map(),
  ): ReadonlyMap<string, string> {
    const filters = new Map(
      tables.map((table) => [table, onlyParts(partsOf(version, table), version.server, among.get(table))]),
    );
    return this.joined(filters, conditions);
  }

  /** Adds conditions to those of tables. A table may be named with or without its database. */
  private joined(
    filters: ReadonlyMap<string, string>,
    conditions: ReadonlyMap<string, string>,
  ): ReadonlyMap<string, string> {
    const all = new Map(filters);
    for (const [name, condition] of conditions) {
      const table = all.has(name) ? name : `${this.dependencies.database}.${name}`;
      const earlier = all.get(table);
      all.set(
        earlier === undefined ? name : table,
        earlier === undefined ? condition : `(${earlier}) AND (${condition})`,
      );
    }
    return all;
  }
}

/** @throws NoVersion where the rows depend on more than the data of tables */
function requireConstant({ sandbox }: VersionedQuery, { parameters }: BoundQuery): void {
  if (sandbox) throw new NoVersion('it is a caller’s own SQL');
  if (NOW.name in parameters) throw new NoVersion('the query uses @now');
}

/**
 * Text of everything that decides which tables a query reads, and how: the SQL, the bound identifiers, the pinned parameters whose filters
 * are sent, and the declared pieces.
 */
function textOf({ endpoint: { pieces }, scope }: EndpointQuery, bound: BoundQuery): string {
  const { text, parameters, conditions } = bound;
  const names = [...text.matchAll(/\{(\w+):Identifier\}/g)].map(([, name = '']) =>
    revealed(parameters[name] ?? null),
  );
  if (names.length === 0 && !pieces && !conditions) return text;
  return JSON.stringify([text, names, conditions && [...pinnedParameters(scope)], pieces]);
}

/** Reason without ClickHouse's own error text, which can contain the query and values of callers. */
function reasonIn(error: unknown): string {
  if (error instanceof NoVersion) return error.message;
  if (!(error instanceof ClickHouseError)) {
    const { name } = error instanceof Error ? error : new Error();
    return `ClickHouse did not tell the version of its tables in time, or is away (${name})`;
  }
  const { code, message } = error;
  const grant = /have the grant [^\n.]*/.exec(message)?.[0].replace('have', 'needs');
  const advice = code === '497' && grant ? `: the user of versions ${grant}` : '';
  return `ClickHouse did not analyse its query: ${nameIn(error) ?? 'error'} (${code})${advice}`;
}
