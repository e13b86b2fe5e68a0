import { keyInFragment } from './model/address.js';

const STORAGE_KEY = 'querygate.key';

/** The key of this tab, else the one that this browser keeps; empty where there is none. */
export const storedKey = (): string =>
  sessionStorage.getItem(STORAGE_KEY) ?? localStorage.getItem(STORAGE_KEY) ?? '';

/**
 * Stores a key for this tab; only a duplicate of the tab has a copy.
 *
 * @param isKept whether all tabs have it, also after the browser was closed.
 */
export function storeKey(key: string, isKept: boolean): void {
  sessionStorage.setItem(STORAGE_KEY, key);
  if (isKept) localStorage.setItem(STORAGE_KEY, key);
}

/** Forgets a key. The one that the browser keeps stays where it is another one. */
export function forgetKey(key: string): void {
  sessionStorage.removeItem(STORAGE_KEY);
  if (localStorage.getItem(STORAGE_KEY) === key) localStorage.removeItem(STORAGE_KEY);
}

/** Calls back when another tab forgets the key that this browser kept. Returns a function that ends the calls. */
export function onKeyForgotten(notify: () => void): () => void {
  const listen = ({ key, newValue }: StorageEvent): void => {
    if (key === STORAGE_KEY && newValue === null) notify();
  };
  addEventListener('storage', listen);
  return () => {
    removeEventListener('storage', listen);
  };
}

/** The key in the address, which it leaves at once; empty where it has none. */
export function takeKeyFromAddress(): string {
  const key = keyInFragment(location.hash);
  if (key !== undefined) history.replaceState(null, '', '#/');
  return key ?? '';
}
