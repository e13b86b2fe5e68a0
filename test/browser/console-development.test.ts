import type { Page, Route } from 'playwright-core';

import { describeInBrowser, seriousFindings, setHidden } from '../support/browser.js';
import { startDevelopmentGateway } from '../support/console-gateway.js';
import { consoleSession, openConsole, runForm } from '../support/console-session.js';
import { DevelopmentProject } from '../support/development-project.js';

const SECRET = 'never-to-be-seen';
const ALERT = '.banner [role=alert]';
const BOUND = '.bound dd';

const valueIn = (page: Page): Promise<string | null> => page.textContent('.rows tbody td:last-child');

describeInBrowser('the console in development', () => {
  const project = new DevelopmentProject();
  const session = consoleSession(async (folder) => {
    await project.createIn(folder, 'visits');
    return startDevelopmentGateway(folder);
  });

  const openPage = async (page: Page, fragment = '#/visits'): Promise<void> => {
    await openConsole(session, page, fragment);
    await page.waitForSelector('role=tab[name="SQL"]');
  };

  const openTab = async (page: Page, title: string): Promise<void> => {
    await page.click(`role=tab[name=/^${title}/]`);
  };

  const runVisits = async (page: Page): Promise<void> => {
    await runForm(page);
    await page.waitForSelector('.rows tbody tr');
  };

  it('shows a mistake with its place until it is fixed, and the earlier version is served', () =>
    session.visit(async (page) => {
      await openPage(page);
      await project.write('visits', { value: 'missing_column' });
      await page.waitForSelector(ALERT);
      expect(await page.textContent(ALERT)).toMatch(
        /A problem.*serves the earlier version, where there is one.*endpoints\/visits\.sql:\d+:\d+.*missing_column/s,
      );
      expect(await page.textContent('.banner pre')).toMatch(/toString\(missing_column\).*\n *\^/);
      expect(await seriousFindings(page)).toEqual([]);
      await runVisits(page);
      expect(await valueIn(page)).toBe('1');
      await project.write('visits');
      await page.waitForSelector(ALERT, { state: 'detached' });
    }));

  it('opens the place of a mistake in the editor that was chosen once', () =>
    session.visit(async (page) => {
      await project.writeText('visits', 'SELECT 1');
      await openConsole(session, page);
      await page.waitForSelector(ALERT);
      const hrefOf = (): Promise<string | null> => page.getAttribute('.banner a.open', 'href');
      const file = project.fileOf('visits');
      expect(await hrefOf()).toContain(`vscode://file${file}`);
      await page.selectOption('.editor select', 'Zed');
      expect(await hrefOf()).toContain(`zed://file${file}`);
      await page.reload();
      await page.waitForSelector(ALERT);
      expect(await hrefOf()).toContain(`zed://file${file}`);
      await page.selectOption('.editor select', 'Copy the path');
      await page.getByRole('button', { name: 'Copy the path' }).waitFor();
      await project.write('visits');
      await page.waitForSelector(ALERT, { state: 'detached' });
    }));

  it('folds the fourth of several mistakes', async () => {
    const names = ['a', 'b', 'c', 'd'];
    await session.open('', async (page) => {
      for (const name of names) await project.writeText(name, 'SELECT 1');
      await page.waitForSelector('summary:has-text("1 more problem")');
      expect(await page.locator(`${ALERT} li`).count()).toBe(3);
      await page.click('.banner summary');
      await page.waitForSelector('.banner details li code:has-text("endpoints/d.sql")');
      expect(await seriousFindings(page)).toEqual([]);
      for (const name of names) await project.remove(name);
      await page.waitForSelector(ALERT, { state: 'detached' });
    });
  });

  it('runs the last request of a changed endpoint again, and loses neither focus nor typed values', () =>
    session.visit(async (page) => {
      await openPage(page);
      await runVisits(page);
      await page.fill('#field-page', '/typed');
      await project.write('visits', {
        value: '2',
        parameters: '  country: { kind: string, description: A country. }\n',
        optional: '[[ AND @country = @country ]]',
      });
      await page.waitForSelector('text=Reloaded: visits changed, and the last request ran again.');
      await page.waitForSelector('.rows tbody td:last-child:has-text("2")');
      expect(await page.textContent('.rows tbody td:first-child')).toBe('/home');
      await page.waitForSelector('#field-country');
      expect(await page.inputValue('#field-page')).toBe('/typed');
      expect(await page.evaluate('document.activeElement.id')).toBe('field-page');
      await page.waitForSelector('nav .summary:has-text("Returns the page and 2.")');
      await project.write('visits');
      await page.waitForSelector('#field-country', { state: 'detached' });
      expect(await page.inputValue('#field-page')).toBe('/typed');
      await page.waitForSelector('.rows tbody td:last-child:has-text("1")');
    }));

  it('sends no request of an endpoint that did not change', () =>
    session.visit(async (page) => {
      await openPage(page);
      await page.waitForSelector('.outcome[aria-busy=false] .rows tbody tr');
      const calls: string[] = [];
      page.on('request', (request) => {
        if (request.url().includes('/api/endpoints/query/')) calls.push(request.url());
      });
      await project.write('other');
      await page.waitForSelector('nav a[href="#/other"]');
      expect(calls).toEqual([]);
      await project.remove('other');
      await page.waitForSelector('nav a[href="#/other"]', { state: 'detached' });
    }));

  it('says that an endpoint was removed, and goes on with the same form when it is there again', async () => {
    await project.write('other');
    await session.visit(async (page) => {
      await openPage(page, '#/other');
      await page.fill('#field-page', '/typed');
      await project.remove('other');
      await page.waitForSelector('text=other was removed.');
      expect(await seriousFindings(page)).toEqual([]);
      await project.write('other', { value: '4' });
      await page.waitForSelector('text=other was removed.', { state: 'detached' });
      expect(await page.inputValue('#field-page')).toBe('/typed');
      await runForm(page);
      await page.waitForSelector('.rows tbody td:last-child:has-text("4")');
      await project.remove('other');
      await page.waitForSelector('text=other was removed.');
      await page.click('.brand');
      await page.waitForSelector('text=Saved queries');
    });
  });

  it('shows the SQL for the values of the form, and marks it as stale while they are invalid', () =>
    session.visit(async (page) => {
      const [first] = await Promise.all([page.waitForResponse(/api\/dev\/endpoints/), openPage(page)]);
      expect(first.status()).toBe(200);
      await openTab(page, 'SQL');
      expect(await page.textContent('.sql-panel pre')).toContain('{page:String}');
      expect(await page.textContent('.sql-panel .sql-parameter')).toBe('{page:String}');
      expect(await page.textContent(BOUND)).toBe('/home');
      await page.fill('#field-page', '/typed');
      await page.waitForSelector(`${BOUND}:has-text("/typed")`);
      await page.fill('#field-page', 'x'.repeat(21));
      await page.waitForSelector('text=This SQL is that of the last valid values.');
      expect(await page.textContent(BOUND)).toBe('/typed');
      expect(await seriousFindings(page)).toEqual([]);
      expect(await page.evaluate('document.activeElement.id')).toBe('field-page');
      await page.fill('#field-page', '/valid');
      await page.waitForSelector(`${BOUND}:has-text("/valid")`);
      expect(await page.locator('text=This SQL is that of the last valid values.').count()).toBe(0);
    }));

  it('shows the findings of the check in a tab whose title counts them', async () => {
    await project.writeText(
      'hits',
      `/*
name: hits
id: 6d0d3a52-7c1f-4b3e-9a58-1f1c4f7a9e11
summary: Counts requests.
parameters:
  project: { kind: string, required: true, description: A project. }
columns: { hits: UInt64 }
example: { project: aurora }
*/
SELECT count() AS hits FROM edge_logs WHERE project = @project HAVING hits = 0
`,
    );
    await session.visit(async (page) => {
      await openPage(page, '#/hits');
      await page.waitForSelector('role=tab[name="Check (1)"]');
      await openTab(page, 'Check');
      await page.waitForSelector('.findings table');
      expect(await page.textContent('.findings')).toMatch(
        /Warningthe example returns no rowsThe example: 0 rows · [\d\u202F]+ read · [\d.]+ ms/,
      );
      expect(await page.textContent('.findings tbody tr')).toMatch(
        /edge_logs\d+ of \d+[\d\u202F]+ of [\d\u202F]+/,
      );
      expect(await seriousFindings(page)).toEqual([]);
      await page.setViewportSize({ width: 360, height: 740 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
      expect(await seriousFindings(page)).toEqual([]);
    });
  });

  it('sends no secret value for the SQL', async () => {
    await project.write('other', {
      parameters: '  token: { kind: string, secret: true, description: A token. }\n',
      optional: '[[ AND @token = @token ]]',
    });
    await session.visit(async (page) => {
      const urls: string[] = [];
      page.on('request', (request) => urls.push(request.url()));
      await openPage(page, '#/other');
      await openTab(page, 'SQL');
      await page.fill('#field-token', SECRET);
      await page.waitForSelector('.bound:has-text("token") dd:has-text("secret")');
      expect(urls.join()).not.toContain(SECRET);
      expect(await page.content()).not.toContain(SECRET);
    });
  });

  it('sends no request while the page is hidden, and goes on when it is visible', () =>
    session.visit(async (page) => {
      await openPage(page);
      const aborted = page.waitForEvent('requestfailed');
      await setHidden(page, true);
      expect((await aborted).url()).toMatch(/\/api\/dev\?after=/);
      await project.write('late');
      const [request] = await Promise.all([page.waitForRequest(/\/api\/dev/), setHidden(page, false)]);
      expect(request.url()).toMatch(/\/api\/dev\?after=/);
      await page.waitForSelector('nav a[href="#/late"]');
    }));

  it('goes on after failures, and asks for a key when its key is no longer valid', async () => {
    const respond =
      (status: number, detail: string) =>
      (route: Route): Promise<void> =>
        route.fulfill({ status, body: JSON.stringify({ title: 'Failed', detail, code: '', status }) });
    await session.visit(async (page) => {
      await openPage(page);
      // Chromium logs the other failures as errors of the page.
      await page.route('**/api/dev?*', respond(429, 'Later.'));
      await project.write('visits', { value: '5' });
      await page.waitForSelector('text=The connection to the gateway is interrupted.');
      await page.unroute('**/api/dev?*');
      await page.waitForSelector('text=The connection to the gateway is interrupted.', { state: 'detached' });
      await page.route('**/api/dev?*', respond(401, 'The key has expired.'));
      await project.write('visits');
      await page.waitForSelector('#key-problem:has-text("The key has expired.")');
      expect(await page.evaluate('sessionStorage.length')).toBe(0);
    });
  });
});
