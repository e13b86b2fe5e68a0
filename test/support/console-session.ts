import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

import { openBrowser, visit } from './browser.js';
import { CONSOLE_KEY, startConsoleGateway, type ConsoleGateway } from './console-gateway.js';

/** A gateway and a browser, available once the tests run. */
export interface ConsoleSession {
  readonly gateway: ConsoleGateway;
  readonly browser: Browser;
  /** Runs a test's body with a page in a browser session of its own. It fails where the page reports an error. */
  readonly visit: (use: (page: Page) => Promise<void>, options?: BrowserContextOptions) => Promise<void>;
  /** Like `visit`, on a page of the console. @param fragment of its URL */
  readonly open: (
    fragment: string,
    use: (page: Page) => Promise<void>,
    options?: BrowserContextOptions & { readonly key?: string },
  ) => Promise<void>;
}

/**
 * Starts a gateway and a browser before the tests of a file and stops them after the tests.
 *
 * @param startGateway with a folder that is removed after the tests.
 */
export function consoleSession(
  startGateway: (folder: string) => Promise<ConsoleGateway> = startConsoleGateway,
): ConsoleSession {
  const session = {
    visit: (use, options) => visit(session.browser, ({ page }) => use(page), options),
    open: (fragment, use, { key, ...options } = {}) =>
      session.visit(async (page) => {
        await openConsole(session, page, fragment, key);
        await use(page);
      }, options),
  } as ConsoleSession & { gateway: ConsoleGateway; browser: Browser };
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'querygate-console-'));
    [session.gateway, session.browser] = await Promise.all([startGateway(folder), openBrowser()]);
  }, 60_000);
  afterAll(async () => {
    await session.browser.close();
    session.gateway.process.child.kill('SIGTERM');
    await session.gateway.process.ended;
    await rm(folder, { recursive: true, force: true });
  }, 30_000);
  return session;
}

/** Opens a URL of the console with a key that was entered before. */
export async function openConsole(
  { gateway }: ConsoleSession,
  page: Page,
  fragment = '',
  key = CONSOLE_KEY,
): Promise<void> {
  await page.addInitScript(`sessionStorage.setItem('querygate.key', '${key}')`);
  await page.goto(`${gateway.url}/${fragment}`);
  await page.waitForSelector('nav.endpoints li');
}

export const runForm = (page: Page): Promise<void> => page.click('form.request button[type=submit]');

export const rowsOf = (page: Page): Promise<number> => page.locator('.rows tbody tr').count();
