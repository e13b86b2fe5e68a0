/** What identifies an endpoint. */
export interface EndpointIdentity {
  /** A UUID in lower case. */
  readonly id: string;
  readonly name: string;
}

const OWN = 'gateway.';

/** Whether an endpoint tells of the gateway's own callers. */
export function isAboutCallers({ name }: EndpointIdentity): boolean {
  return name.startsWith(OWN);
}

/**
 * Whether a pattern means an endpoint: its name, its id, or a name in which each `*` stands for any characters, dots
 * and none included (`logs.*`, `get-grouped-stats-*`, `*`). What the gateway tells of itself has to be named as such: `*`
 * does not mean it, since it tells of other callers.
 */
export function meansEndpoint(pattern: string, { id, name }: EndpointIdentity): boolean {
  if (pattern === name || pattern === id) return true;
  if (!pattern.includes('*') || !matches(pattern, name)) return false;
  return !isAboutCallers({ id, name }) || pattern.startsWith(OWN);
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
