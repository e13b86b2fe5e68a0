import { describeInBrowser, seriousFindings } from '../support/browser.js';
import { CONSOLE_KEY } from '../support/console-gateway.js';
import { consoleSession, openConsole, runForm } from '../support/console-session.js';
import { runSnippet } from '../support/run-snippet.js';

describeInBrowser('the console’s layout and navigation', () => {
  const session = consoleSession();

  it('shows when to retry after 429', () =>
    session.open('#/usage.api-counts', async (page) => {
      const body = { title: 'Limit exceeded', detail: 'Ten a minute.', code: 'LIMIT_EXCEEDED', status: 429 };
      await page.route('**/api/endpoints/query/**', (route) =>
        route.fulfill({ status: 429, headers: { 'Retry-After': '7' }, body: JSON.stringify(body) }),
      );
      await runForm(page);
      await page.waitForSelector('.notice.bad');
      expect(await page.textContent('.notice.bad')).toMatch(/Ten a minute.*Try again in 7 s/);
      expect(await seriousFindings(page)).toEqual([]);
    }));

  it('stops a running request', () =>
    session.open('#/usage.api-counts', async (page) => {
      const failedRequest = page.waitForEvent('requestfailed');
      await page.route('**/api/endpoints/query/**', () => undefined);
      await runForm(page);
      await page.click('role=button[name="Stop"]');
      expect((await failedRequest).url()).toContain('/api/endpoints/query/usage.api-counts');
      expect(await page.getAttribute('.outcome', 'aria-busy')).toBe('false');
    }));

  it('fits a width of 360 px', () =>
    session.visit(
      async (page) => {
        const widthOf = (): Promise<unknown> => page.evaluate('document.documentElement.scrollWidth');
        await openConsole(session, page);
        expect(await widthOf()).toBe(360);
        for (const name of ['usage.api-counts?project=aurora&interval=daily', 'logs.all?project=aurora']) {
          await page.goto(`${session.gateway.url}/#/${name}`);
          await page.waitForSelector('.rows tbody tr');
          for (const tab of ['Result', 'Saved query', 'Columns', 'Use it elsewhere']) {
            await page.click(`role=tab[name="${tab}"]`);
            expect([tab, await widthOf()]).toEqual([tab, 360]);
          }
          expect(await seriousFindings(page)).toEqual([]);
        }
        await page.goto(`${session.gateway.url}/#/usage.api-counts?project=aurora&interval=daily`);
        await page.reload();
        await page.waitForSelector('.chart canvas');
      },
      { viewport: { width: 360, height: 740 } },
    ));

  it('is dark if the system is, or as the user chooses', async () => {
    const background = 'getComputedStyle(document.body).backgroundColor';
    await session.open(
      '#/usage.api-counts?project=aurora&interval=daily',
      async (page) => {
        await page.waitForSelector('.chart canvas');
        expect(await page.evaluate(background)).toBe('rgb(18, 22, 28)');
        expect(await seriousFindings(page)).toEqual([]);
        await page.click('role=tab[name="Saved query"]');
        expect(await seriousFindings(page)).toEqual([]);
        await page.click('role=tab[name="Result"]');
        await page.waitForSelector('.chart canvas');
        await page.selectOption('.theme select', 'light');
        expect(await page.evaluate(background)).toBe('rgb(246, 247, 249)');
      },
      { colorScheme: 'dark' },
    );
  });

  it.each([
    [
      'usage.api-counts',
      { project: 'aurora|it\'s "no" $HOME `id` \\ é', interval: 'daily' },
      'total_rest_requests',
      ['curl', 'javascript', 'pandas', 'sql'],
    ],
    [
      'logs.all',
      { project: 'aurora', project_tier: 'PRO' },
      'event_message',
      ['curl', 'javascript', 'pandas'],
    ],
  ])('shows snippets for %s that work unchanged', (endpoint, values, column, tools) =>
    session.open(`#/${endpoint}?${new URLSearchParams(values).toString()}`, async (page) => {
      await page.click('role=tab[name="Use it elsewhere"]');
      const offered = await page.locator('.code option').allTextContents();
      expect(offered.some((title) => title.endsWith('(SQL)'))).toBe(tools.includes('sql'));
      for (const tool of tools) {
        await page.selectOption('.code select', tool);
        const text = (await page.textContent('pre[aria-label=Snippet]')) ?? '';
        expect(text).not.toContain(CONSOLE_KEY);
        const output = await runSnippet(tool, text.replaceAll('YOUR_API_KEY', CONSOLE_KEY));
        expect([tool, output]).toEqual([tool, expect.stringContaining(column)]);
      }
    }),
  );
});
