import { readFile } from 'node:fs/promises';

import type { Page } from 'playwright-core';

import { describeInBrowser, seriousFindings } from '../support/browser.js';
import { connectAsAdmin } from '../support/clickhouse.js';
import { CONSOLE_KEY, startProjectGateway } from '../support/console-gateway.js';
import { TYPE_VALUES, TYPES_SELECT, writeResultsProject } from '../support/console-results-project.js';
import { drawnTexts, recordDrawnTexts, type DrawnText } from '../support/drawn-texts.js';
import { copiedTexts, recordCopies } from '../support/copied-texts.js';
import { consoleSession, openConsole } from '../support/console-session.js';

const COMPOUND = /^(?:Array|Tuple|Map|Nested|JSON|Geometry|QBit|Point|Ring|\w*LineString|\w*Polygon)/;

/** Families of types that no column of a result can have. */
const WITHOUT_VALUES = new Set(['AggregateFunction', 'Nothing', 'Object']);

/** The text of a value in ClickHouse's own words; its times in ISO 8601, as the gateway has them. */
function ownText(type: string, column: string): string {
  if (COMPOUND.test(type)) return `toJSONString(${column})`;
  if (type.startsWith('DateTime'))
    return `concat(replaceOne(toString(toTimeZone(${column}, 'UTC')), ' ', 'T'), 'Z')`;
  return `ifNull(toString(${column}), 'null')`;
}

async function rowsOfClickHouse(query: string): Promise<readonly (readonly string[])[]> {
  const client = connectAsAdmin();
  try {
    const result = await client.query({
      query,
      format: 'JSONCompactEachRow',
      clickhouse_settings: { output_format_json_quote_64bit_integers: 0, date_time_output_format: 'iso' },
    });
    return await result.json<readonly string[]>();
  } finally {
    await client.close();
  }
}

const cellsOf = (page: Page): Promise<readonly (readonly string[])[]> =>
  page.evaluate(
    `[...document.querySelectorAll('.rows tbody tr')].map((row) =>
       [...row.cells].map((cell) => (cell.querySelector('summary') ?? cell).textContent))`,
  );

