import { ClickHouseError } from '@clickhouse/client';
import { LRUCache } from 'lru-cache';

import type { BoundQuery } from '../../endpoint/bind.js';
import type { Pieces } from '../../endpoint/pieces.js';
import { NOW } from '../../endpoint/reserved.js';
import { revealed } from '../../endpoint/parameters/secret-value.js';
import { tableFilters } from '../../endpoint/tenant-settings.js';
import { onlyParts } from '../clickhouse/parts-of-version.js';
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
  /** Finds what a query reads. @throws NoVersion, or Error where ClickHouse does not analyse it */
  readonly findData: (bound: BoundQuery, pieces?: Pieces) => Promise<QueryData>;
  /** The database of names without one. */
  readonly database: string;
  readonly steadyClock: () => number;
  /** Called with the reason for each query that has no version. */
  readonly onNoVersion: (endpoint: string, reason: string) => void;
  /** Called with the reason for each query whose rows are not those of partitions, although its endpoint has pieces. */
  readonly onNoPieces: (endpoint: string, reason: string) => void;
}

/** How many texts of queries are remembered with what they read. */
const MAX_TEXTS = 1000;

/** Milliseconds after which a text whose data has no version is analysed again. */
const RETRY_MS = 60_000;
/** Milliseconds after which a text that ClickHouse did not analyse is analysed again: each caller would wait for it. */
const RETRY_SOON_MS = 1000;

/** The versions of the data of endpoints on one server, by its own bookkeeping of parts. */
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

  /** Why the results of an endpoint are not composed of pieces; undefined where they are, or where it has none. */
  async reasonOfPieces(query: VersionedQuery): Promise<string | undefined> {
    try {
      const { pieces } = await this.dataOf(query, query.bound ?? bindCall(query));
      return pieces && 'reason' in pieces ? pieces.reason : undefined;
    } catch {
      // Then it has no version either, and the reason of that counts.
      return undefined;
    }
  }

  /** Why the results of a query are cached for seconds alone; undefined where its data has a version. */
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
      // A caller's own SQL is the caller's matter.
      if (!query.sandbox) this.dependencies.onNoVersion(query.endpoint.name, reasonIn(error));
      return undefined;
    }
  }

  /** @param isRead whether it must be read now */
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
      // A view may read other tables now.
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
      // What ClickHouse did not analyse now, it may analyse soon; what has no version stays so for a while.
      this.dataByText.set(text, found, { ttl: error instanceof NoVersion ? RETRY_MS : RETRY_SOON_MS });
    });
    return found;
  }

  /** The filters of a caller's pinned parameters, with those of the parts. A table has one filter, whatever its name is. */
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

  /** Conditions of tables, to which others are added, perhaps under another name of the table. */
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

/** @throws NoVersion where the rows depend on more than tables */
function requireConstant({ sandbox }: VersionedQuery, { parameters }: BoundQuery): void {
  if (sandbox) throw new NoVersion('it is a caller’s own SQL');
  if (NOW.name in parameters) throw new NoVersion('the query uses @now');
}

/**
 * What decides which tables a query reads, and how: its text, the names that are bound, the parameters whose filters are sent, and the
 * pieces that are declared.
 */
function textOf({ endpoint: { pieces }, scope }: EndpointQuery, bound: BoundQuery): string {
  const { text, parameters, conditions } = bound;
  const names = [...text.matchAll(/\{(\w+):Identifier\}/g)].map(([, name = '']) =>
    revealed(parameters[name] ?? null),
  );
  if (names.length === 0 && !pieces && !conditions) return text;
  return JSON.stringify([text, names, conditions && [...pinnedParameters(scope)], pieces]);
}

/** ClickHouse's own texts can have values of callers, and the query. */
function reasonIn(error: unknown): string {
  if (error instanceof NoVersion) return error.message;
  if (!(error instanceof ClickHouseError)) {
    const { name } = error instanceof Error ? error : new Error();
    return `ClickHouse did not tell the version of its tables in time, or is away (${name})`;
  }
  const { code, type = 'error', message } = error;
  const grant = /have the grant [^\n.]*/.exec(message)?.[0].replace('have', 'needs');
  const advice = code === '497' && grant ? `: the user of versions ${grant}` : '';
  return `ClickHouse did not analyse its query: ${type} (${code})${advice}`;
}
