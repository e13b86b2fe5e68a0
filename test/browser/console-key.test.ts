import type { Page } from 'playwright-core';

import { describeInBrowser, seriousFindings, setHidden } from '../support/browser.js';
import { CONSOLE_KEY } from '../support/console-gateway.js';
import { consoleSession, runForm } from '../support/console-session.js';

const keyIn = (page: Page): Promise<unknown> => page.evaluate("sessionStorage.getItem('querygate.key')");

describeInBrowser('the key of the console', () => {
  const session = consoleSession();

  describe('in the address', () => {
    it('opens the console, and is in neither the address nor the history of the tab', () =>
      session.visit(async (page) => {
        await page.goto(`${session.gateway.url}/docs`);
        await page.goto(`${session.gateway.url}/#key=${CONSOLE_KEY}`);
        await page.waitForSelector('nav.endpoints li');
        expect(new URL(page.url()).hash).toBe('#/');
        expect(await keyIn(page)).toBe(CONSOLE_KEY);
        await page.click('nav a[href="#/usage.api-counts"]');
        await page.waitForSelector('form.request');
        await page.goBack();
        expect(new URL(page.url()).hash).toBe('#/');
      }));

    it('replaces the stored key only if the gateway accepts it, also in an open page', () =>
      session.open('', async (page) => {
        await page.evaluate("location.hash = '#key=wrong'");
        await page.waitForSelector('text=The gateway does not accept the other key');
        await page.waitForSelector('nav.endpoints li');
        expect(await keyIn(page)).toBe(CONSOLE_KEY);
        expect(page.url()).not.toContain('wrong');
        expect(await seriousFindings(page)).toEqual([]);
      }));

    it('is not stored where the gateway does not accept it', () =>
      session.visit(async (page) => {
        await page.goto(`${session.gateway.url}/#key=wrong`);
        await page.waitForSelector('#key-problem');
        expect([await keyIn(page), new URL(page.url()).hash]).toEqual([null, '#/']);
      }));

    it('opens a console without anything of development where the gateway runs in production', () =>
      session.visit(async (page) => {
        const requests: string[] = [];
        page.on('request', (request) => {
          if (request.url().includes('/api/dev')) requests.push(new URL(request.url()).pathname);
        });
        const [response] = await Promise.all([
          page.waitForResponse(/\/api\/dev/),
          page.goto(`${session.gateway.url}/#key=${CONSOLE_KEY}`),
        ]);
        expect(response.status()).toBe(204);
        await page.click('nav a[href="#/usage.api-counts"]');
        await runForm(page);
        await page.waitForSelector('.rows tbody tr');
        await setHidden(page, true);
        await setHidden(page, false);
        expect(requests).toEqual(['/api/dev']);
        expect(await page.locator('.banner, .sql-panel, .editor').count()).toBe(0);
      }));
  });

  describe('that was entered', () => {
    const link = '#/usage.api-counts?project=aurora&interval=daily';

    const enter = async (page: Page): Promise<void> => {
      await page.fill('#key', CONSOLE_KEY);
      await page.keyboard.press('Enter');
      await page.waitForSelector('nav.endpoints li');
    };

    it('opens links in other tabs of the browser, until one of them forgets it', () =>
      session.visit(async (page) => {
        await page.goto(`${session.gateway.url}/`);
        await enter(page);
        const other = await page.context().newPage();
        await other.goto(`${session.gateway.url}/${link}`);
        await other.waitForSelector('.rows tbody tr');
        expect(other.url()).toBe(`${session.gateway.url}/${link}`);
        await other.click('text=Forget key');
        await page.waitForSelector('#key');
        expect(await page.evaluate("localStorage.getItem('querygate.key')")).toBeNull();
        expect(await keyIn(page)).toBeNull();
      }));

    it('stays where another tab has a key of its own that is not valid', () =>
      session.visit(async (page) => {
        await page.goto(`${session.gateway.url}/`);
        await enter(page);
        const other = await page.context().newPage();
        await other.addInitScript("sessionStorage.setItem('querygate.key', 'revoked')");
        await other.goto(`${session.gateway.url}/${link}`);
        await other.waitForSelector('text=The gateway does not accept the other key');
        await other.waitForSelector('.rows tbody tr');
        expect(await page.evaluate("localStorage.getItem('querygate.key')")).toBe(CONSOLE_KEY);
      }));

    it('stays where /docs has another key that is not valid', () =>
      session.visit(async (page) => {
        await page.goto(`${session.gateway.url}/`);
        await enter(page);
        await page.evaluate("sessionStorage.setItem('querygate.key', 'revoked')");
        await page.goto(`${session.gateway.url}/docs`);
        await page.waitForSelector('#status.wrong');
        expect([await keyIn(page), await page.evaluate("localStorage.getItem('querygate.key')")]).toEqual([
          ...[null, CONSOLE_KEY],
        ]);
      }));

    it('is in its tab only where it should not be kept', () =>
      session.visit(async (page) => {
        await page.goto(`${session.gateway.url}/`);
        await page.uncheck('.keep input');
        await enter(page);
        expect(await page.evaluate("localStorage.getItem('querygate.key')")).toBeNull();
        await page.reload();
        await page.waitForSelector('nav.endpoints li');
        const other = await page.context().newPage();
        await other.goto(`${session.gateway.url}/${link}`);
        await other.waitForSelector('#key');
        await other.close();
      }));
  });
});
