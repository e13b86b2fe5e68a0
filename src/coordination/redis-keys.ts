import type { EntryName } from '../query/cache-key.js';

/**
 * The names of all keys in Redis. The keys of one query contain its hash in braces, so that a Redis Cluster stores
 * them in one slot.
 */
export class RedisKeys {
  constructor(private readonly prefix: string) {}

  result({ endpointId, hash }: EntryName): string {
    return `${this.prefix}result:${endpointId}:{${hash}}`;
  }

  /** Glob pattern for the results of an endpoint, or of all. */
  resultsOf(endpointId = '*'): string {
    return `${globEscaped(this.prefix)}result:${endpointId}:*`;
  }

  lock({ hash }: EntryName): string {
    return `${this.prefix}lock:{${hash}}`;
  }

  failure({ hash }: EntryName, token: string): string {
    return `${this.prefix}failure:{${hash}}:${token}`;
  }

  get leader(): string {
    return `${this.prefix}warming:leader`;
  }

  /** The gateways that recently published the use of an endpoint. */
  gateways(endpointId: string): string {
    return `${this.prefix}used:${endpointId}`;
  }

  usage(endpointId: string, gateway: string): string {
    return `${this.prefix}used:${endpointId}:${gateway}`;
  }

  /** A counter of a principal or an endpoint over a time window. */
  limit(name: string): string {
    return `${this.prefix}limit:${name}`;
  }

  /** The running queries of a principal or an endpoint. */
  permits(name: string): string {
    return `${this.prefix}running:${name}`;
  }

  get purges(): string {
    return `${this.prefix}purges`;
  }
}

const globEscaped = (text: string): string => text.replaceAll(/[*?[\]\\]/g, '\\$&');