describeInBrowser('a result in the console', () => {
  const session = consoleSession(async (folder) => {
    await writeResultsProject(folder);
    return startProjectGateway(folder);
  });

  const run = async (page: Page, name: string): Promise<void> => {
    await openConsole(session, page, `#/${name}?`);
    await page.waitForSelector('.rows tbody tr');
  };

  const drawnIn = async (page: Page, name: string): Promise<readonly DrawnText[]> => {
    await recordDrawnTexts(page);
    await run(page, name);
    await page.waitForSelector('.chart canvas');
    return drawnTexts(page);
  };

  const saved = async (
    page: Page,
    button: string,
  ): Promise<readonly [name: string, lines: readonly string[]]> => {
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.click(`role=button[name="${button}"]`),
    ]);
    expect(file.url()).not.toContain(CONSOLE_KEY);
    const text = await readFile(await file.path(), 'utf8');
    return [file.suggestedFilename(), text.trimEnd().split('\r\n')];
  };

  it('has the text that ClickHouse has for a value of each type', async () => {
    const texts = TYPE_VALUES.map(([type], index) => ownText(type, `c${index}`));
    const rows = await rowsOfClickHouse(`SELECT ${texts.join(', ')} FROM (${TYPES_SELECT})`);
    await session.visit(async (page) => {
      await run(page, 'types');
      const shown = await cellsOf(page);
      const asShown = (text: string): string => (text === '' ? 'empty' : text);
      const byType = (cells: readonly (readonly string[])[]): unknown =>
        TYPE_VALUES.map(([type], column) => [type, cells.map((row) => row[column])]);
      expect(byType(shown)).toEqual(byType(rows.map((row) => row.map(asShown))));
    });
  });

  it('is tested with all types that ClickHouse has', async () => {
    const families = await rowsOfClickHouse("SELECT name FROM system.data_type_families WHERE alias_to = ''");
    const tested = TYPE_VALUES.map(([type]) => type).join(' ');
    const untested = families
      .map(([name = '']) => name)
      .filter((name) => !WITHOUT_VALUES.has(name) && !new RegExp(`\\b${name}\\b`).test(tested));
    expect(untested).toEqual([]);
  });

  it('separates groups of digits on the screen only, and not those of identifiers', () =>
    session.visit(async (page) => {
      await run(page, 'numbers');
      const [first] = await cellsOf(page);
      expect(first).toEqual(['2026', '9007199254740993', '1234567']);
      const groups = await page.locator('.rows tbody tr:first-child .digits').allTextContents();
      expect(groups).toEqual(['1', '234', '567']);
      const copied = await page.evaluate(
        `getSelection().selectAllChildren(document.querySelector('.rows tbody td:nth-child(3)'));
         getSelection().toString().trim()`,
      );
      expect(copied).toBe('1234567');
      expect(await seriousFindings(page)).toEqual([]);
    }));

  it('is copied and saved with the digits that it shows', () =>
    session.visit(async (page) => {
      await recordCopies(page);
      await run(page, 'exact');
      const [shown = []] = await cellsOf(page);
      expect(shown).toEqual([
        ...['9007199254740993', '9007199254740993.0000000001', '[9007199254740993]'],
        '{"a":9007199254740993.0000000001}',
        '{"deep":[{"low":-9223372036854775808}],"id":9007199254740993,"ratio":0.30000000000000004}',
      ]);
      for (const [index] of shown.entries()) {
        await page.click(`.rows tbody td:nth-child(${index + 1})`, { position: { x: 2, y: 2 } });
        await page.click('text="Copy cell"');
      }
      await page.click('text="Copy row"');
      await page.click('text="Copy rows"');
      const copied = await copiedTexts(page);
      const names = 'id\tprice\tlist\ttags\tdoc';
      const row = `${names}\n${shown.join('\t')}`;
      expect(copied).toEqual([...shown, row, row]);
      const quoted = (text: string): string =>
        /^[\d.]+$/.test(text) ? text : `"${text.replaceAll('"', '""')}"`;
      const [, csv] = await saved(page, 'Download');
      expect(csv[1]).toBe(shown.map(quoted).join(','));
      for (const format of ['json', 'ndjson', 'json-table']) {
        await page.selectOption('.download select', format);
        const [, [text = '']] = await saved(page, 'Download');
        const members = names.split('\t').map((name, index) => `"${name}":${shown[index] ?? ''}`);
        expect(text).toContain(`{${members.join()}}`);
      }
      const starts = { tsv: /^id\tprice\t/, parquet: /^PAR1/, arrow: /^\uFFFD{4}/ };
      for (const [format, start] of Object.entries(starts)) {
        await page.selectOption('.download select', format);
        expect((await saved(page, 'Download'))[1].join()).toMatch(start);
      }
    }));

  it('has a chart with short labels within its edge, and a second axis for small values', () =>
    session.visit(async (page) => {
      const drawn = await drawnIn(page, 'magnitudes');
      const texts = drawn.map(({ text }) => text);
      expect(texts).toEqual(expect.arrayContaining(['20M', '40M', '0.1', '0.2']));
      expect(drawn.filter(({ left }) => left < 0)).toEqual([]);
      expect(await page.textContent('.chart-panel .legend')).toContain('seconds (right axis)');
      expect(await seriousFindings(page)).toEqual([]);
    }));

  it('has a chart with exact values, and times with their zone, under the pointer', () =>
    session.visit(async (page) => {
      await run(page, 'magnitudes');
      await page.hover('.chart .u-over', { position: { x: 1, y: 20 } });
      await page.waitForSelector('.at:has-text("2026-05-17 00:00:00 UTC")');
      expect(await page.locator('.legend .value').allTextContents()).toEqual(['20000000', '0.1']);
    }));

  it('has the year at the time axis of a chart of several years', () =>
    session.visit(async (page) => {
      const texts = (await drawnIn(page, 'years')).map(({ text }) => text);
      expect(texts).toEqual(expect.arrayContaining(['2025-01-01', '2026-01-01']));
    }));

  it('has dates at the time axis of a chart of days, several where it is narrow', () =>
    session.visit(async (page) => {
      const datesOf = (drawn: readonly DrawnText[]): readonly string[] => [
        ...new Set(drawn.map(({ text }) => text).filter((text) => /\d[-:]\d/.test(text))),
      ];
      const days = ['11-22', '11-23', '11-24', '11-25', '11-26', '11-27', '11-28'];
      expect(datesOf(await drawnIn(page, 'week'))).toEqual(days);
      await page.setViewportSize({ width: 360, height: 740 });
      await page.reload();
      await page.waitForSelector('.chart canvas');
      expect(datesOf(await drawnTexts(page))).toEqual(['11-22', '11-24', '11-26', '11-28']);
    }));

  it('of pages opens as a table that says that there are more rows, and a chart of it says so too', () =>
    session.visit(async (page) => {
      await run(page, 'towns');
      await page.waitForSelector('.kinds button[aria-pressed=true]:text("Table")');
      expect(await page.textContent('.notice.warn')).toContain('These are the first 10 of more rows.');
      await page.click('.kinds >> text="Bars"');
      await page.waitForSelector('text=Drawn of the first 10 of more rows.');
      await page.click('role=button[name="Next page"]');
      await page.waitForSelector('text=Drawn of page 2, 10 of more rows.');
      expect(await seriousFindings(page)).toEqual([]);
    }));

  it('of a later page is saved as that page, and survives a reload, a link, and the way back', () =>
    session.visit(async (page) => {
      await run(page, 'towns');
      await page.click('role=button[name="Next page"]');
      await page.waitForSelector('.rows >> text="town 110"');
      const [name, lines] = await saved(page, 'Download page 2');
      expect([name, lines[1], lines.length]).toEqual([
        expect.stringMatching(/^towns-.*-page-2\.csv$/),
        '"town 110",490',
        11,
      ]);
      const copied = page.url();
      await page.reload();
      await page.waitForSelector('.rows >> text="town 110"');
      await page.getByRole('navigation', { name: 'Pages' }).getByText('Page 2').waitFor();
      await page.goBack();
      await page.waitForSelector('.rows >> text="town 100"');
      await page.goto(copied);
      await page.waitForSelector('.rows >> text="town 110"');
    }));

  it('is saved with all rows where the endpoint has exports', () =>
    session.visit(async (page) => {
      await run(page, 'towns');
      const [, lines] = await saved(page, 'All rows');
      expect([lines.length, lines.at(-1)]).toEqual([26, '"town 124",476']);
    }));

  it('has no chart where the table alone was chosen, until another kind is', () =>
    session.visit(async (page) => {
      await run(page, 'years');
      await page.click('.kinds >> text="Table"');
      await page.waitForSelector('.chart', { state: 'detached' });
      await page.goto(`${session.gateway.url}/#/magnitudes?`);
      await page.waitForSelector('.chart canvas');
      await page.goto(`${session.gateway.url}/#/years`);
      await page.waitForSelector('.outcome[aria-busy=false] .kinds button[aria-pressed=true]:text("Table")');
      expect(await page.locator('.chart').count()).toBe(0);
      expect(await seriousFindings(page)).toEqual([]);
      await page.click('.kinds >> text="Lines"');
      await page.waitForSelector('.chart canvas');
    }));
});
