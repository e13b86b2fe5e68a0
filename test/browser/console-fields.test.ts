import type { Page, Request } from 'playwright-core';

import { describeInBrowser, seriousFindings } from '../support/browser.js';
import { writeFieldsProject } from '../support/console-fields-project.js';
import { CONSOLE_KEY, startProjectGateway } from '../support/console-gateway.js';
import { consoleSession, runForm } from '../support/console-session.js';
import { pollUntil } from '../support/poll-until.js';
import { runSnippet } from '../support/run-snippet.js';

const SECRET = 'never-to-be-seen';
const PINS_TOKEN = 'qg_key-that-pins-a-secret';

/** The requests for calls of endpoints that a page has sent. */
function callsOf(page: Page): readonly Request[] {
  const calls: Request[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/api/endpoints/query/')) calls.push(request);
  });
  return calls;
}

/** The first row of the table by column. */
async function firstRow(page: Page): Promise<Readonly<Record<string, string>>> {
  await page.waitForSelector('.rows tbody tr');
  const names = await page.locator('.rows th button').allTextContents();
  const values = await page.locator('.rows tbody tr:first-child td').allTextContents();
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));
}

const suggestionsOf = (page: Page, name: string): Promise<readonly string[]> =>
  page.evaluate(`[...document.querySelectorAll('#field-${name}-list option')].map(({ value }) => value)`);

/** Everything that a page keeps beyond its memory: the address, and what the browser stores. */
const storedBy = (page: Page): Promise<string> =>
  page.evaluate('[location.href, JSON.stringify(localStorage), JSON.stringify(sessionStorage)].join()');

