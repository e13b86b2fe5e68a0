import type { Call } from './call.js';
import type { EndpointResult } from './endpoint-result.js';
import type { KnownData, PartitionedData } from './known-data.js';

/** Knows in which version the tables of a query are. Never rejects: without a version, seconds count. */
export interface DataVersions {
  /** The version before a query; undefined where there is none, or it changes all the time. */
  readonly before: (call: Call) => Promise<KnownData | undefined>;
  /**
   * The state of the tables of an endpoint with pieces; undefined where its results cannot be composed.
   *
   * @param isRead whether it must be read now
   */
  readonly partitions: (
    call: Omit<Call, 'demand'>,
    how?: { readonly isRead: boolean },
  ) => Promise<PartitionedData | undefined>;
  /** Whether the tables have a version, as a read that begins now finds it. */
  readonly isStill: (call: Call, version: string) => Promise<boolean>;
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
  isStill: () => Promise.resolve(false),
  confirm: () => Promise.resolve(undefined),
};
