import { OWN_ROWS_READER, type Reader } from '../../endpoint/figures.js';
import { unitsLeft, type LimitState } from './limit-state.js';

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
export function rateLimitHeaders(
  states: readonly LimitState[],
  reader: Reader,
): Readonly<Record<string, string>> {
  const shown = states.flatMap((state) => shownState(state, reader) ?? []);
  if (shown.length === 0) return {};
  return {
    'RateLimit-Policy': shown.map(({ state }) => policyOf(state)).join(', '),
    RateLimit: shown.map(serviceLimitOf).join(', '),
  };
}

/** As {@link rateLimitHeaders}: names and values alternate. */
export function rateLimitHeaderList(states: readonly LimitState[], reader: Reader): readonly string[] {
  return Object.entries(rateLimitHeaders(states, reader)).flat();
}

/** A limit whose rest the caller may know. */
interface ShownState {
  readonly state: LimitState;
  readonly left: number;
}

/** Limits on cost that callers' own SQL uses up stay hidden from all: the rest would reveal what the SQL read. */
function shownState(state: LimitState, reader: Reader): ShownState | undefined {
  const left = unitsLeft(state, state.subject.isSandboxed ? OWN_ROWS_READER : reader);
  return left === undefined ? undefined : { state, left };
}

function policyOf(state: LimitState): string {
  const { unit } = NAMES[state.counted];
  return item(state, { q: state.quota, qu: unit === undefined ? undefined : `"${unit}"`, w: state.window });
}

function serviceLimitOf({ state, left }: ShownState): string {
  return item(state, { r: left, t: state.resetSeconds });
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
