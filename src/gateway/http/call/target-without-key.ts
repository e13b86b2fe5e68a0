/**
 * A request target without a key, so that a header may contain it.
 *
 * @param dropped a further parameter to remove
 * @param added pairs to add
 */
export function withoutKey(target: string, dropped?: string, ...added: readonly string[]): string {
  // A proxy may send the absolute form of the target.
  const [path = '', query = ''] = target.replace(/^https?:\/\/[^/]*/i, '').split(/\?(.*)/s, 2);
  const kept = query.split('&').filter((pair) => pair !== '' && !['api_key', dropped].includes(nameIn(pair)));
  // Characters that are invalid in a URL, or would end a link.
  const escaped = [...kept, ...added].join('&').replaceAll(/[^!-~]|[<>"]/g, encodeURIComponent);
  return escaped === '' ? path : `${path}?${escaped}`;
}

/** The decoded name of a pair. */
const nameIn = (pair: string): string => [...new URLSearchParams(pair).keys()][0] ?? '';
