/**
 * Makes the pictures in docs/screenshots/ with Chromium (CHROMIUM), of the build: the console and the admin page of the reference
 * project, and the console of a development server, on which the tutorial's mistake is made. Rows and times are those of now.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

/** @import { BrowserContextOptions, Locator, Page } from 'playwright-core' */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = path.join(ROOT, 'docs/screenshots');
const COMMAND = path.join(ROOT, 'dist/commands/cli/querygate.js');
const START_TIMEOUT_MS = 60_000;

const KEY = 'qg_for-the-screenshots';
const USAGE = '/usage.api-counts?project=aurora&interval=daily';
const WIDE = { viewport: { width: 1200, height: 760 } };
const HIGH = { viewport: { width: 1200, height: 1020 } };
const LOW = { width: 1200, height: 600 };
const NARROW = { viewport: { width: 360, height: 740 } };

const temporary = await mkdtemp(path.join(tmpdir(), 'querygate-screenshots-'));
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-dev-shm-usage'],
});
try {
  await mkdir(FOLDER, { recursive: true });
  const urls = [/"message":"ready".*"url":"([^"]+)"/, /"admin API ready".*"url":"([^"]+)"/];
  await withQuerygate(['serve', '--project', ROOT], urls, pictureReference);
  const project = path.join(temporary, 'shop');
  await run(['init', project]);
  const welcome = [/^Querygate is ready on (http:\S+)\. /m, /^Watching (.+): /m];
  await withQuerygate(['dev', '--project', project], welcome, pictureDevelopment);
} finally {
  await browser.close();
  await rm(temporary, { recursive: true, force: true });
}

/**
 * @param {string} url of the gateway
 * @param {string} adminUrl
 */
async function pictureReference(url, adminUrl) {
  await visit({ ...WIDE, colorScheme: 'dark' }, async (page) => {
    await open(page, url, USAGE);
    await page.waitForSelector('.chart canvas');
    await take(page, 'console-dark');
    await page.selectOption('.theme select', 'light');
    await take(page, 'console-light');
  });
  await visit(NARROW, async (page) => {
    await open(page, url, USAGE);
    await page.waitForSelector('.chart canvas');
    await take(page, 'console-narrow');
  });
  await visit(WIDE, async (page) => {
    await page.goto(`${adminUrl}/`);
    await callForAWhile(url);
    await page.waitForSelector('.chart canvas');
    await take(page, 'admin');
  });
}

/**
 * @param {string} url of the gateway
 * @param {string} project its folder
 */
async function pictureDevelopment(url, project) {
  const file = path.join(project, 'endpoints/requests.by-path.sql');
  /** @type {(before: string, after: string) => Promise<void>} */
  const change = async (before, after) => {
    await writeFile(file, (await readFile(file, 'utf8')).replace(before, after));
  };
  await visit(HIGH, async (page) => {
    await open(page, url, '/requests.by-path?shop=harbour');
    await page.waitForSelector('.rows tbody tr');
    await page.click('role=tab[name="SQL"]');
    await page.waitForSelector('.sql-panel .code');
    await take(page.locator('main'), 'dev-console');
    // As in the tutorial: a change, then a mistake.
    await change('status >= 500', 'status >= 400');
    await page.waitForSelector('.sql-panel .code :text("400")');
    await page.setViewportSize(LOW);
    await change('countIf(status ', 'countIf(statuss ');
    await page.waitForSelector('.banner [role=alert]');
    await take(page, 'dev-mistake');
  });
}

/**
 * Starts `querygate ARGUMENTS` until `use` has ended.
 *
 * @param {readonly string[]} args
 * @param {readonly RegExp[]} ready match its output when it serves. `use` gets what their groups matched.
 * @param {(...found: readonly string[]) => Promise<void>} use
 */
async function withQuerygate(args, ready, use) {
  const child = spawn(process.execPath, [COMMAND, ...args], {
    cwd: ROOT,
    // Empty variables win over those of a project's .env.
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      ADMIN_PORT: '0',
      API_KEY: KEY,
      DATA_DIR: path.join(temporary, 'data', args[0] ?? ''),
      CLICKHOUSE_URL: '',
      REDIS_URL: '',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => (output += chunk));
  /** @param {RegExp} pattern */
  const untilWritten = async (pattern) => {
    const signal = AbortSignal.timeout(START_TIMEOUT_MS);
    for (;;) {
      const found = pattern.exec(output)?.[1];
      if (found !== undefined) return found;
      await once(child.stdout, 'data', { signal }).catch((cause) => {
        throw new Error(`querygate ${args.join(' ')} does not write ${pattern}:\n${output}`, { cause });
      });
    }
  };
  try {
    await use(...(await Promise.all(ready.map(untilWritten))));
  } finally {
    child.kill('SIGTERM');
    await closed;
  }
}

/** @param {readonly string[]} args */
async function run(args) {
  const [code] = await once(spawn(process.execPath, [COMMAND, ...args], { stdio: 'ignore' }), 'close');
  if (code !== 0) throw new Error(`querygate ${args.join(' ')} ends with exit code ${code}`);
}

/**
 * @param {BrowserContextOptions} options
 * @param {(page: Page) => Promise<void>} use
 */
async function visit(options, use) {
  const context = await browser.newContext(options);
  try {
    await use(await context.newPage());
  } finally {
    await context.close();
  }
}

/**
 * @param {Page} page
 * @param {string} url of the gateway
 * @param {string} fragment an endpoint's page in the console, which runs it
 */
async function open(page, url, fragment) {
  await page.goto(`${url}/#key=${KEY}`);
  await page.waitForSelector('nav.endpoints li');
  await page.goto(`${url}/#${fragment}`);
}

/**
 * @param {Page | Locator} shown
 * @param {string} name of the picture
 */
async function take(shown, name) {
  const file = path.join(FOLDER, `${name}.png`);
  const { length } = await shown.screenshot({ path: file, animations: 'disabled' });
  console.log(`${path.relative(ROOT, file)}: ${Math.round(length / 1000)} kB`);
}

/**
 * Calls an endpoint with changing load, also without its parameters, so that the charts of the admin page have something to show.
 *
 * @param {string} url of the gateway
 */
async function callForAWhile(url) {
  const call = `${url}/api/endpoints/query/usage.api-counts`;
  for (let round = 0; round < 160; round++) {
    const interval = round % 2 === 0 ? 'daily' : 'hourly';
    const parameters = round % 9 === 0 ? '' : `?project=aurora&interval=${interval}`;
    for (let times = round % 7; times >= 0; times--) {
      await (await fetch(call + parameters, { headers: { 'X-API-KEY': KEY } })).text();
    }
    await delay(120);
  }
}
