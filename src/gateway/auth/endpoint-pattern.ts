/** Identifies an endpoint. */
export interface EndpointIdentity {
  /** A UUID in lower case. */
  readonly id: string;
  readonly name: string;
  /** Whether the endpoint's query reads the request log. */
  readonly readsRequestLog?: boolean;
}

const CALLER_STATISTICS_PREFIX = 'gateway.';

/** Whether an endpoint reports on the gateway's own callers. */
export function isAboutCallers({ name }: EndpointIdentity): boolean {
  return name.startsWith(CALLER_STATISTICS_PREFIX);
}

/**
 * Whether a pattern matches an endpoint: its name, its id, or a name in which `*` stands for any number of
 * characters, dots included (`logs.*`, `get-grouped-stats-*`, `*`). `gateway.*` endpoints report on other callers, so
 * only a pattern that starts with `gateway.` matches them; `*` does not.
 */
export function matchesEndpoint(pattern: string, { id, name }: EndpointIdentity): boolean {
  if (pattern === name || pattern === id) return true;
  if (!pattern.includes('*') || !matches(pattern, name)) return false;
  return !isAboutCallers({ id, name }) || pattern.startsWith(CALLER_STATISTICS_PREFIX);
}

/** Greedy: takes the first occurrence of each part in order. Correct for `*`, and linear in the number of parts. */
function matches(pattern: string, name: string): boolean {
  const parts = pattern.split('*');
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  if (!name.startsWith(first)) return false;
  let from = first.length;
  for (const part of parts.slice(1, -1)) {
    const at = name.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return name.length - from >= last.length && name.endsWith(last);
}
