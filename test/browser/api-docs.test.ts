import type { Browser, Page } from 'playwright-core';

import { describeInBrowser, openBrowser } from '../support/browser.js';
import { KEYS, sharedDemoGateway } from '../support/demo-gateway.js';

const gatewayOf = sharedDemoGateway();
let browser: Browser;

/** Opens the page in a new browser, and records its errors and its requests. */
async function openDocs(): Promise<{ page: Page; errors: string[]; requested: string[] }> {
  const page = await browser.newPage();
  const errors: string[] = [];
  const requested: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('request', (request) => requested.push(request.url()));
  await page.goto(`${gatewayOf().url}/docs`);
  return { page, errors, requested };
}

async function enter(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Show the API' }).click();
}

/** The values of an attribute of the visible elements. */
async function attributesOn(page: Page, name: string, selector: string): Promise<readonly string[]> {
  const elements = await page.locator(`${selector}:visible`).all();
  return Promise.all(elements.map(async (element) => (await element.getAttribute(name)) ?? ''));
}

/** The names of the visible queries, of which each is in the group of each of its tags. */
async function queriesOn(page: Page): Promise<readonly string[]> {
  const paths = await attributesOn(page, 'data-path', '[data-path*="/query/"]');
  return [...new Set(paths.map((path) => path.replace(/^.*\//, '')))].sort();
}

describeInBrowser('the page /docs in Chromium', () => {
  beforeAll(async () => {
    browser = await openBrowser();
  });

  afterAll(() => browser.close());

  it('shows the queries that a key may call, runs one, and violates no security policy', async () => {
    const { page, errors, requested } = await openDocs();
    expect(await page.locator('.opblock').count()).toBe(0);
    await enter(page, KEYS.all);
    await page.locator('.opblock').first().waitFor();
    const names = gatewayOf()
      .endpoints.all()
      .map(({ name }) => name);
    expect(await queriesOn(page)).toEqual(names);
    const operation = page.locator('#operations-usage-usageApiCounts');
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Execute' }).click();
    const live = operation.locator('.live-responses-table .response').first();
    await live.waitFor();
    expect(await live.locator('.response-col_status').innerText()).toMatch(/^200/);
    expect(await live.innerText()).toContain('total_rest_requests');
    expect(await page.content()).not.toContain(KEYS.all);
    expect(errors).toEqual([]);
    expect(requested.filter((url) => !url.startsWith(gatewayOf().url) && !url.startsWith('data:'))).toEqual(
      [],
    );
  });

  it('groups the queries by their tags, and filters the groups', async () => {
    const { page } = await openDocs();
    await enter(page, KEYS.all);
    await page.locator('.opblock').first().waitFor();
    expect(await attributesOn(page, 'data-tag', '.opblock-tag')).toEqual([
      ...['events', 'functions', 'logs', 'usage', 'Catalogue', 'Health'],
    ]);
    await page.getByPlaceholder('Filter by tag').fill('usage');
    await page.locator('[data-tag="logs"]').waitFor({ state: 'detached' });
    expect(await queriesOn(page)).toEqual(['functions.invocation-stats', 'usage.api-counts']);
  });

  it('explains why a key is rejected, and shows nothing else', async () => {
    const { page } = await openDocs();
    await enter(page, 'qg_wrong');
    const status = page.getByRole('status');
    await status.getByText('This API key is unknown').waitFor();
    expect(await page.locator('.opblock').count()).toBe(0);
  });

  it('shows a key what it may call, and requires no parameter that the key pins', async () => {
    const { page } = await openDocs();
    await enter(page, KEYS.tenant);
    await page.locator('.opblock').first().waitFor();
    expect(await queriesOn(page)).toEqual(['functions.invocation-stats', 'logs.all', 'usage.api-counts']);
    const operation = page.locator('#operations-logs-logsAll');
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Execute' }).click();
    const live = operation.locator('.live-responses-table .response').first();
    await live.waitFor();
    expect(await live.locator('.response-col_status').innerText()).toMatch(/^200/);
  });
});
