/** The page /docs reads it too. */
const STORED = 'querygate.key';

/** The key of this tab; closing the tab removes it, and no other tab has it. */
export const storedKey = (): string => sessionStorage.getItem(STORED) ?? '';

export function keepKey(key: string): void {
  sessionStorage.setItem(STORED, key);
}

export function forgetKey(): void {
  sessionStorage.removeItem(STORED);
}
