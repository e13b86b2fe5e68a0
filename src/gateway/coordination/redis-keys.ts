import type { EntryName } from '../query/cache-key.js';

/**
 * Version of the data about queries that gateways share: results, locks and failures. Raise it when the layout of any of these changes, or
 * when the same cache key can have other bytes. Gateways with different versions neither read nor replace each other's data.
 */
export const SHARED_FORMAT = 4;

/**
 * The names of all keys in Redis. The keys of one query contain its hash in braces, so that a Redis Cluster stores them in one slot. Limits
 * and purges have no version, because gateways of all versions count and purge together: their layout must not change.
 */
export class RedisKeys {
  constructor(private readonly prefix: string) {}

  result({ endpointId, hash }: EntryName): string {
    return `${this.prefix}result:${endpointId}:{${hash}}:${SHARED_FORMAT}`;
  }

  /** Glob pattern for the results of an endpoint, or of all endpoints, in every version. */
  resultsOf(endpointId = '*'): string {
    return `${globEscaped(this.prefix)}result:${endpointId}:*`;
  }

  /** Key that a gateway writes to learn whether Redis accepts writes. */
  get probe(): string {
    return `${this.prefix}probe`;
  }

  /** Lock of the gateway that runs a query, for a miss or for the refresh of a cached result. */
  lock({ hash }: EntryName, of: 'miss' | 'refresh'): string {
    const suffix = of === 'miss' ? '' : `:${of}`;
    return `${this.prefix}lock:{${hash}}:${SHARED_FORMAT}${suffix}`;
  }

  failure({ hash }: EntryName, token: string): string {
    return `${this.prefix}failure:{${hash}}:${SHARED_FORMAT}:${token}`;
  }

  /** Key that exists while a caller wants a deferred call. */
  deferred(id: string): string {
    return `${this.prefix}deferred:{${id}}:${SHARED_FORMAT}`;
  }

  deferredFailure(id: string): string {
    return `${this.prefix}deferred:{${id}}:${SHARED_FORMAT}:failure`;
  }

  /** Version of the tables of a query. */
  version(hash: string): string {
    return `${this.prefix}version:${SHARED_FORMAT}:${hash}`;
  }

  /** Counter of a principal or an endpoint in a time window. */
  limit(name: string): string {
    return `${this.prefix}limit:${name}`;
  }

  /** Running queries of a principal or an endpoint. */
  permits(name: string): string {
    return `${this.prefix}running:${name}`;
  }

  get purges(): string {
    return `${this.prefix}purges`;
  }
}

const globEscaped = (text: string): string => text.replaceAll(/[*?[\]\\]/g, '\\$&');
