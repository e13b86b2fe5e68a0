import type { Endpoint } from '../../../endpoint/endpoint.js';
import type { Endpoints } from '../../../endpoint/registry.js';

/** The outcome of a load of the endpoint files. */
export interface ReloadState {
  /** When the load ended. */
  readonly at: Date;
  /** Whether every file is valid and served. */
  readonly ok: boolean;
  /** Problems, each with its file, position and excerpt. */
  readonly problems: readonly object[];
  /** Names of the added endpoints; `changed` and `removed` have names too. */
  readonly added: readonly string[];
  /** Names of the endpoints with another definition or other settings. */
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** The last reload, and the endpoints that the gateway serves: the digest of each definition, and why ClickHouse rejects it. */
export function describeReload(
  endpoints: Endpoints,
  { last, lastSuccess }: { readonly last: ReloadState; readonly lastSuccess: Date },
  rejectionsOf: (endpoint: Endpoint) => readonly object[],
): Readonly<Record<string, unknown>> {
  return {
    endpoints: endpoints.all().map((endpoint) => {
      const { id, name, digest } = endpoint;
      const rejections = rejectionsOf(endpoint);
      return { id, name, digest, ...(rejections.length > 0 && { rejections }) };
    }),
    lastSuccess,
    lastReload: last,
  };
}
