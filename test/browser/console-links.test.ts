import { describeInBrowser, seriousFindings } from '../support/browser.js';
import { consoleSession, openConsole } from '../support/console-session.js';
import { copiedTexts, recordCopies } from '../support/copied-texts.js';

describeInBrowser('a signed link in the console', () => {
  const session = consoleSession();

  it('returns the rows of the call to whoever has it, without a key', () =>
    session.visit(async (page) => {
      await recordCopies(page);
      await openConsole(session, page, '#/usage.api-counts?project=aurora&interval=daily');
      await page.waitForSelector('.outcome[aria-busy=false] .rows tbody tr');
      await page.click('.sign > button');
      await page.selectOption('.sign select', '3600');
      await page.click('text="Sign"');
      await page.click('text="Copy signed link"');
      expect(await seriousFindings(page)).toEqual([]);
      const [link = ''] = await copiedTexts(page);
      const { searchParams } = new URL(link);
      expect([searchParams.get('project'), searchParams.has('api_key')]).toEqual(['aurora', false]);
      const lifetime = Number(searchParams.get('link_expires')) - Date.now() / 1000;
      expect(lifetime).toBeLessThanOrEqual(3600);
      const response = await fetch(link);
      const { result } = (await response.json()) as { readonly result: readonly object[] };
      expect([response.status, result.length > 0]).toEqual([200, true]);
    }));

  it('disappears when the form of the call has other values, and says why none can be made', () =>
    session.open('#/usage.api-counts?project=aurora&interval=daily', async (page) => {
      await page.click('.sign > button');
      await page.click('text="Sign"');
      await page.waitForSelector('.signed');
      await page.fill('#field-project', 'borealis');
      await page.waitForSelector('.dropped', { state: 'detached' });
      await page.click('.sign > button');
      expect(await page.locator('.signed').count()).toBe(0);
      // Leaves the focus where it is.
      await page.selectOption('#field-interval', '');
      await page.click('text="Sign"');
      await page.waitForSelector('.dropped [role=alert]:has-text("interval")');
      expect(await seriousFindings(page)).toEqual([]);
    }));

  it('closes its form with Escape, and with a press elsewhere', () =>
    session.open('#/usage.api-counts?project=aurora&interval=daily', async (page) => {
      await page.click('.sign > button');
      await page.focus('.sign select');
      await page.keyboard.press('Escape');
      expect(await page.locator('.dropped').count()).toBe(0);
      expect(await page.evaluate("document.activeElement.closest('.sign') !== null")).toBe(true);
      await page.click('.sign > button');
      await page.click('.dropped .hint');
      expect(await page.locator('.dropped').count()).toBe(1);
      await page.click('h1');
      await page.waitForSelector('.dropped', { state: 'detached' });
    }));

  it('is not offered where the key may not sign', () =>
    session.visit(async (page) => {
      await page.route('**/api/links', (route) =>
        route.fulfill({ json: { mayLink: false, maxExpiresIn: 0 } }),
      );
      await openConsole(session, page, '#/usage.api-counts');
      await page.waitForSelector('.outcome[aria-busy=false] .rows tbody tr');
      expect(await page.locator('.sign').count()).toBe(0);
    }));
});
