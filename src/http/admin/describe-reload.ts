import type { Endpoints } from '../../endpoint/registry.js';

/** How the endpoint files were loaded. */
export interface ReloadState {
  readonly at: Date;
  readonly ok: boolean;
  /** Each with its file, place and excerpt. */
  readonly problems: readonly object[];
  /** Names of endpoints. */
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** The endpoints that the gateway serves, each with the digest of its definition, and its last reload. */
export function describeReload(
  endpoints: Endpoints,
  { last, lastSuccess }: { readonly last: ReloadState; readonly lastSuccess: Date },
): Readonly<Record<string, unknown>> {
  return {
    endpoints: endpoints.all().map(({ id, name, digest }) => ({ id, name, digest })),
    lastSuccess,
    lastReload: last,
  };
}
