/** What identifies an endpoint. */
export interface EndpointIdentity {
  /** A UUID in lower case. */
  readonly id: string;
  readonly name: string;
}

/**
 * Whether a pattern means an endpoint: its name, its id, or a name in which each `*` stands for any characters, dots
 * and none included (`logs.*`, `get-grouped-stats-*`, `*`).
 */
export function meansEndpoint(pattern: string, { id, name }: EndpointIdentity): boolean {
  return pattern === name || pattern === id || (pattern.includes('*') && matches(pattern, name));
}

/** Takes the first place for each part in turn, which is right for `*` and linear however many there are. */
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
