import { keyInFragment } from './model/address.js';

/** The page /docs reads it too. */
const STORAGE_KEY = 'querygate.key';

/** The key of this tab; closing the tab removes it. Only a duplicate of this tab has a copy. */
export const storedKey = (): string => sessionStorage.getItem(STORAGE_KEY) ?? '';

export function storeKey(key: string): void {
  sessionStorage.setItem(STORAGE_KEY, key);
}

export function forgetKey(): void {
  sessionStorage.removeItem(STORAGE_KEY);
}

/** The key in the address, which it leaves at once; empty where it has none. */
export function takeKeyFromAddress(): string {
  const key = keyInFragment(location.hash);
  if (key !== undefined) history.replaceState(null, '', '#/');
  return key ?? '';
}
