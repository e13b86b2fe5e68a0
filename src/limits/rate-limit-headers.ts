import type { LimitState } from './limit-state.js';
import { COSTS } from './limits-of.js';

/** Name of a limit in headers, and the unit of its quota; `requests` is the default unit. */
const NAMES: Readonly<Record<LimitState['counted'], { readonly name: string; readonly unit?: string }>> = {
  requests: { name: 'requests' },
  rowsRead: { name: 'rows-read', unit: 'rows' },
  bytesRead: { name: 'bytes-read', unit: 'bytes' },
  clickhouseMs: { name: 'clickhouse-ms', unit: 'milliseconds' },
  concurrent: { name: 'concurrent', unit: 'concurrent-requests' },
};

/**
 * `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers) as structured fields (RFC 9651); no
 * headers without limits. The prefix `endpoint-` marks limits of the endpoint.
 */
export function rateLimitHeaders(states: readonly LimitState[]): Readonly<Record<string, string>> {
  const shown = states.filter(isShown);
  if (shown.length === 0) return {};
  return {
    'RateLimit-Policy': shown.map(policyOf).join(', '),
    RateLimit: shown.map(serviceLimitOf).join(', '),
  };
}

/** As {@link rateLimitHeaders}: names and values alternate. */
export function rateLimitHeaderList(states: readonly LimitState[]): readonly string[] {
  return Object.entries(rateLimitHeaders(states)).flat();
}

/** Cost limits of sandboxed callers stay hidden: they would reveal how many rows of other tenants a query read. */
function isShown({ subject, counted }: LimitState): boolean {
  return subject.isSandboxed !== true || !COSTS.some((cost) => cost === counted);
}

function policyOf(state: LimitState): string {
  const { unit } = NAMES[state.counted];
  return item(state, { q: state.quota, qu: unit === undefined ? undefined : `"${unit}"`, w: state.window });
}

function serviceLimitOf(state: LimitState): string {
  return item(state, { r: state.remaining, t: state.resetSeconds });
}

function item(
  { subject, counted }: LimitState,
  parameters: Readonly<Record<string, number | string | undefined>>,
): string {
  const { name } = NAMES[counted];
  const present = Object.entries(parameters).filter(([, value]) => value !== undefined);
  const title = subject.kind === 'key' ? name : `endpoint-${name}`;
  return [`"${title}"`, ...present.map(([key, value]) => `${key}=${String(value)}`)].join(';');
}
