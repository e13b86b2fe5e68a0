import type { Page } from 'playwright-core';

import { describeInBrowser, seriousFindings, setHidden } from '../support/browser.js';
import { consoleSession, openConsole, rowsOf, runForm } from '../support/console-session.js';
import { copiedTexts, recordCopies } from '../support/copied-texts.js';
import { pollUntil } from '../support/poll-until.js';

const CALLS = '/api/endpoints/query/';

/** Counts the requests for rows of a page. */
function callsOf(page: Page): () => number {
  let calls = 0;
  page.on('request', (request) => {
    if (request.url().includes(CALLS)) calls += 1;
  });
  return () => calls;
}

describeInBrowser('the console of someone who looks at data', () => {
  const session = consoleSession();

  it('runs the example when an endpoint is opened, and shows the rows first', () =>
    session.open('#/usage.api-counts', async (page) => {
      await page.waitForSelector('.rows tbody tr');
      expect(await page.locator('[role=tab][aria-selected=true]').textContent()).toBe('Result');
      expect(new URL(page.url()).hash).toBe('#/usage.api-counts');
      expect(await seriousFindings(page)).toEqual([]);
    }));

  it('does not say after a failed request that nothing ran', () =>
    session.open('#/usage.api-counts', async (page) => {
      await page.waitForSelector('.rows tbody tr');
      await page.click('text=Clear');
      await runForm(page);
      await page.waitForSelector('text=No rows: the request failed, as shown above.');
      expect(await page.locator('text=Not run yet').count()).toBe(0);
    }));

  it('refreshes by itself, through the cache, and only while its tab is shown', () =>
    session.visit(async (page) => {
      await page.clock.install();
      await openConsole(session, page, '#/usage.api-counts?project=aurora&interval=daily');
      await page.waitForSelector('.rows tbody tr');
      const calls = callsOf(page);
      await page.selectOption('select[title^="Sends the request again"]', '10');
      const response = page.waitForResponse((one) => one.url().includes(CALLS));
      await page.clock.runFor(10_000);
      expect((await response).headers()['x-cache']).toBe('HIT');
      await setHidden(page, true);
      await page.clock.runFor(60_000);
      expect(calls()).toBe(1);
      await setHidden(page, false);
      await pollUntil('the shown tab refreshes at once', () => (calls() === 2 ? true : undefined));
      await page.selectOption('select[title^="Sends the request again"]', '0');
      await page.clock.runFor(60_000);
      expect(calls()).toBe(2);
    }));

  it('does not refresh while a request runs, and keeps the rows where a refresh fails', () =>
    session.visit(async (page) => {
      await page.clock.install();
      await openConsole(session, page, '#/usage.api-counts?project=aurora&interval=daily');
      await page.waitForSelector('.rows tbody tr');
      await page.selectOption('select[title^="Sends the request again"]', '10');
      const calls = callsOf(page);
      let answer: (() => Promise<void>) | undefined;
      await page.route(`**${CALLS}**`, (route) => {
        const body = { title: 'Limit exceeded', detail: 'Later.', code: 'LIMIT_EXCEEDED', status: 429 };
        answer = () =>
          route.fulfill({ status: 429, headers: { 'Retry-After': '45' }, body: JSON.stringify(body) });
      });
      await page.clock.runFor(35_000);
      await pollUntil('the request is waiting', () => answer);
      expect(calls()).toBe(1);
      await answer?.();
      await page.waitForSelector('.notice.bad:has-text("Later.")');
      expect(await rowsOf(page)).toBeGreaterThan(0);
      await page.clock.runFor(40_000);
      expect(calls()).toBe(1);
      await page.clock.runFor(20_000);
      await pollUntil('the next refresh', () => (calls() > 1 ? true : undefined));
      await page.waitForSelector('.outcome[aria-busy="true"]');
      expect(calls()).toBe(2);
    }));

  it('copies the rows with the columns that are chosen, and keeps the choice', () =>
    session.visit(async (page) => {
      await recordCopies(page);
      await openConsole(session, page, '#/usage.api-counts?project=aurora&interval=daily');
      await page.waitForSelector('.rows tbody tr');
      await page.click('.columns-choice > button');
      expect(await seriousFindings(page)).toEqual([]);
      for (const name of ['auth', 'storage', 'realtime']) {
        await page.uncheck(`.columns-choice label:has-text("total_${name}_requests") input`);
      }
      await page.click('text="Copy rows"');
      await page.click('text="Copy as Markdown"');
      const [tsv = '', markdown = ''] = await copiedTexts(page);
      expect(tsv.split('\n')[0]).toBe('timestamp\ttotal_rest_requests');
      expect(tsv.split('\n')).toHaveLength(1 + (await rowsOf(page)));
      expect(markdown).toMatch(/^\| timestamp \| total_rest_requests \|\n\| --- \| --- \|\n\| \d{4}-/);
      await page.reload();
      await page.waitForSelector('.rows tbody tr');
      expect(await page.locator('.rows th').count()).toBe(2);
      expect(await page.textContent('.columns-choice > button')).toBe('2 of 5 columns ▾');
    }));

  it('goes to the search with Ctrl+K', () =>
    session.open('#/usage.api-counts', async (page) => {
      await page.waitForSelector('.rows tbody tr');
      await page.keyboard.press('Control+k');
      await page.keyboard.type('redirects');
      await page.waitForSelector('nav.endpoints li:only-child');
      expect(await page.textContent('nav.endpoints li .name')).toBe('get-grouped-stats-redirects');
      await page.keyboard.press('Enter');
      await page.waitForSelector('h1:text("get-grouped-stats-redirects")');
      expect(await page.inputValue('input[type=search]')).toBe('');
      await page.keyboard.press('Control+k');
      await page.keyboard.type('usage');
      const found = page.locator('nav.endpoints li .name');
      const [first = '', second = ''] = await found.allTextContents();
      const focused = (): Promise<string> => page.evaluate("document.activeElement.textContent + ''");
      await page.keyboard.press('ArrowDown');
      expect(await focused()).toContain(first);
      await page.keyboard.press('ArrowDown');
      expect(await focused()).toContain(second);
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Enter');
      await page.waitForSelector(`h1:text-is("${first}")`);
      expect(await page.inputValue('input[type=search]')).toBe('');
    }));
});
