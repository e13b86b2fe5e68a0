import type { Values } from './endpoint.js';

/** What the address bar keeps: never a key. */
export interface Address {
  /** Empty: the list. */
  readonly endpoint: string;
  /** Absent: the endpoint was chosen, and nothing has been asked of it yet. */
  readonly values?: Values | undefined;
}

/**
 * The fragment of an address, which browsers send to nobody.
 *
 * @returns `#/NAME?param=value`, `#/NAME` where nothing has been asked yet, or `#/` for the list.
 */
export function toFragment({ endpoint, values }: Address): string {
  const path = `#/${encodeURIComponent(endpoint)}`;
  return values ? `${path}?${new URLSearchParams(values).toString()}` : path;
}

/** Reads a fragment; what is none is the list. */
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
