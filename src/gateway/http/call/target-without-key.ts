/**
 * A request target, for a header: without a key.
 *
 * @param dropped a parameter that is left out too
 * @param added pairs that are added
 */
export function withoutKey(target: string, dropped?: string, ...added: readonly string[]): string {
  // A proxy may send the absolute form.
  const [path = '', query = ''] = target.replace(/^https?:\/\/[^/]*/i, '').split(/\?(.*)/s, 2);
  const kept = query.split('&').filter((pair) => pair !== '' && !['api_key', dropped].includes(nameIn(pair)));
  // What a URL cannot have, and what would end a link.
  const escaped = [...kept, ...added].join('&').replaceAll(/[^!-~]|[<>"]/g, encodeURIComponent);
  return escaped === '' ? path : `${path}?${escaped}`;
}

/** A name can be percent-encoded. */
const nameIn = (pair: string): string => [...new URLSearchParams(pair).keys()][0] ?? '';
