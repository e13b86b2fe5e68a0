import type { Endpoint } from './endpoint.js';
import type { EndpointRegistry, Endpoints } from './registry.js';

/**
 * The endpoints that a gateway serves now. A reload replaces all of them at once; a request that runs meanwhile keeps the
 * endpoint that it found.
 */
export class ServedEndpoints implements Endpoints {
  private resultsUnder: string | undefined;

  constructor(private registry: EndpointRegistry) {}

  all(): readonly Endpoint[] {
    return this.registry.all();
  }

  find(idOrName: string): Endpoint | undefined {
    return this.registry.find(idOrName);
  }

  has(endpoint: Endpoint): boolean {
    return this.registry.has(endpoint);
  }

  replace(registry: EndpointRegistry): void {
    this.registry = registry.withResultsUnder(this.resultsUnder);
  }

  /** Changes the cache keys of later results. @param resultsUnder text that distinguishes them, in addition to the definitions */
  keepApart(resultsUnder: string | undefined): void {
    this.resultsUnder = resultsUnder;
    this.replace(this.registry);
  }
}
