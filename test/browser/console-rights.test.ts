import { describeInBrowser, seriousFindings } from '../support/browser.js';
import { startProjectGateway } from '../support/console-gateway.js';
import { writeResultsProject } from '../support/console-results-project.js';
import { consoleSession } from '../support/console-session.js';

const PINNED = 'qg_key-that-pins-a-level';
const EXPORTS = 'qg_key-that-may-export';
const READS = 'qg_key-that-may-not-export';

describeInBrowser('what a key may do in the console', () => {
  const session = consoleSession(async (folder) => {
    await writeResultsProject(folder);
    return startProjectGateway(folder, {
      [PINNED]: { fixed: { level: 'error' } },
      [EXPORTS]: { mayExport: true },
      [READS]: {},
    });
  });

  it('shows a parameter that the key sets locked, with its value, and sends none', () =>
    session.open(
      '#/lines?level=error',
      async (page) => {
        await page.waitForSelector('.log tbody tr');
        const field = page.locator('#field-level');
        expect([await field.inputValue(), await field.isEditable()]).toEqual(['error', false]);
        expect(await page.textContent('label[for=field-level]')).toBe('level set by your key');
        expect(await page.locator('.log td.level').allTextContents()).toEqual(['error', 'error', 'error']);
        expect(await page.locator('.log .level .filter').count()).toBe(0);
        expect(await seriousFindings(page)).toEqual([]);
        await page.click('form.request button[type=submit]');
        await page.waitForURL((url) => url.hash === '#/lines?');
        // A link of somebody with another key says that it has another level, and waits.
        await page.goto(`${session.gateway.url}/#/lines?level=info`);
        await page.waitForSelector(
          'text=This link has level info, and your key sets error. Check the form, then press Run.',
        );
      },
      { key: PINNED },
    ));

  it.each([
    [EXPORTS, 1],
    [READS, 0],
  ])('offers all rows, and names export=1, only where the key may export: %s', (key, count) =>
    session.open(
      '#/towns?',
      async (page) => {
        await page.waitForSelector('.notice.warn:has-text("Not all rows.")');
        expect(await page.locator('button:text-is("All rows")').count()).toBe(count);
        expect(await page.locator('.notice.warn code:text-is("export=1")').count()).toBe(count);
        await page.click('role=tab[name="Use it elsewhere"]');
        await page.waitForSelector('.code pre');
        expect(await page.locator('.code-actions code:text-is("export=1")').count()).toBe(count);
        expect(await seriousFindings(page)).toEqual([]);
      },
      { key },
    ),
  );
});
