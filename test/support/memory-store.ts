import type { CacheKey } from '../../src/gateway/query/cache-key.js';
import type { EndpointResult } from '../../src/gateway/query/endpoint-result.js';
import type { ResultStore } from '../../src/gateway/query/result-store.js';

/** A cache that keeps every result. */
export class MemoryStore implements ResultStore {
  private readonly results = new Map<string, EndpointResult>();

  readonly get = ({ hash }: CacheKey): Promise<EndpointResult | undefined> =>
    Promise.resolve(this.results.get(hash));

  readonly set = ({ hash }: CacheKey, result: EndpointResult): Promise<void> => {
    this.results.set(hash, result);
    return Promise.resolve();
  };

  readonly purge = (): Promise<void> => {
    this.results.clear();
    return Promise.resolve();
  };
}
