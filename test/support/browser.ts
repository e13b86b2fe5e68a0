import { createRequire } from 'node:module';
import { existsSync, readFileSync } from 'node:fs';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

/** The first that is installed. The headless shell draws the same pages with less than half of the CPU. */
const PROGRAMS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const CHROMIUM = process.env['CHROMIUM'] ?? PROGRAMS.find((file) => existsSync(file)) ?? '';

/** `describe` if Chromium is installed; otherwise `describe.skip` with a warning. */
export function describeInBrowser(name: string, tests: () => void): void {
  if (CHROMIUM !== '') {
    describe(name, tests);
    return;
  }
  console.warn(
    `${name}: skipped, there is no Chromium (apt-get install chromium-headless-shell, or set CHROMIUM)`,
  );
  describe.skip(name, tests);
}

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-dev-shm-usage'] });

/** A page in a browser session of its own, with the errors that it reported. */
export interface Visit {
  readonly page: Page;
  /** Console errors, script errors and violations of the content security policy. */
  readonly errors: readonly string[];
}

/** Browsers log every 4xx response as a console error, although the page handles it. */
const EXPECTED = 'Failed to load resource: the server responded with a status of 4';

/** Opens a page, runs the body and fails if the page reported an error. */
export async function visit(
  browser: Browser,
  use: (visited: Visit) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const errors: string[] = [];
  try {
    const page = await context.newPage();
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes(EXPECTED)) errors.push(message.text());
    });
    await page.addInitScript(
      "addEventListener('securitypolicyviolation', (event) => console.error('CSP ' + event.violatedDirective))",
    );
    await use({ page, errors });
    expect(errors).toEqual([]);
  } finally {
    await context.close();
  }
}

/** Reports the page as hidden or visible, as a browser does when a tab is changed. */
export const setHidden = (page: Page, isHidden: boolean): Promise<unknown> =>
  page.evaluate(
    `Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
     document.dispatchEvent(new Event('visibilitychange'))`,
  );

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[];
}

/** Lists the serious and critical findings of axe on a page, with the affected elements. */
export async function seriousFindings(page: Page): Promise<readonly string[]> {
  // Runs through the debugger, which the page's content security policy does not restrict.
  await page.evaluate(`${axeSource};0`);
  const { violations } = await page.evaluate<{ violations: readonly Finding[] }>(
    "axe.run(document, { resultTypes: ['violations'] })",
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.target.join(' ')}: ${node.failureSummary ?? ''}`),
    );
}
