import type { BoundQuery } from '../../endpoint/bind.js';
import { lifetimeOf } from './cache-key.js';
import type { EndpointQuery } from './endpoint-query.js';
import type { DataOfResult, KnownData, PartitionedData } from './known-data.js';
import type { QueryResult } from './ports.js';

/** A query of an endpoint that caches until its data changes. */
export interface VersionedQuery extends EndpointQuery {
  /** Query as {@link bindCall} binds it. Undefined where it was not bound yet. */
  readonly bound?: BoundQuery | undefined;
}

/** Finds the versions of the data that queries read. It never rejects: without a version, results are cached for a time only. */
export interface DataVersions {
  /** Version before a query. Undefined where the data has no version, or changes all the time. */
  readonly before: (query: VersionedQuery) => Promise<KnownData | undefined>;
  /**
   * State of the tables of an endpoint with pieces. Undefined where its results cannot be composed.
   *
   * @param isRead whether the state must be read from ClickHouse now
   */
  readonly partitions: (
    query: VersionedQuery,
    how?: { readonly isRead: boolean },
  ) => Promise<PartitionedData | undefined>;
  /**
   * Checks that the tables still have a version. @returns the time of the read, in milliseconds since 1970; undefined for another version
   *
   * @param isRead whether the version must be read from ClickHouse now
   */
  readonly confirm: (
    query: VersionedQuery,
    version: string,
    how: { readonly isRead: boolean },
  ) => Promise<number | undefined>;
}

/** Versions for servers whose data versions are unknown. */
export const NO_VERSIONS: DataVersions = {
  before: () => Promise.resolve(undefined),
  partitions: () => Promise.resolve(undefined),
  confirm: () => Promise.resolve(undefined),
};

/** Separator between the versions of the queries that a result combines. No version contains a space. */
const SEPARATOR = ' ';

/**
 * Runs a query over the versions of the data that it reads, where these are known.
 *
 * @param reads queries whose rows the result combines
 * @param startedAt milliseconds since 1970
 * @param over makes the argument of `run` from the version of each read; undefined where the query cannot run over them
 * @param run runs the query; its argument is undefined where a version is missing
 * @returns the result, with `data` where the rows belong to the versions
 */
export async function overVersions<Over, Ran extends Pick<QueryResult, 'isOfVersion'>>(
  versions: DataVersions,
  reads: readonly VersionedQuery[],
  startedAt: number,
  over: (known: readonly KnownData[]) => Over | undefined,
  run: (over: Over | undefined) => Promise<Ran>,
): Promise<{ readonly ran: Omit<Ran, 'isOfVersion'>; readonly data?: DataOfResult }> {
  const each = reads.length > 0 ? await Promise.all(reads.map(versions.before)) : [undefined];
  const known = each.every((one) => one !== undefined) ? each : undefined;
  const toRun = known && over(known);
  const { isOfVersion, ...ran } = await run(toRun);
  if (!known || toRun === undefined) return { ran };
  if (!isOfVersion) {
    await noteChanges(versions, reads, known);
    return { ran };
  }
  const version = known.map((each) => each.version).join(SEPARATOR);
  // A table can be dropped, or altered and altered back, between the read of the version and the query. A read after the query shows that.
  const confirmed = await confirmedReads(versions, reads, version, { isRead: true });
  return confirmed ? { ran, data: { version, confirmedAt: startedAt } } : { ran };
}

/** Notes which of several reads changed. The others can still be confirmed. */
async function noteChanges(
  versions: DataVersions,
  reads: readonly VersionedQuery[],
  known: readonly KnownData[],
): Promise<void> {
  const noteChange = async (read: VersionedQuery, index: number): Promise<void> => {
    const { version = '', changed } = known[index] ?? {};
    const keptAt = reads.length > 1 ? await versions.confirm(read, version, { isRead: true }) : undefined;
    if (keptAt === undefined) changed?.();
  };
  await Promise.all(reads.map(noteChange));
}

/**
 * Confirms that the data of a result still has its version.
 *
 * @param reads queries whose rows the result combines
 * @returns the time of the confirmation and its end, in milliseconds since 1970; undefined where the data changed
 */
export async function confirmedReads(
  versions: DataVersions,
  reads: readonly VersionedQuery[],
  version: string,
  how = { isRead: false },
): Promise<{ readonly confirmedAt: number; readonly expiresAt: number } | undefined> {
  const of = version.split(SEPARATOR);
  const found = await Promise.all(
    reads.map(async (read, index) => {
      const at = await versions.confirm(read, of[index] ?? '', how);
      return at === undefined
        ? undefined
        : ([at, at + lifetimeOf(read.endpoint.settings).cachingMs] as const);
    }),
  );
  if (!found.every((each) => each !== undefined)) return undefined;
  return {
    confirmedAt: Math.min(...found.map(([at]) => at)),
    expiresAt: Math.min(...found.map(([, end]) => end)),
  };
}
