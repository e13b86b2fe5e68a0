import { OWN_ROWS_READER, type Reader } from '../../endpoint/figures.js';
import { unitsLeft, type LimitState } from './limit-state.js';

/** Name of each limit in headers, and the unit of its quota; `requests` is the default unit. */
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
export function rateLimitHeaders(
  states: readonly LimitState[],
  reader: Reader,
): Readonly<Record<string, string>> {
  const [policy, policies = '', limit, limits = ''] = rateLimitHeaderList(states, reader);
  return policy === undefined || limit === undefined ? {} : { [policy]: policies, [limit]: limits };
}

/** The headers of {@link rateLimitHeaders} as a list in which names and values alternate. */
export function rateLimitHeaderList(states: readonly LimitState[], reader: Reader): readonly string[] {
  const policies: string[] = [];
  const limits: string[] = [];
  for (const state of states) {
    const left = leftFor(state, reader);
    if (left === undefined) continue;
    policies.push(policyOf(state));
    limits.push(serviceLimitOf(state, left));
  }
  if (limits.length === 0) return NONE;
  return ['RateLimit-Policy', policies.join(', '), 'RateLimit', limits.join(', ')];
}

const NONE: readonly string[] = [];

/** Hides from every caller the rest of a cost limit that callers use up with their own SQL: it would reveal what that SQL read. */
function leftFor(state: LimitState, reader: Reader): number | undefined {
  return unitsLeft(state, state.subject.isSandboxed ? OWN_ROWS_READER : reader);
}

function policyOf(state: LimitState): string {
  const { quota, counted, window } = state;
  const { unit } = NAMES[counted];
  const quotaUnit = unit === undefined ? '' : `;qu="${unit}"`;
  return `${titleOf(state)};q=${quota}${quotaUnit}${window === undefined ? '' : `;w=${window}`}`;
}

function serviceLimitOf(state: LimitState, left: number): string {
  const { resetSeconds } = state;
  return `${titleOf(state)};r=${left}${resetSeconds === undefined ? '' : `;t=${resetSeconds}`}`;
}

function titleOf({ subject, counted }: LimitState): string {
  const { name } = NAMES[counted];
  return subject.kind === 'key' ? `"${name}"` : `"endpoint-${name}"`;
}
