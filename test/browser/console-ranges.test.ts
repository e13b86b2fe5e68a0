import type { Page } from 'playwright-core';

import { describeInBrowser, seriousFindings } from '../support/browser.js';
import { startProjectGateway } from '../support/console-gateway.js';
import { writeResultsProject } from '../support/console-results-project.js';
import { consoleSession, openConsole } from '../support/console-session.js';

describeInBrowser('the range of a chart of buckets in the console', () => {
  const session = consoleSession(async (folder) => {
    await writeResultsProject(folder);
    return startProjectGateway(folder);
  });

  const open = async (page: Page, fragment: string): Promise<void> => {
    await page.clock.setFixedTime('2026-05-17T10:05:00Z');
    await openConsole(session, page, fragment);
    await page.waitForSelector('.outcome[aria-busy=false] .chart canvas');
  };

  /** Drags over a chart. @param from of its width; @param to too */
  const drag = async (page: Page, from: number, to: number): Promise<void> => {
    const plot = page.locator('.chart .u-over');
    await plot.scrollIntoViewIfNeeded();
    const { x = 0, y = 0, width = 0, height = 0 } = (await plot.boundingBox()) ?? {};
    await page.mouse.move(x + width * from, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width * to, y + height / 2, { steps: 4 });
    await page.mouse.up();
  };

  const rangeAfter = async (page: Page, since: string): Promise<string | null> => {
    await page.waitForURL((url) => url.hash.includes(encodeURIComponent(since)));
    await page.waitForSelector('.outcome[aria-busy=false] .rows tbody tr');
    return new URLSearchParams(new URL(page.url()).hash.split('?')[1]).get('until');
  };

  it('has whole buckets after a drag over a line', () =>
    session.visit(async (page) => {
      await open(page, '#/visits?');
      // Of eleven hours from the third to the eighth.
      await drag(page, 0.22, 0.7);
      expect(await rangeAfter(page, '2026-05-17T02:00:00Z')).toBe('2026-05-17T08:00:00Z');
      expect(await page.locator('.rows tbody td.number').allTextContents()).toEqual(Array(6).fill('60'));
      expect(await page.textContent('.chart-panel figcaption')).not.toContain('Dashed');
    }));

  it('has whole buckets after a press of a button', () =>
    session.visit(async (page) => {
      await open(page, '#/visits?since=2026-05-17T01:40:00Z&until=2026-05-17T04:10:00Z');
      await page.click('text="Previous"');
      // Two and a half hours touch four.
      expect(await rangeAfter(page, '2026-05-16T21:00:00Z')).toBe('2026-05-17T01:00:00Z');
      await page.click('text="Next"');
      await page.waitForURL(/since=2026-05-17T01.*until=2026-05-17T05/);
      await page.click('text="24 h"');
      expect(await rangeAfter(page, '2026-05-16T10:00:00Z')).toBeNull();
    }));

  it('has the buckets whose bars are dragged over', () =>
    session.visit(async (page) => {
      await open(page, '#/hours;as=bars?');
      // Of six bars the second and the third.
      await drag(page, 0.25, 0.42);
      expect(await rangeAfter(page, '2026-05-17T01:00:00Z')).toBe('2026-05-17T03:00:00Z');
    }));

  it('has no buttons where no parameter is a time', () =>
    session.open('#/magnitudes?', async (page) => {
      await page.waitForSelector('.chart canvas');
      expect(await page.locator('.ranges').count()).toBe(0);
    }));

  it('has no end that a drag could set where no parameter is one, which the chart says', () =>
    session.visit(async (page) => {
      await open(page, '#/arrivals?');
      await drag(page, 0.2, 0.7);
      await page.waitForSelector('text=here a parameter for one of them is missing');
      expect(await page.evaluate("document.querySelector('.u-select').clientWidth")).toBe(0);
      expect(new URL(page.url()).hash).toBe('#/arrivals?');
      expect(await seriousFindings(page)).toEqual([]);
    }));

  it('is cut where it does not begin and end with a bucket, which the chart tells', () =>
    session.visit(async (page) => {
      for (const kind of ['line', 'bars', 'stacked']) {
        await open(page, `#/visits;as=${kind}?since=2026-05-17T01:40:00Z&until=2026-05-17T04:10:00Z`);
        expect(await page.textContent('.chart-panel figcaption')).toContain(
          'Dashed: the range begins within the first bucket, and the range ends within the last bucket.',
        );
        expect(await seriousFindings(page)).toEqual([]);
      }
      await open(page, '#/visits?since=2026-05-17T01:00:00Z&until=2026-05-17T04:00:00Z');
      expect(await page.textContent('.chart-panel figcaption')).not.toContain('Dashed');
    }));

  it('is dashed where a page ends within a bucket, and where the next one begins', () =>
    session.visit(async (page) => {
      await open(page, '#/stays;as=line?');
      expect(await page.textContent('.chart-panel figcaption')).toContain(
        'Dashed: the last bucket has more rows than these.',
      );
      await page.click('text="Next page"');
      await page.waitForSelector('text="Page 2"');
      expect(await page.textContent('.chart-panel figcaption')).toContain(
        'Dashed: the first bucket has more rows than these, and the last bucket has more rows than these.',
      );
    }));
});
