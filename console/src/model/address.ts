import type { Values } from './endpoint.js';

/** What the address bar contains; never a key. */
export interface Address {
  /** Empty: the list. */
  readonly endpoint: string;
  /** Absent where the endpoint was chosen but has not been called. */
  readonly values?: Values | undefined;
}

/**
 * The fragment of an address, which browsers do not send.
 *
 * @returns `#/NAME?param=value`, `#/NAME` before the first call, or `#/` for the list.
 */
export function toFragment({ endpoint, values }: Address): string {
  const path = `#/${encodeURIComponent(endpoint)}`;
  return values ? `${path}?${new URLSearchParams(values).toString()}` : path;
}

/** Parses a fragment; anything else means the list. */
export function fromFragment(fragment: string): Address {
  const match = /^#\/([^?]*)(?:\?(.*))?$/s.exec(fragment);
  const query = match?.[2];
  try {
    const endpoint = decodeURIComponent(match?.[1] ?? '');
    return {
      endpoint,
      values: query === undefined ? undefined : Object.fromEntries(new URLSearchParams(query)),
    };
  } catch {
    return { endpoint: '' };
  }
}

/** The key of a fragment `#key=KEY`, as `querygate dev` prints it; undefined where the fragment is another one. */
export function keyInFragment(fragment: string): string | undefined {
  const key = /^#key=(.*)$/s.exec(fragment)?.[1];
  if (key === undefined) return undefined;
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
