import type { Endpoint } from '../../../endpoint/endpoint.js';
import type { Endpoints } from '../../../endpoint/registry.js';

/** How the endpoint files were loaded. */
export interface ReloadState {
  /** When that ended. */
  readonly at: Date;
  /** Whether every file is valid and served. */
  readonly ok: boolean;
  /** Each with its file, place and excerpt. */
  readonly problems: readonly object[];
  /** Names of endpoints. */
  readonly added: readonly string[];
  /** With another definition or other settings. */
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** The endpoints that the gateway serves, each with the digest of its definition and why ClickHouse rejects it, and its last reload. */
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
