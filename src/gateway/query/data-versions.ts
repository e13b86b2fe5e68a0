import type { BoundQuery } from '../../endpoint/bind.js';
import { lifetimeOf } from './cache-key.js';
import type { EndpointQuery } from './endpoint-query.js';
import type { DataOfResult, KnownData, PartitionedData } from './known-data.js';
import type { QueryResult } from './ports.js';

/** A query of an endpoint that caches until its data changes. */
export interface VersionedQuery extends EndpointQuery {
  /** As {@link bindCall} binds it, where that was done. */
  readonly bound?: BoundQuery | undefined;
}

/** Knows in which version the tables of a query are. Never rejects: without a version, seconds count. */
export interface DataVersions {
  /** The version before a query; undefined where there is none, or it changes all the time. */
  readonly before: (query: VersionedQuery) => Promise<KnownData | undefined>;
  /**
   * The state of the tables of an endpoint with pieces; undefined where its results cannot be composed.
   *
   * @param isRead whether it must be read now
   */
  readonly partitions: (
    query: VersionedQuery,
    how?: { readonly isRead: boolean },
  ) => Promise<PartitionedData | undefined>;
  /**
   * When a read found that the tables still have a version, in milliseconds since 1970; undefined where they have another one.
   *
   * @param isRead whether it must be read now
   */
  readonly confirm: (
    query: VersionedQuery,
    version: string,
    how: { readonly isRead: boolean },
  ) => Promise<number | undefined>;
}

/** For servers whose versions are not known. */
export const NO_VERSIONS: DataVersions = {
  before: () => Promise.resolve(undefined),
  partitions: () => Promise.resolve(undefined),
  confirm: () => Promise.resolve(undefined),
};

/** Between the versions of the queries that a result has rows of. None of them has it. */
const SEPARATOR = ' ';

/**
 * Runs a query over the versions of the data that it reads, where they are known.
 *
 * @param reads the queries of which it has rows
 * @param startedAt milliseconds since 1970
 * @param over what it runs with, by what is known of each of them; undefined where it cannot run over the versions
 * @param run gets that, where each has a version
 * @returns with `data` where the rows are those of the versions
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
  // What was dropped, or altered and altered back, between the read of the version and the query shows in a read after it.
  const confirmed = await confirmedReads(versions, reads, version, { isRead: true });
  return confirmed ? { ran, data: { version, confirmedAt: startedAt } } : { ran };
}

/** Of several reads, only those that changed: the others keep their confirmations. */
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
 * Confirms that the data of a result has its version still.
 *
 * @param reads the queries of which it has rows
 * @returns since when that is known, and until when it counts, in milliseconds since 1970; undefined where it changed
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
