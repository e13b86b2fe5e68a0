import type { EndpointSettings } from './definition.js';
import { withSettings, type Endpoint, type ServedSettings } from './endpoint.js';
import { isUuid } from './uuid.js';

/** The endpoints that a gateway serves. */
export interface Endpoints {
  /** All endpoints, sorted by name; the same array until the endpoints are replaced. */
  readonly all: () => readonly Endpoint[];
  /** Finds by id where the value has the textual form of a UUID, else by name. */
  readonly find: (idOrName: string) => Endpoint | undefined;
  /** Whether this object is one of the endpoints, and not an earlier version of one. */
  readonly has: (endpoint: Endpoint) => boolean;
}

/** Endpoints that do not change. */
export class EndpointRegistry implements Endpoints {
  private readonly byId = new Map<string, Endpoint>();
  private readonly byName = new Map<string, Endpoint>();
  private readonly sorted: readonly Endpoint[];

  /** @throws Error naming both, where two endpoints share an id or a name. */
  constructor(endpoints: readonly Endpoint[]) {
    for (const endpoint of endpoints) {
      const same = this.byId.get(endpoint.id) ?? this.byName.get(endpoint.name);
      if (same) {
        const shared = same.id === endpoint.id ? `id ${endpoint.id}` : `name ${endpoint.name}`;
        throw new Error(`endpoints ${same.name} and ${endpoint.name} have the same ${shared}`);
      }
      this.byId.set(endpoint.id, endpoint);
      this.byName.set(endpoint.name, endpoint);
    }
    this.sorted = [...this.byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  all(): readonly Endpoint[] {
    return this.sorted;
  }

  find(idOrName: string): Endpoint | undefined {
    return isUuid(idOrName) ? this.byId.get(idOrName.toLowerCase()) : this.byName.get(idOrName);
  }

  has(endpoint: Endpoint): boolean {
    return this.byId.get(endpoint.id) === endpoint;
  }

  /** The endpoints except those with certain names. */
  without(isExcepted: (name: string) => boolean): EndpointRegistry {
    return new EndpointRegistry(this.all().filter(({ name }) => !isExcepted(name)));
  }

  /** The endpoints without limits of all callers together. */
  withoutLimits(): EndpointRegistry {
    return new EndpointRegistry(
      this.all().map((endpoint) => {
        const { limits, ...settings } = endpoint.settings;
        return limits === undefined ? endpoint : { ...endpoint, settings };
      }),
    );
  }

  /** The same endpoints, whose results get other cache keys. */
  withResultsUnder(resultsUnder: string | undefined): EndpointRegistry {
    if (this.all().every((endpoint) => endpoint.resultsUnder === resultsUnder)) return this;
    return new EndpointRegistry(this.all().map((endpoint) => ({ ...endpoint, resultsUnder })));
  }

  /** The endpoints with the defaults of this deployment, for settings that they do not declare. */
  withDefaults(defaults: Partial<Omit<EndpointSettings, 'caching'>>): EndpointRegistry {
    // The declared settings keep their order: a reload compares endpoints by their text.
    const withThem = (settings: ServedSettings): ServedSettings => ({
      ...settings,
      ...defaults,
      ...settings,
    });
    return new EndpointRegistry(this.all().map((e) => ({ ...e, settings: withThem(e.settings) })));
  }

  /**
   * The endpoints with the execution settings of this deployment.
   *
   * @param overrides by name or id.
   * @throws Error where a name or id has no endpoint.
   */
  withOverrides(overrides: ReadonlyMap<string, Partial<EndpointSettings>>): EndpointRegistry {
    const byEndpoint = new Map<Endpoint, Partial<EndpointSettings>>();
    for (const [idOrName, settings] of overrides) {
      const endpoint = this.find(idOrName);
      if (!endpoint) {
        const known = this.all().map(({ name }) => name);
        throw new Error(`there is no endpoint "${idOrName}"; the endpoints are ${known.join(', ')}`);
      }
      byEndpoint.set(endpoint, settings);
    }
    return new EndpointRegistry(this.all().map((e) => withSettings(e, byEndpoint.get(e) ?? {})));
  }
}
