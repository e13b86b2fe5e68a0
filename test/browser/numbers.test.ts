import { representationOf } from '../../src/gateway/formats/representation.js';
import { NUMBERS, type Numbers } from '../../src/endpoint/definition.js';
import { describeInBrowser, openBrowser, visit } from '../support/browser.js';
import { useFormatQueries } from '../support/fetch-format.js';
import { NUMBER_PLACES, WIDE } from '../support/number-samples.js';
import { TYPE_SAMPLES, type TypeSample } from '../support/sample-types.js';
import { placesOf, selectOf } from '../support/type-places.js';
import { openForAll } from '../support/opened.js';

const INTEGERS = ['Int64', 'UInt64', 'Int128', 'UInt128', 'Int256', 'UInt256'];
const SAMPLES = [...INTEGERS.flatMap((name) => TYPE_SAMPLES[name] ?? []), ...WIDE];

describeInBrowser('JSON.parse of a browser', () => {
  const { fetchFormat, queryRows } = useFormatQueries();
  const browser = openForAll(openBrowser);

  /** Lines as ClickHouse writes them, and as a browser does after it has read them. */
  async function inBrowser(sample: TypeSample, numbers: Numbers): Promise<readonly (readonly string[])[]> {
    const names = [...(await placesOf(sample, queryRows, NUMBER_PLACES)).keys()];
    const representation = representationOf('ndjson', { numbers });
    const { body } = await fetchFormat('ndjson', selectOf(sample, names, NUMBER_PLACES), {
      ...{ columns: 'unknown', representation },
    });
    const lines = body.toString().trimEnd().split('\n');
    let read: readonly string[] = [];
    await visit(browser, async ({ page }) => {
      read = await page.evaluate((sent) => sent.map((line) => JSON.stringify(JSON.parse(line))), lines);
    });
    return [lines, read];
  }

  it.each(SAMPLES)('keeps the digits of %s as text, which it changes as numbers', async (...sample) => {
    const [[lines, read], [plain, rounded]] = (await Promise.all(
      NUMBERS.toReversed().map((numbers) => inBrowser(sample, numbers)),
    )) as [string[][], string[][]];
    expect(read).toEqual(lines);
    expect(rounded).not.toEqual(plain);
  });
});
