import type { Call } from './call.js';
import type { EndpointResult } from './endpoint-result.js';
import type { KnownData, PartitionedData, ProcessTime } from './known-data.js';

/** Knows in which version the tables of a query are. Never rejects: without a version, seconds count. */
export interface DataVersions {
  /** The version before a query; undefined where there is none, or it changes all the time. */
  readonly before: (call: Call) => Promise<KnownData | undefined>;
  /**
   * The state of the tables of an endpoint with pieces; undefined where its results cannot be composed.
   *
   * @param since after when it must be read
   */
  readonly partitions: (
    call: Omit<Call, 'demand'>,
    since?: ProcessTime,
  ) => Promise<PartitionedData | undefined>;
  /** The time now, for the `unprovenSince` of a result. */
  readonly now: () => ProcessTime;
  /** The result as fresh again, where its tables still have its version; otherwise undefined. */
  readonly confirm: (
    call: Omit<Call, 'demand'>,
    result: EndpointResult,
  ) => Promise<EndpointResult | undefined>;
}

/** For servers whose versions are not known. */
export const NO_VERSIONS: DataVersions = {
  before: () => Promise.resolve(undefined),
  partitions: () => Promise.resolve(undefined),
  now: () => ({ process: '', at: 0 }),
  confirm: () => Promise.resolve(undefined),
};
