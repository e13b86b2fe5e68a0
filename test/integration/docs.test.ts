import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import type { TestDatabase } from '../support/clickhouse.js';
import { copyOfDemoDatabase, variablesOf } from '../support/demo-database.js';
import { writeDocumentedProject } from '../support/documented-project.js';
import { documentationPages, ROOT, textOf } from '../support/documentation.js';
import { GATEWAY, startProcess, type RunningProcess } from '../support/start-process.js';
import { withTemporaryFolder } from '../support/temporary-folder.js';

const KEY = 'qg_only-for-tests';
const LINK_SECRET = 'a secret for links in tests, long enough';
/** Pages whose commands `cli-docs.test.ts`, `test/package/tutorial.test.ts` and `test/python/` run. */
const TESTED_ELSEWHERE = new Set([
  'docs/reference/cli.md',
  'docs/how-to/load-logs.md',
  'docs/how-to/python.md',
  'docs/tutorial.md',
]);

const run = promisify(execFile);

interface Block {
  readonly page: string;
  readonly text: string;
}

/** The `sh` blocks of all pages, in their order. */
async function readBlocks(): Promise<readonly Block[]> {
  const pages = (await documentationPages()).filter((page) => !TESTED_ELSEWHERE.has(page));
  const blocks = await Promise.all(
    pages.map(async (page) =>
      [...(await textOf(page)).matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, text = '']): Block => ({
        page,
        text,
      })),
    ),
  );
  return blocks.flat();
}

const BLOCKS = await readBlocks();

let database: TestDatabase;
let folder = '';
let gateway: RunningProcess | undefined;
let url = '';
let release = (): void => undefined;
let closed: Promise<void>;

beforeAll(async () => {
  await new Promise<void>((ready) => {
    closed = withTemporaryFolder(async (own) => {
      folder = own;
      ready();
      await new Promise<void>((resolve) => (release = resolve));
    });
  });
  // The commands run in the folder of the project.
  database = await copyOfDemoDatabase();
  await writeDocumentedProject(folder, database.client);
  const settings = path.join(folder, 'settings.json');
  await writeFile(settings, JSON.stringify({ 'logs.all': { sandboxing: 'enabled' } }));
  gateway = startProcess(GATEWAY, {
    PORT: '0',
    ...variablesOf(database.connection),
    PROJECT_DIR: folder,
    API_KEY: KEY,
    ENDPOINT_SETTINGS_FILE: settings,
  });
  [, url = ''] = await gateway.untilWritten(/"message":"ready".*"url":"(http:[^"]+)"/);
}, 120_000);

afterAll(async () => {
  gateway?.child.kill('SIGKILL');
  await gateway?.ended;
  await database.close();
  release();
  await closed;
});

/** The commands of a page with this gateway's address, and without the build that npm scripts run first. */
const adapted = (text: string): string =>
  text
    .replaceAll('http://127.0.0.1:8080', url)
    .replaceAll(
      'npx openapi-typescript',
      `node ${path.join(ROOT, 'node_modules/openapi-typescript/bin/cli.js')}`,
    )
    .replaceAll('npx querygate keys', `node ${path.join(ROOT, 'dist/commands/cli/querygate.js')} keys`);

it('has blocks of Python on docs/how-to/python.md alone, whose blocks test/python/ runs', async () => {
  const pages = ['README.md', ...(await documentationPages())];
  const texts = await Promise.all(pages.map(textOf));
  const withPython = pages.filter((_page, index) => /^ *```(?:py|python)/im.test(texts[index] ?? ''));
  expect(withPython).toEqual(['docs/how-to/python.md']);
});

describe('the commands of the documentation', () => {
  it('are found on the pages', () => {
    expect(new Set(BLOCKS.map(({ page }) => page)).size).toBeGreaterThanOrEqual(4);
  });

  it.each(BLOCKS.map((block, index) => [`${block.page} ${index}`, block] as const))(
    'run without an error: %s',
    async (_name, { text }) => {
      const script = `set -euo pipefail\n${adapted(text)}`;
      const { stdout } = await run('bash', ['--norc', '-c', script], {
        cwd: folder,
        env: {
          PATH: process.env['PATH'],
          API_KEY: KEY,
          QUERYGATE: url,
          LINK_SECRET,
          API_KEYS_FILE: 'keys.yaml',
        },
      });
      // curl -O writes a file instead.
      if (!text.includes('curl -O')) expect(stdout).not.toBe('');
      expect(stdout).not.toContain('urn:querygate:problem');
    },
    120_000,
  );
});
