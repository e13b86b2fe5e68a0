import { checkJunit } from '../../src/commands/cli/check/check-junit.js';
import { describeInBrowser, openBrowser, visit } from '../support/browser.js';

describeInBrowser('the JUnit XML of querygate check', () => {
  it('is well-formed, with all texts, whatever characters these contain', async () => {
    const problem = '<b> & "quoted" ]]> \u0000\u001B[31m\uD800 ‘é’ 🙂';
    const example = { rows: 1, truncated: false, milliseconds: 1234.5, rowsRead: 1, bytesRead: 1 };
    const xml = checkJunit(
      [
        {
          name: 'a.b',
          file: 'endpoints/a&b.sql',
          problems: [
            {
              file: 'endpoints/a&b.sql',
              line: 2,
              column: 3,
              code: 'QUERY_REJECTED',
              problem,
              excerpt: '    x\n    ^',
            },
            { code: 'QUERY_FAILED', problem: 'b' },
          ],
          warnings: [],
          tables: [],
        },
        { name: 'slow', problems: [], warnings: ['reads all', 'and <more>'], example, tables: [] },
      ],
      { problems: [], warnings: [] },
    );
    const browser = await openBrowser();
    try {
      await visit(browser, async ({ page }) => {
        const read = await page.evaluate(`(${READ_JUNIT})(${JSON.stringify(xml)})`);
        const shown = '<b> & "quoted" ]]> \uFFFD\uFFFD[31m\uFFFD ‘é’ 🙂';
        expect(read).toEqual({
          counts: ['3', '1'],
          cases: [
            {
              name: 'a.b',
              file: 'endpoints/a&b.sql',
              time: '0.0000',
              message: `${shown} (and 1 more)`,
              failure: `endpoints/a&b.sql:2:3: ${shown}\n    x\n    ^\nb`,
            },
            { name: 'slow', time: '1.2345', output: 'warning: reads all\nwarning: and <more>' },
            { name: 'grants', time: '0.0000' },
          ],
        });
      });
    } finally {
      await browser.close();
    }
  });
});

/** Runs in the browser, whose parser rejects XML that is not well-formed. */
const READ_JUNIT = `(xml) => {
  const document = new DOMParser().parseFromString(xml, 'application/xml');
  const error = document.querySelector('parsererror');
  if (error) throw new Error(error.textContent);
  const suite = document.querySelector('testsuites > testsuite');
  const cases = [...document.querySelectorAll('testsuite > testcase')].map((testcase) => {
    const failure = testcase.querySelector('failure');
    return {
      name: testcase.getAttribute('name'),
      file: testcase.getAttribute('file') ?? undefined,
      time: testcase.getAttribute('time'),
      message: failure?.getAttribute('message'),
      failure: failure?.textContent,
      output: testcase.querySelector('system-out')?.textContent,
    };
  });
  return { counts: [suite?.getAttribute('tests'), suite?.getAttribute('failures')], cases };
}`;
