import type { Page } from 'playwright-core';

import { describeInBrowser, seriousFindings } from '../support/browser.js';
import { CONSOLE_KEY } from '../support/console-gateway.js';
import { consoleSession, openConsole, rowsOf, runForm } from '../support/console-session.js';
import { pollUntil } from '../support/poll-until.js';

const untilGiven = (page: Page, interval: string): Promise<unknown> =>
  pollUntil(
    `the form has ${interval}`,
    async () => (await page.inputValue('#field-interval')) === interval || undefined,
  );

describeInBrowser('the console', () => {
  const session = consoleSession();

  it('requires a key on the first visit, reports an invalid one at its field, and opens with a valid one', () =>
    session.visit(async (page) => {
      await page.goto(`${session.gateway.url}/`);
      await page.waitForSelector('#key');
      expect(await page.evaluate('document.activeElement.id')).toBe('key');
      expect(await seriousFindings(page)).toEqual([]);
      await page.fill('#key', 'wrong');
      await page.keyboard.press('Enter');
      await page.waitForSelector('#key-problem');
      expect(await page.getAttribute('#key', 'aria-describedby')).toContain('key-problem');
      expect(await page.textContent('#key-problem')).toContain('is unknown or has expired');
      expect(await seriousFindings(page)).toEqual([]);
      await page.fill('#key', CONSOLE_KEY);
      await page.keyboard.press('Enter');
      await page.waitForSelector('nav.endpoints li');
      expect(await seriousFindings(page)).toEqual([]);
      expect(page.url()).not.toContain(CONSOLE_KEY);
      await page.click('text=Forget key');
      await page.waitForSelector('#key');
      expect(await page.evaluate('sessionStorage.length + localStorage.length')).toBe(0);
    }));

  it('shares the key of its tab with /docs, and forgets it on both', () =>
    session.visit(async (page) => {
      await page.goto(`${session.gateway.url}/`);
      await page.fill('#key', CONSOLE_KEY);
      await page.keyboard.press('Enter');
      await page.waitForSelector('nav.endpoints li');
      await page.goto(`${session.gateway.url}/docs`);
      await page.waitForSelector('.opblock');
      await page.click('text=Forget it');
      await page.waitForSelector('#key-form:not([hidden])');
      await page.goto(`${session.gateway.url}/`);
      await page.waitForSelector('#key');
      expect(await page.evaluate('sessionStorage.length')).toBe(0);
    }));

  it('runs the example of each endpoint, and draws the result unless it is of records or is cut', async () => {
    const charts = {
      'functions.invocation-stats': 0,
      'get-grouped-stats-events-logs': 0,
      'get-grouped-stats-redirects': 1,
      'logs.all': 0,
      'usage.api-counts': 1,
    };
    await session.open('', async (page) => {
      for (const [name, count] of Object.entries(charts)) {
        await page.click(`nav a[href="#/${name}"]`);
        await page.waitForSelector(`main h1:text-is("${name}")`);
        await page.waitForSelector('.outcome[aria-busy=false] .rows tbody tr');
        expect(await rowsOf(page)).toBeGreaterThan(1);
        expect([name, await page.locator('.chart canvas').count()]).toEqual([name, count]);
        const facts = (await page.textContent('.result-facts')) ?? '';
        for (const fact of ['Rows', 'Cache', 'Request id']) expect(facts).toContain(fact);
      }
    });
  });

  it('sorts by a column heading, and announces the direction', () =>
    session.open('#/usage.api-counts?project=aurora&interval=daily', async (page) => {
      await page.waitForSelector('.rows tbody tr');
      const column = async (): Promise<readonly number[]> =>
        (await page.locator('.rows tbody td:nth-child(2)').allTextContents()).map(Number);
      const heading = page.locator('.rows th:nth-child(2)');
      await heading.locator('button').click();
      expect(await heading.getAttribute('aria-sort')).toBe('ascending');
      expect(await column()).toEqual((await column()).toSorted((a, b) => a - b));
      await heading.locator('button').click();
      expect(await heading.getAttribute('aria-sort')).toBe('descending');
      expect(await column()).toEqual((await column()).toSorted((a, b) => b - a));
    }));

  it('shows each problem at its field, and focuses the first one', () =>
    session.open('#/usage.api-counts', async (page) => {
      await page.click('text=Clear');
      await runForm(page);
      await page.waitForSelector('#field-project-problem');
      expect(await page.textContent('#field-project-problem')).toBe('is required');
      expect(await page.textContent('#field-interval-problem')).toContain('is required');
      expect(await page.evaluate('document.activeElement.id')).toBe('field-project');
      expect(await page.getAttribute('#field-interval', 'aria-invalid')).toBe('true');
      expect(await seriousFindings(page)).toEqual([]);
    }));

  it('stores the request in the URL, without the key; back and forward work, and other users can open it', () =>
    session.open('#/usage.api-counts', async (page) => {
      await page.selectOption('#field-interval', 'minutely');
      await runForm(page);
      await page.waitForSelector('.rows tbody tr');
      const shared = page.url();
      expect(shared).toContain('#/usage.api-counts?project=aurora&interval=minutely');
      expect(shared).not.toContain(CONSOLE_KEY);
      await page.selectOption('#field-interval', 'daily');
      await runForm(page);
      await page.waitForURL(/interval=daily/);
      await page.goBack();
      await untilGiven(page, 'minutely');
      await page.goForward();
      await untilGiven(page, 'daily');
      await session.open(new URL(shared).hash, async (other) => {
        await other.waitForSelector('.rows tbody tr');
        expect(await other.inputValue('#field-interval')).toBe('minutely');
      });
    }));

  it('shows prominently that rows are missing, and shows that there are none', () =>
    session.open('#/functions.invocation-stats?project=aurora&interval=1hr', async (page) => {
      await page.waitForSelector('.notice.warn');
      expect(await page.textContent('.notice.warn')).toContain('Not all rows');
      expect(await seriousFindings(page)).toEqual([]);
      await page.fill('#field-project', 'no-such-project');
      await page.keyboard.press('Enter');
      await page.waitForSelector('text=No rows.');
    }));

  it('reads a result page after page', () =>
    session.open('#/logs.all?project=aurora&project_tier=PRO', async (page) => {
      const pages = page.getByRole('navigation', { name: 'Pages' });
      const firstRow = (): Promise<string | null> => page.textContent('.rows tbody tr');
      await pages.getByText('Page 1').waitFor();
      const first = await firstRow();
      await pages.getByRole('button', { name: 'Next page' }).click();
      await pages.getByText('Page 2').waitFor();
      expect(await firstRow()).not.toBe(first);
      expect(await seriousFindings(page)).toEqual([]);
      await pages.getByRole('button', { name: 'First page' }).click();
      await pages.getByText('Page 1').waitFor();
      expect(await firstRow()).toBe(first);
    }));

  it('runs a caller’s own SQL, but not the SQL of a link before the user has read it', () =>
    session.visit(async (page) => {
      const sql = encodeURIComponent('SELECT count() AS n FROM result');
      await openConsole(session, page, `#/logs.all?project=aurora&sql=${sql}`);
      await page.waitForSelector('text=This link contains SQL');
      expect(await rowsOf(page)).toBe(0);
      await page.focus('#field-sql');
      await page.keyboard.press('Control+Enter');
      await page.waitForSelector('.rows tbody tr');
      expect(await page.textContent('.rows th')).toContain('n');
      await page.fill('#field-sql', 'DROP TABLE edge_logs');
      await page.keyboard.press('Control+Enter');
      await page.waitForSelector('#field-sql-problem');
    }));

  it('says which parameters of a link the endpoint ignores, before it runs without them, and requests are strict', () =>
    session.open('#/logs.all?project=aurora&project_teir=PRO&<b>=1', async (page) => {
      await page.waitForSelector('text=This link has parameters that logs.all ignores: project_teir, <b>.');
      expect(await rowsOf(page)).toBe(0);
      const sent = page.waitForRequest('**/api/endpoints/query/**');
      await runForm(page);
      expect(await (await sent).headerValue('prefer')).toBe('handling=strict, numbers=plain');
      await page.waitForSelector('.rows tbody tr');
      expect(new URL(page.url()).hash).toBe('#/logs.all?project=aurora');
    }));

  it('is usable with the keyboard alone', () =>
    session.visit(async (page) => {
      await page.goto(`${session.gateway.url}/`);
      await page.waitForSelector('#key');
      await page.keyboard.type(CONSOLE_KEY);
      await page.keyboard.press('Enter');
      await page.waitForSelector('nav.endpoints li');
      const tabUntil = async (reached: string): Promise<void> => {
        for (let presses = 0; presses < 40; presses++) {
          await page.keyboard.press('Tab');
          if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(reached)})`)) return;
        }
        throw new Error(`Tab does not reach ${reached}`);
      };
      await tabUntil('nav a[href="#/usage.api-counts"]');
      await page.keyboard.press('Enter');
      await page.waitForSelector('#field-project');
      await tabUntil('#field-project');
      await page.keyboard.press('Enter');
      await page.waitForSelector('.rows tbody tr');
      await tabUntil('[role=tab]');
      await page.keyboard.press('ArrowRight');
      await page.waitForSelector('pre[aria-label="Saved query"]');
      expect(await page.textContent('pre')).toContain('@project');
    }));
});
