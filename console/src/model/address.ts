import type { Values } from './endpoint.js';

/** What the address bar contains; never a key. */
export interface Address {
  /** Empty: the list. */
  readonly endpoint: string;
  /** Absent where the endpoint was chosen but has not been called. */
  readonly values?: Values | undefined;
  /** How the result is shown; absent or empty: as the page chooses. */
  readonly view?: Values | undefined;
  /** The page of the result that is shown; absent: the first. */
  readonly page?: Page | undefined;
}

/** A page after the first. */
export interface Page {
  readonly number: number;
  readonly cursor: string;
}

/** A view with another value; the empty text removes it. */
export const viewWith = (view: Values, name: string, value: string): Values =>
  Object.fromEntries(Object.entries({ ...view, [name]: value }).filter(([, text]) => text !== ''));

/**
 * The fragment of an address, which browsers do not send.
 *
 * @returns `#/NAME;as=bars?param=value`, with `;page=2;cursor=TEXT` for a page, `#/NAME` before the first call, or `#/` for the list.
 */
export function toFragment({ endpoint, values, view = {}, page }: Address): string {
  const shown = { ...view, ...(page && { page: String(page.number), cursor: page.cursor }) };
  const parts = Object.entries(shown).map((pair) => `;${pair.map(encodeURIComponent).join('=')}`);
  const path = `#/${encodeURIComponent(endpoint)}${parts.join('')}`;
  return values ? `${path}?${new URLSearchParams(values).toString()}` : path;
}

/** Parses a fragment; anything else means the list. */
export function fromFragment(fragment: string): Address {
  const [, path = '', query] = /^#\/([^?]*)(?:\?(.*))?$/s.exec(fragment) ?? [];
  const [name = '', ...parts] = path.split(';');
  try {
    const pairs = parts.map((part) => part.split('=', 2).map(decodeURIComponent));
    const { page = '', cursor, ...view } = Object.fromEntries(pairs) as Values;
    return {
      endpoint: decodeURIComponent(name),
      ...(Object.keys(view).length > 0 && { view }),
      ...(cursor !== undefined && /^\d{1,9}$/.test(page) && { page: { number: Number(page), cursor } }),
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
