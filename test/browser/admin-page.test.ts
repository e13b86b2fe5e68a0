import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { describeInBrowser, seriousFindings } from '../support/browser.js';
import { CONSOLE_KEY, startProjectGateway } from '../support/console-gateway.js';
import { consoleSession } from '../support/console-session.js';

describeInBrowser('the admin page', () => {
  let endpoints = '';
  const session = consoleSession(async (folder) => {
    endpoints = path.join(folder, 'endpoints');
    await mkdir(endpoints);
    await write('numbers', 'number');
    // Until its time limit: 10^12 pairs of few rows.
    const pairs = 'numbers(1000000) AS a, numbers(1000000) AS b WHERE cityHash64(a.number, b.number) = 1';
    await write('slow', 'count()', pairs);
    return startProjectGateway(folder);
  });

  const ids = new Map<string, string>();
  const write = async (name: string, expression: string, from = 'numbers(10)'): Promise<void> => {
    const id = ids.get(name) ?? crypto.randomUUID();
    ids.set(name, id);
    const header = `name: ${name}\nid: ${id}\nsummary: For a test.\ncolumns: { value: UInt64 }`;
    await writeFile(
      path.join(endpoints, `${name}.sql`),
      `/*\n${header}\n*/\nSELECT toUInt64(${expression}) AS value FROM ${from}\n`,
    );
  };

  const call = (name: string): Promise<Response> =>
    fetch(`${session.gateway.url}/api/endpoints/query/${name}`, { headers: { 'X-API-KEY': CONSOLE_KEY } });

  it('shows the calls that run, and cancels one', () =>
    session.visit(async (page) => {
      const slow = call('slow');
      await page.goto(`${session.gateway.adminUrl}/`);
      await page.waitForSelector('[aria-label="Calls that run now"] td span:text("slow")');
      expect(await seriousFindings(page)).toEqual([]);
      await page.click('[aria-label="Calls that run now"] button:text("Cancel")');
      const response = await slow;
      const { code } = (await response.json()) as { readonly code: string };
      expect([response.status, code]).toEqual([503, 'CALL_CANCELLED']);
      await page.waitForSelector('text="No call runs now."');
    }));

  it('loads the files again, and shows what is wrong with them at its place', () =>
    session.visit(async (page) => {
      await page.goto(`${session.gateway.adminUrl}/`);
      await write('numbers', 'nmber');
      await page.click('text="Load the files again"');
      await page.waitForSelector('.problem-texts');
      expect(await page.textContent('.problem-texts')).toMatch(
        /^endpoints\/numbers\.sql:\d+:\d+: .*nmber[^]*\n +SELECT toUInt64\(nmber\).*\n +\^/,
      );
      expect(await page.textContent('[role=alert]')).toContain('failed, and what was served before stays');
      expect(await seriousFindings(page)).toEqual([]);
      expect((await call('numbers')).status).toBe(200);
      await write('numbers', '41 + number');
      await page.click('text="Load the files again"');
      await page.waitForSelector('.problem-texts', { state: 'detached' });
      expect(await (await call('numbers')).text()).toContain('"value":41}');
    }));

  it('shows equal errors in one row', () =>
    session.visit(async (page) => {
      await page.route('**/errors', async (route) => {
        const failure = (minute: number, key: string): object => ({
          ...{
            time: `2026-05-17T10:0${minute}:00.000Z`,
            requestId: `request-${minute}`,
            endpoint: 'slow',
            key,
          },
          ...{ status: 504, code: 'QUERY_TIMEOUT', diagnosis: 'TIMEOUT_EXCEEDED', cause: `query ${minute}` },
        });
        await route.fulfill({
          json: { failures: [failure(3, 'one'), failure(2, 'other'), failure(1, 'one')] },
        });
      });
      await page.goto(`${session.gateway.adminUrl}/`);
      const rows = page.locator('[aria-label="Rows of recent errors"] tbody tr');
      await rows.first().waitFor();
      expect(await rows.allInnerTexts()).toEqual([
        expect.stringMatching(
          /10:03:00\s+2\s+504\s+QUERY_TIMEOUT\s+slow\s+one\s+TIMEOUT_EXCEEDED\s+query 3\s+request-3/,
        ),
        expect.stringMatching(/10:02:00\s+1\s+504\s+QUERY_TIMEOUT\s+slow\s+other\s/),
      ]);
    }));

  it('shows what is used of the quotas of keys', () =>
    session.visit(async (page) => {
      await page.route('**/keys', async (route) => {
        const response = await route.fetch();
        const { keys, others } = (await response.json()) as { keys: readonly object[]; others: unknown };
        const quotas = [{ counted: 'requests', quota: 100, window: 60, used: 12, resetsIn: 30 }];
        await route.fulfill({ json: { keys: keys.map((key) => ({ ...key, quotas })), others } });
      });
      await page.goto(`${session.gateway.adminUrl}/`);
      await page.waitForSelector('[aria-label="Rows of keys"] td:has-text("12 of 100 requests in 1 min")');
      const text = (await page.textContent('main')) ?? '';
      for (const shown of ['Cache in memory', 'ClickHouse p95', 'Warming']) expect(text).toContain(shown);
      await page.setViewportSize({ width: 360, height: 740 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    }));
});
