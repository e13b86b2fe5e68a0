import { createRequire } from 'node:module';
import { existsSync, readFileSync } from 'node:fs';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** `describe` where there is a Chromium, else `describe.skip` with a word why. */
export function describeInBrowser(name: string, tests: () => void): void {
  if (existsSync(CHROMIUM)) {
    describe(name, tests);
    return;
  }
  console.warn(
    `${name}: skipped, there is no Chromium at ${CHROMIUM} (apt-get install chromium, or set CHROMIUM)`,
  );
  describe.skip(name, tests);
}

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-dev-shm-usage'] });

/** A page in a session of its own, and what it complained of. */
export interface Visit {
  readonly page: Page;
  /** Errors of the console and of scripts, and what the content security policy refused. */
  readonly errors: readonly string[];
}

/** A status that an HTTP interface answers is told on the console, and is no fault of the page. */
const EXPECTED = 'Failed to load resource: the server responded with a status of 4';

/** Opens a page, uses it, and looks whether it complained. */
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

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[];
}

/** What axe finds on a page that is serious or critical, with where. */
export async function seriousFindings(page: Page): Promise<readonly string[]> {
  // Evaluated by the debugger, which the page's content security policy does not concern.
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
