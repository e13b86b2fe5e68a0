import type { Page } from 'playwright-core';

/** Records what a page copies from then on, instead of writing it to the clipboard. */
export const recordCopies = (page: Page): Promise<unknown> =>
  page.addInitScript(`
  window.copied = [];
  navigator.clipboard.writeText = (text) => { window.copied.push(text); return Promise.resolve(); };`);

export const copiedTexts = (page: Page): Promise<readonly string[]> => page.evaluate('window.copied');
