import type { Page } from 'playwright-core';

import { describeInBrowser, seriousFindings } from '../support/browser.js';
import { startProjectGateway } from '../support/console-gateway.js';
import { writeResultsProject } from '../support/console-results-project.js';
import { consoleSession, openConsole } from '../support/console-session.js';
import { copiedTexts, recordCopies } from '../support/copied-texts.js';
import { drawnTexts, recordDrawnTexts } from '../support/drawn-texts.js';
import { pollUntil } from '../support/poll-until.js';

describeInBrowser('the ways to show a result in the console', () => {
  const session = consoleSession(async (folder) => {
    await writeResultsProject(folder);
    return startProjectGateway(folder);
  });

  const open = async (page: Page, name: string): Promise<void> => {
    await openConsole(session, page, `#/${name}?`);
    await page.waitForSelector('.outcome[aria-busy=false] .rows tbody tr');
  };

  const kindOf = (page: Page): Promise<string | null> => page.textContent('.kinds [aria-pressed=true]');

  it('are lines, bars and areas where rows have times; the choice is in the link, and in this browser', () =>
    session.visit(async (page) => {
      await open(page, 'magnitudes');
      expect(await kindOf(page)).toBe('Lines');
      expect(await page.textContent('.chart-panel .legend')).toContain('seconds (right axis)');
      for (const kind of ['Stacked', 'Bars']) {
        await page.click(`.kinds >> text="${kind}"`);
        await page.waitForSelector('.chart canvas');
        // Heights that are upon each other have one axis.
        expect(await page.textContent('.chart-panel .legend')).not.toContain('right axis');
        expect(await seriousFindings(page)).toEqual([]);
      }
      // A bar has one number.
      await page.selectOption('.chart-panel select', 'seconds');
      expect(new URL(page.url()).hash).toBe('#/magnitudes;as=bars;of=seconds?');
      expect(await page.textContent('.chart-panel .legend')).toBe('seconds');
      await page.goto(`${session.gateway.url}/#/magnitudes?`);
      await page.waitForSelector('.kinds [aria-pressed=true]:text("Lines")');
      await page.goto(`${session.gateway.url}/#/magnitudes`);
      await page.waitForSelector('.kinds [aria-pressed=true]:text("Bars")');
      expect(await page.inputValue('.chart-panel select')).toBe('seconds');
    }));

  it('are bars of the highest sums, in the order of the query, where rows have labels and numbers but no times', () =>
    session.visit(async (page) => {
      await open(page, 'shop.ranking');
      expect(await kindOf(page)).toBe('Bars');
      const bars = await page.locator('.bars li').allTextContents();
      expect(bars).toHaveLength(11);
      // Twice 25 · 9007199254740993, of the two rows of this product.
      expect(bars[9]).toBe('product 24450359962737049650');
      expect(bars[10]).toBe('15 others2161727821137838320');
      expect(await page.getAttribute('.bars li:nth-child(9) rect', 'width')).toBe('96%');
      expect(await page.textContent('.chart-panel')).toContain(
        'Values of rows with the same product are added.',
      );
      expect(await seriousFindings(page)).toEqual([]);
    }));

  it('are bars of levels, and a table with a column for each value of the second column', () =>
    session.visit(async (page) => {
      await recordCopies(page);
      await open(page, 'levels');
      expect(await kindOf(page)).toBe('Bars');
      expect(await page.locator('.bars li').allTextContents()).toEqual(['00', '110', '220', '30', '410']);
      await page.goto(`${session.gateway.url}/#/cohorts?`);
      await page.waitForSelector('h1:text("cohorts")');
      await page.waitForSelector('.bars li');
      expect(await page.locator('.bars li').count()).toBe(3);
      await page.click('.kinds >> text="Pivot"');
      await page.waitForSelector('th:has-text("channel search")');
      await page.click('text="Copy rows"');
      const [copied] = await copiedTexts(page);
      expect(copied?.split('\n')).toEqual([
        'week\tchannel ads\tchannel search',
        '0\t9007199254740993\t9007199254740990',
        '1\t9007199254740992\t9007199254740989',
        '2\t9007199254740991\t',
      ]);
      expect(await seriousFindings(page)).toEqual([]);
    }));

  it('are large numbers where there is one row', () =>
    session.visit(async (page) => {
      await open(page, 'shop.total');
      expect(await page.locator('.numbers div').allTextContents()).toEqual([
        ...['orders18446744073709551615', 'revenue99.5'],
      ]);
      const isWhole =
        "[...document.querySelectorAll('.numbers dd')].every((one) => one.scrollWidth <= one.clientWidth)";
      expect(await page.evaluate(isWhole)).toBe(true);
      expect(await seriousFindings(page)).toEqual([]);
      await page.setViewportSize({ width: 360, height: 740 });
      expect(await page.evaluate(isWhole)).toBe(true);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    }));

  it('are lines of a log where rows have a time and a message; a press on a value filters by it', () =>
    session.visit(async (page) => {
      await open(page, 'lines');
      expect(await kindOf(page)).toBe('Log');
      expect(await page.textContent('.log tbody tr')).toBe('2026-05-17T10:00:00.250Zerrorline 0');
      expect(await page.locator('.log td.bad').count()).toBe(3);
      const colourOf = (text: string): Promise<string> =>
        page.evaluate(
          `getComputedStyle([...document.querySelectorAll('.log .level button')].find((one) => one.textContent === '${text}')).color`,
        );
      expect(await colourOf('error')).not.toBe(await colourOf('info'));
      await page.click('.log tbody tr:nth-child(1) .when button');
      expect(await page.textContent('.log .whole-line')).toContain('hostweb-1');
      expect(await page.locator('.whole-line .filter').allTextContents()).toEqual(['error']);
      expect(await seriousFindings(page)).toEqual([]);
      await page.click('.log td.bad .filter');
      await page.waitForURL(/level=error/);
      const levels = page.locator('.log td.level');
      await pollUntil('only errors are shown', async () => ((await levels.count()) === 3 ? true : undefined));
      // What was opened stays open.
      expect(await page.textContent('.log .whole-line')).toContain('hostweb-1');
      expect(await page.inputValue('#field-level')).toBe('error');
      await page.setViewportSize({ width: 360, height: 740 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    }));

  it('tell that the last bucket is not over', async () => {
    const note = 'Dashed: the last bucket is not over yet.';
    await session.visit(async (page) => {
      await open(page, 'growing');
      expect(await page.textContent('.chart-panel figcaption')).toContain(note);
      await page.click('.kinds >> text="Bars"');
      expect(await page.textContent('.chart-panel figcaption')).toContain(note);
      await page.goto(`${session.gateway.url}/#/magnitudes?`);
      await page.waitForSelector('h1:text("magnitudes")');
      await page.waitForSelector('.outcome[aria-busy=false] .chart canvas');
      expect(await page.textContent('.chart-panel figcaption')).not.toContain(note);
    });
  });

  it('have the zone of the browser where it was chosen: in the chart, the table, the log and the picker', () =>
    session.visit(
      async (page) => {
        await recordDrawnTexts(page);
        await open(page, 'magnitudes');
        expect(await page.textContent('.rows tbody td')).toBe('2026-05-17T00:00:00Z');
        await page.selectOption('.zone select', 'Europe/Berlin');
        expect(await page.textContent('.rows tbody td')).toBe('2026-05-17T02:00:00+02:00');
        await page.hover('.chart .u-over', { position: { x: 1, y: 20 } });
        await page.waitForSelector('.at:has-text("2026-05-17 02:00:00 +02:00")');
        await page.evaluate('window.drawn = []');
        await page.setViewportSize({ width: 1200, height: 800 });
        const last = await pollUntil('the axis is drawn', async () => {
          const texts = (await drawnTexts(page)).map(({ text }) => text);
          return texts.includes('05-18') ? texts[texts.indexOf('05-18') - 1] : undefined;
        });
        expect(last).toBe('00:00');
        await page.goto(`${session.gateway.url}/#/lines?`);
        await page.waitForSelector('.log tbody tr:has-text("2026-05-17T12:00:00.250+02:00")');
        await page.fill('[aria-label="Pick since, in Europe/Berlin"]', '2026-05-17T11:59:58');
        expect(await page.inputValue('#field-since')).toBe('2026-05-17T09:59:58Z');
        await page.reload();
        await page.waitForSelector('.log tbody tr:has-text("2026-05-17T12:00:00.250+02:00")');
      },
      { timezoneId: 'Europe/Berlin' },
    ));

  it('have dates of the table in the chart, whatever the zone', () =>
    session.visit(
      async (page) => {
        await page.addInitScript("localStorage.setItem('querygate.zone', 'browser')");
        await open(page, 'years');
        await page.hover('.chart .u-over', { position: { x: 1, y: 20 } });
        await page.waitForSelector('.at:text-is("2024-07-01")');
        expect(await page.textContent('.rows tbody td')).toBe('2024-07-01');
      },
      { timezoneId: 'America/New_York' },
    ));

  it('have no choice of a zone where the browser has UTC', () =>
    session.visit(
      async (page) => {
        await open(page, 'magnitudes');
        expect(await page.locator('.zone').count()).toBe(0);
      },
      { timezoneId: 'UTC' },
    ));

  it('copy a cell and its row, chosen with a press or with the keyboard', () =>
    session.visit(async (page) => {
      await recordCopies(page);
      await open(page, 'magnitudes');
      await page.click('.rows tbody tr:nth-child(2) td:nth-child(2)');
      await page.click('text="Copy cell"');
      await page.focus('.rows');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowLeft');
      await page.click('text="Copy cell"');
      await page.click('text="Copy row"');
      await page.click('.rows th:nth-child(2) button');
      await page.click('.rows th:nth-child(2) button');
      await page.click('text="Copy rows"');
      const [, highest] = (await copiedTexts(page)).at(-1)?.split('\n') ?? [];
      expect(highest).toMatch(/^2026-05-17T23:00:00Z\t59100000\t/);
      expect((await copiedTexts(page)).slice(0, 3)).toEqual([
        '21700000',
        '2026-05-17T02:00:00Z',
        'at\trequests\tseconds\n2026-05-17T02:00:00Z\t23400000\t0.12000000000000001',
      ]);
      expect(await seriousFindings(page)).toEqual([]);
      await page.focus('.rows');
      await page.keyboard.press('Escape');
      expect(await page.locator('.chosen, .about-cell').count()).toBe(0);
      await page.focus('.rows');
      await page.keyboard.press('Enter');
      await page.waitForSelector('.rows tbody tr:first-child td.chosen:first-child');
    }));

  it('are reached by names in groups, by favourites and by the last calls', () =>
    session.open('#/lines?level=error', async (page) => {
      await page.waitForSelector('.log tbody tr');
      expect(await page.locator('nav.endpoints details summary').allTextContents()).toEqual([...['shop 2']]);
      await page.click('.star');
      await page.waitForSelector('nav.endpoints details:has-text("Favourites") a:has-text("level error")');
      expect(await seriousFindings(page)).toEqual([]);
      await page.click('nav a[href="#/shop.total"]');
      await page.waitForSelector('.numbers');
      await page.click('nav.endpoints details:has-text("Favourites") a');
      await page.waitForURL(/level=error/);
      await page.click('.star');
      expect(await page.locator('nav.endpoints details:has-text("Favourites")').count()).toBe(0);
      await page.click('.brand');
      expect(await page.textContent('.start .addresses a')).toBe('lineslevel error');
      await page.click('text="Forget these calls"');
      expect(await page.locator('.start .addresses').count()).toBe(0);
    }));
});