describeInBrowser('the fields of the console', () => {
  const session = consoleSession(async (folder) => {
    await writeFieldsProject(folder);
    return startProjectGateway(folder, { [PINS_TOKEN]: { fixed: { token: SECRET } } });
  });

  const inForm = (fragment: string, use: (page: Page) => Promise<void>): Promise<void> =>
    session.open(fragment, async (page) => {
      await page.waitForSelector('form.request');
      const all = page.getByRole('button', { name: /^All \d+ parameters/ });
      if ((await all.count()) > 0) await all.click();
      await use(page);
    });

  it('send a value of each kind, and the table shows the columns of the response alone', () =>
    inForm('#/all-kinds', async (page) => {
      await runForm(page);
      expect(await firstRow(page)).toEqual({ n: '1', word: 'hello', exact: 'true' });
      const typed = { count: '7', ratio: '0.5', price: '12.50', day: '2026-05-17', until: '2026-05-17' };
      const others = { key: '61f0c404-5cb3-11e7-907b-a6006ad3dba0', zone: 'Europe/Berlin', sizes: '3,4' };
      for (const [name, value] of Object.entries({ ...typed, ...others })) {
        await page.fill(`#field-${name}`, value);
      }
      await page.selectOption('#field-flag', 'false');
      await page.selectOption('#field-unit', 'day');
      await runForm(page);
      await page.waitForSelector('.rows th:has-text("sizes")');
      expect(await firstRow(page)).toMatchObject({
        ...{ count: '7', ratio: '0.5', price: '12.5', flag: 'false', exact: 'true', day: '2026-05-17' },
        ...{ until: '2026-05-17T00:00:00.000000Z', unit: 'day', zone: 'Europe/Berlin' },
        sizes: expect.stringMatching(/^\[3,4\]/) as string,
      });
      expect(await page.locator('.rows th').count()).toBe(13);
    }));

  it('say how a value is written: keyboard, default, list, bounds and deprecation', () =>
    inForm('#/all-kinds', async (page) => {
      const inputMode = (name: string): Promise<string | null> =>
        page.getAttribute(`#field-${name}`, 'inputmode');
      expect(await Promise.all(['count', 'ratio', 'price', 'word'].map(inputMode))).toEqual([
        ...['numeric', 'decimal', 'decimal', 'text'],
      ]);
      expect(await page.getAttribute('#field-day', 'type')).toBe('date');
      expect(await page.getAttribute('#field-word', 'placeholder')).toBe('default: hello');
      expect(await page.locator('#field-flag option').allTextContents()).toEqual([
        ...['(not set)', 'true', 'false'],
      ]);
      expect(await page.locator('#field-exact option').first().textContent()).toBe('(default: true)');
      expect(await page.textContent('#field-sizes-hint')).toContain(
        'Separated by commas; their order counts.',
      );
      expect(await page.textContent('#field-count-hint')).toContain('At least 1. At most 50.');
      expect(await page.getByLabel('former deprecated').count()).toBe(1);
      expect(await seriousFindings(page)).toEqual([]);
    }));

  it('are below a notice of a deprecated endpoint, which leads to its successor', () =>
    session.open('#/old-cities', async (page) => {
      const notice = page.locator('.notice', { hasText: 'Deprecated as of 2026-01-01.' });
      expect(await notice.textContent()).toBe(
        'Deprecated as of 2026-01-01. It may be removed as of 2099-05-31. Use cities instead.',
      );
      expect(await page.locator('.endpoints li', { hasText: 'old-cities' }).textContent()).toContain(
        'deprecated',
      );
      expect(await seriousFindings(page)).toEqual([]);
      await notice.getByRole('link', { name: 'cities' }).click();
      await page.waitForSelector('h1:text-is("cities")');
    }));

  it('suggest relative times, time zones and the items of a list', () =>
    inForm('#/all-kinds', async (page) => {
      expect(await suggestionsOf(page, 'since')).toContain('now-7d');
      expect(await suggestionsOf(page, 'until')).toEqual([]);
      expect(await suggestionsOf(page, 'zone')).toEqual(expect.arrayContaining(['UTC', 'Europe/Berlin']));
      await page.fill('#field-units', 'hour,');
      expect(await suggestionsOf(page, 'units')).toEqual(['hour,hour', 'hour,day']);
      await page.fill('#field-units', '');
      await page.fill('#field-since', 'now-7d');
      await runForm(page);
      expect(await firstRow(page)).toHaveProperty('since');
    }));

  it('show a date of a link that is no date, with the problem', () =>
    inForm('#/all-kinds?day=someday', async (page) => {
      await runForm(page);
      await page.waitForSelector('#field-day-problem');
      expect(await page.inputValue('#field-day')).toBe('someday');
    }));

  it('list the choices of another endpoint once for equal values, and are plain while that fails', () =>
    inForm('#/all-kinds', async (page) => {
      const calls = callsOf(page);
      const failed = page.waitForResponse(/query\/cities/);
      await page.focus('#field-city');
      expect((await failed).status()).toBe(400);
      expect(await page.getAttribute('#field-city', 'list')).toBeNull();
      await page.fill('#field-country', 'DE');
      for (const field of ['city', 'word', 'city']) await page.focus(`#field-${field}`);
      await page.waitForSelector('#field-city-list option', { state: 'attached' });
      expect(await page.evaluate('document.activeElement.id')).toBe('field-city');
      expect(await suggestionsOf(page, 'city')).toEqual(['Berlin', 'Bonn']);
      await page.fill('#field-city', 'Rome');
      await page.focus('#field-word');
      await page.focus('#field-city');
      expect(calls.map((call) => new URL(call.url()).search)).toEqual(['', '?country=DE']);
      expect(await seriousFindings(page)).toEqual([]);
      await runForm(page);
      expect(await firstRow(page)).toMatchObject({ city: 'Rome' });
    }));

  it('send a secret value by POST, and keep it out of the address, the history and all storage', () =>
    inForm('#/with-secret', async (page) => {
      const calls = callsOf(page);
      expect(await page.getAttribute('#field-token', 'type')).toBe('password');
      expect(await page.getAttribute('#field-token', 'autocomplete')).toBe('off');
      await page.fill('#field-token', SECRET);
      await page.fill('#field-place', 'here');
      expect(await seriousFindings(page)).toEqual([]);
      await page.keyboard.press('Enter');
      expect(await firstRow(page)).toEqual({ token_length: String(SECRET.length), place: 'here' });
      expect(calls.map((call) => call.method())).toEqual(['POST']);
      expect(calls[0]?.postDataJSON()).toEqual({ token: SECRET, place: 'here' });
      expect(calls[0]?.url()).not.toContain(SECRET);
      expect(new URL(page.url()).hash).toBe('#/with-secret?place=here');
      expect(await storedBy(page)).not.toContain(SECRET);
      expect(await page.content()).not.toContain(SECRET);
      const [saved] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download' }).press('Enter'),
      ]);
      expect(saved.suggestedFilename()).toContain('with-secret');
      expect(calls[1]?.url()).toMatch(/with-secret\?format=csv&download=1&csv_safe=1$/);
      await page.reload();
      await page.waitForSelector('text=This link has no secret values (token).');
      expect(await page.inputValue('#field-token')).toBe('');
      expect(calls).toHaveLength(2);
    }));

  it('drop the secret value of a link from the address and the form', () =>
    inForm(`#/with-secret?token=${SECRET}&place=here`, async (page) => {
      await page.waitForURL(/#\/with-secret\?place=here$/);
      expect(await page.inputValue('#field-token')).toBe('');
      expect(await page.inputValue('#field-place')).toBe('here');
      expect(await page.evaluate('history.length')).toBe(2);
    }));

  it('wait for no secret value that the key sets, and their snippets have none', () =>
    session.open(
      '#/with-secret?place=here',
      async (page) => {
        expect(await firstRow(page)).toEqual({ token_length: String(SECRET.length), place: 'here' });
        await page.click('role=tab[name="Use it elsewhere"]');
        const text = (await page.textContent('pre[aria-label=Snippet]')) ?? '';
        expect(await runSnippet('curl', text.replaceAll('YOUR_API_KEY', PINS_TOKEN))).toContain('"here"');
      },
      { key: PINS_TOKEN },
    ));

  it('have one snippet for a secret value, which works once the placeholders are replaced', () =>
    inForm('#/with-secret', async (page) => {
      await page.fill('#field-token', SECRET);
      await page.click('role=tab[name="Use it elsewhere"]');
      expect(await page.locator('.code select option').allTextContents()).toEqual(['curl (POST)']);
      expect(await page.textContent('.code-actions')).toContain('they would send it in a URL');
      const text = (await page.textContent('pre[aria-label=Snippet]')) ?? '';
      expect(text).not.toContain(SECRET);
      const filled = text.replaceAll('YOUR_API_KEY', CONSOLE_KEY).replaceAll('YOUR_VALUE', 'four');
      expect(await runSnippet('curl', filled)).toContain('"token_length":4');
      expect(await seriousFindings(page)).toEqual([]);
    }));

  it('send a value of more than 8 KiB by POST', () =>
    inForm('#/all-kinds', async (page) => {
      const calls = callsOf(page);
      const long = 'é'.repeat(6000);
      await page.fill('#field-word', long);
      await runForm(page);
      expect(await firstRow(page)).toMatchObject({ word: long });
      expect(calls.map((call) => call.method())).toEqual(['POST']);
      await pollUntil('the address has the value', () =>
        decodeURIComponent(page.url()).includes(long) ? true : undefined,
      );
    }));
});
