import type { EntryName } from '../query/cache-key.js';

/**
 * The names under which gateways that share a Redis meet. All keys of one question hold its hash in braces, so that a
 * Redis Cluster keeps them in one slot.
 */
export class RedisKeys {
  constructor(private readonly prefix: string) {}

  result({ endpointId, hash }: EntryName): string {
    return `${this.prefix}result:${endpointId}:{${hash}}`;
  }

  /** Glob of the answers of an endpoint, or of all. */
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

  /** Gateways that were asked for an endpoint lately. */
  gateways(endpointId: string): string {
    return `${this.prefix}used:${endpointId}`;
  }

  usage(endpointId: string, gateway: string): string {
    return `${this.prefix}used:${endpointId}:${gateway}`;
  }

  /** What is counted of a caller or an endpoint over a window. */
  limit(name: string): string {
    return `${this.prefix}limit:${name}`;
  }

  /** Queries that a caller or an endpoint has running. */
  permits(name: string): string {
    return `${this.prefix}running:${name}`;
  }

  get purges(): string {
    return `${this.prefix}purges`;
  }
}

const globEscaped = (text: string): string => text.replaceAll(/[*?[\]\\]/g, '\\$&');
