import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';

import { createHttpServer } from '../../src/gateway/http/transport/server.js';
import { describeInBrowser, openBrowser, seriousFindings, visit } from '../support/browser.js';
import { sampleEndpoint } from '../support/sample-endpoint.js';
import { createTestGateway, KEY } from '../support/test-gateway.js';

const CONSOLE = fileURLToPath(new URL('../../dist/console', import.meta.url));

const TEAMS = ['billing', 'growth', 'platform', 'support'] as const;

/** 200 endpoints; each has the tag of one of four teams, the first ten also have a second tag. */
const ENDPOINTS = Array.from({ length: 200 }, (_, index) => {
  const number = String(index).padStart(3, '0');
  return sampleEndpoint({
    id: `11111111-2222-4333-8444-000000000${number}`,
    name: `report-${number}`,
    summary: `Report ${number} of the company.`,
    tags: [TEAMS[index % TEAMS.length] ?? '', ...(index < 10 ? ['pinned-to-top'] : [])],
  });
});

describeInBrowser('the console with 200 endpoints', () => {
  let browser: Browser;
  let server: Server;
  let url = '';

  beforeAll(async () => {
    const { listener, logger } = await createTestGateway({ endpoints: ENDPOINTS, consoleFolder: CONSOLE });
    server = createHttpServer(listener, logger).listen(0, '127.0.0.1');
    [browser] = await Promise.all([openBrowser(), once(server, 'listening')]);
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(async () => {
    await browser.close();
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });

  const openList = async (page: Page): Promise<void> => {
    await page.addInitScript(`sessionStorage.setItem('querygate.key', '${KEY}')`);
    await page.goto(`${url}/`);
    await page.waitForSelector('nav.endpoints li');
  };
  const namesOn = (page: Page): Promise<readonly string[]> =>
    page.locator('nav.endpoints li .name').allTextContents();

  it('lists them beside the page, which stays in view', async () => {
    await visit(browser, async ({ page }) => {
      await openList(page);
      expect(await namesOn(page)).toHaveLength(200);
      expect(await page.evaluate('document.documentElement.scrollHeight <= innerHeight')).toBe(true);
      await page.click('text=report-199');
      await page.waitForSelector('h1:text("report-199")');
      expect(await page.evaluate('scrollY')).toBe(0);
      expect(await page.locator('nav.endpoints input[type=search]').isVisible()).toBe(true);
      expect(await seriousFindings(page)).toEqual([]);
    });
  });

  it('finds endpoints by a tag, within it by words, and all again', async () => {
    await visit(browser, async ({ page }) => {
      await openList(page);
      const tags = page.getByRole('group', { name: 'Tags' });
      expect(await tags.getByRole('button').allTextContents()).toEqual([
        ...['billing 50', 'growth 50', 'pinned-to-top 10', 'platform 50', 'support 50'],
      ]);
      const growth = tags.getByRole('button', { name: 'growth' });
      await growth.click();
      expect(await growth.getAttribute('aria-pressed')).toBe('true');
      expect(await namesOn(page)).toHaveLength(50);
      expect(await page.textContent('nav.endpoints [role=status]')).toBe('50 of 200 endpoints');
      expect(await seriousFindings(page)).toEqual([]);
      await page.fill('nav.endpoints input', 'pinned');
      expect(await namesOn(page)).toEqual(['report-001', 'report-005', 'report-009']);
      await growth.click();
      expect(await growth.getAttribute('aria-pressed')).toBe('false');
      expect(await namesOn(page)).toHaveLength(10);
      await page.fill('nav.endpoints input', 'nothing like it');
      expect(await page.textContent('nav.endpoints [role=status]')).toContain('No endpoint has this');
      await page.fill('nav.endpoints input', '');
      expect(await namesOn(page)).toHaveLength(200);
    });
  });

  it('is usable with the keyboard alone, up to the chosen endpoint', async () => {
    await visit(browser, async ({ page }) => {
      await openList(page);
      await page.focus('nav.endpoints input');
      await page.keyboard.type('report-142');
      // The five tags, then the only endpoint that is left.
      for (let step = 0; step < 6; step++) await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.waitForSelector('h1:text("report-142"):focus');
      // The star of favourites, then the first field.
      for (let step = 0; step < 2; step++) await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.closest("main form") !== null')).toBe(true);
    });
  });

  it('fits a width of 360 px', async () => {
    await visit(
      browser,
      async ({ page }) => {
        await openList(page);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
        await page.click('role=button[name=/^support/]');
        await page.click('text=report-003');
        await page.waitForSelector('h1:text("report-003")');
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
        expect(await seriousFindings(page)).toEqual([]);
      },
      { viewport: { width: 360, height: 740 } },
    );
  });
});
