import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

import { installPackage, packPackage } from '../support/install-package.mjs';
import { brokenLinks } from '../support/links.js';
import { pollUntil } from '../support/poll-until.js';
import { runNode } from '../support/run-node.js';
import { startProcess } from '../support/start-process.js';
import { makeTemporaryFolder, withTemporaryFolder } from '../support/temporary-folder.js';
import { openForAll } from '../support/opened.js';

const KEY = 'qg_only-for-tests';
const ROW =
  '{"shop":"harbour","timestamp":"2026-05-01 09:12:00","method":"GET","path":"/","status":200,"duration_ms":20}';
const CALL = '/api/endpoints/query/requests.over-time?shop=harbour&interval=day&since=2026-05-01';
const RESULT = '{"result":[{"bucket":"2026-05-01T00:00:00Z","requests":1,"failures":0}]}';

const temporary = openForAll(makeTemporaryFolder);
/** A folder with the installed package, and no project. */
let installed = '';
let tarball = '';
/** The path that the units of a service name. */
let command = '';

beforeAll(() => {
  installed = temporary.path;
  tarball = packPackage(installed);
  installPackage(installed, tarball);
  command = path.join(installed, 'node_modules/.bin/querygate');
});

/** Writes the project of `querygate init` into a folder, with a row as its demonstration data. */
async function writeProject(folder: string): Promise<void> {
  expect(await runNode([command, 'init', folder])).toMatchObject({ code: 0 });
  await writeFile(
    path.join(folder, 'demo/01_requests.sql'),
    `INSERT INTO requests FORMAT JSONEachRow ${ROW}`,
  );
}

/** Serves a project with the installed package; returns what a call gets and what the gateway wrote. */
async function serveOnce(folder: string): Promise<{ readonly body: string; readonly log: string }> {
  const gateway = startProcess([command, 'serve', '--project', folder], { PORT: '0', API_KEY: KEY });
  try {
    const [, url = ''] = await gateway.untilWritten(/"message":"ready".*"url":"([^"]+)"/);
    const response = await fetch(url + CALL, { headers: { 'X-API-KEY': KEY } });
    return { body: await response.text(), log: gateway.stdout() };
  } finally {
    gateway.child.kill('SIGTERM');
    expect(await gateway.ended).toBe(0);
  }
}

describe('the installed package', () => {
  it('has a console of at most 150 kB, compressed, that loads nothing from elsewhere', async () => {
    const folder = path.join(installed, 'node_modules/querygate/dist/console');
    const page = await readFile(path.join(folder, 'index.html'), 'utf8');
    const loaded = [...page.matchAll(/(?:src|href)="(?!data:)([^"]+)"/g)].map(([, file = '']) => file);
    expect(loaded.length).toBeGreaterThan(1);
    const files = await Promise.all(loaded.map((file) => readFile(path.join(folder, file))));
    const bytes = [Buffer.from(page), ...files].reduce((sum, file) => sum + gzipSync(file).length, 0);
    expect(bytes).toBeLessThanOrEqual(150_000);
  });

  it('starts, answers and closes gateways in the process of a program, which then exits by itself', async () => {
    const program = `
      import { createGateway } from 'querygate';
      for (const run of [1, 2]) {
        const gateway = await createGateway({ project: process.argv[2], environment: { PORT: '0', LOG_LEVEL: 'warn' } });
        const response = await fetch(gateway.url + '${CALL}', { headers: { 'X-API-KEY': gateway.apiKey } });
        console.log(response.status, await response.text(), (await gateway.reload()).length);
        await gateway.close();
      }`;
    await withTemporaryFolder(async (folder) => {
      await writeProject(folder);
      const file = path.join(installed, 'program.mjs');
      await writeFile(file, program);
      const response = `200 ${RESULT} 0\n`;
      expect(await runNode([file, folder])).toEqual({ code: 0, output: response + response });
    });
  });

  it('returns the first response after init, and a changed one after a file is saved', async () => {
    await withTemporaryFolder(async (folder) => {
      const start = performance.now();
      await writeProject(folder);
      const dev = startProcess([command, 'dev', '--project', folder], { PORT: '0', API_KEY: KEY });
      try {
        const [, url = ''] = await dev.untilWritten(/^Querygate is ready on (http:\S+)\. /m);
        const untilRequestsAre = (expected: number): Promise<string> =>
          pollUntil(`the response counts ${expected} requests`, async () => {
            const response = await fetch(url + CALL, { headers: { 'X-API-KEY': KEY } });
            const body = await response.text();
            return body.includes(`"requests":${expected},`) ? body : undefined;
          });
        await untilRequestsAre(1);
        const firstResponse = performance.now() - start;
        await dev.untilWritten(/^Watching /m);
        const file = path.join(folder, 'endpoints/requests.over-time.sql');
        const changed = (await readFile(file, 'utf8')).replace('count() AS', '41 + count() AS');
        const saved = performance.now();
        await writeFile(file, changed);
        await untilRequestsAre(42);
        const changedResponse = performance.now() - saved;
        process.stdout.write(
          `init to the first response of dev: ${(firstResponse / 1000).toFixed(1)} s; ` +
            `a saved file to its changed response: ${changedResponse.toFixed(0)} ms\n`,
        );
      } finally {
        dev.child.kill('SIGTERM');
        expect(await dev.ended).toBe(0);
      }
    });
  });

  it('has no page with a link to what is not in it, nor with a command of the repository’s package.json', async () => {
    const folder = path.join(installed, 'node_modules/querygate');
    const files = await readdir(folder, { recursive: true });
    const pages = files.filter((file) => file.endsWith('.md') && !file.includes('node_modules'));
    expect(pages).toEqual(expect.arrayContaining(['README.md', 'docs/how-to/deploy.md']));
    for (const page of pages) expect([page, await brokenLinks(folder, page)]).toEqual([page, []]);
    // About the repository, and what they say of it.
    const own =
      /^(?:README|ARCHITECTURE|CHANGELOG|docs\/(?:benchmarks|decisions\/.*|how-to\/(?:develop|own-code|staging-stack)))\.md$/;
    for (const page of pages.filter((one) => !own.test(one)))
      expect([page, /npm run .*/.exec(await readFile(path.join(folder, page), 'utf8'))]).toEqual([
        page,
        null,
      ]);
  });

  it('serves a project that has no node_modules', async () => {
    await withTemporaryFolder(async (folder) => {
      await writeProject(folder);
      const { body, log } = await serveOnce(folder);
      expect(body).toBe(RESULT);
      expect(log).not.toContain('"level":"warn"');
    });
  });

  it('serves a project with another version in node_modules with the running one, and warns', async () => {
    await withTemporaryFolder(async (folder) => {
      await writeProject(folder);
      const other = path.join(folder, 'node_modules/querygate');
      await mkdir(other, { recursive: true });
      const facts = {
        name: 'querygate',
        version: '0.0.7',
        type: 'module',
        exports: { './package.json': './package.json', '.': './index.js' },
      };
      await writeFile(path.join(other, 'package.json'), JSON.stringify(facts));
      await writeFile(path.join(other, 'index.js'), 'throw new Error("the other version was loaded");');
      const { body, log } = await serveOnce(folder);
      expect(body).toBe(RESULT);
      const warning = log.split('\n').find((line) => line.includes('"level":"warn"')) ?? '{}';
      expect(JSON.parse(warning)).toMatchObject({
        message: expect.stringContaining('another version of querygate') as unknown,
        installed: '0.0.7',
        running: expect.stringMatching(/^\d+\.\d+\.\d+/) as unknown,
        fix: expect.stringContaining('npx querygate') as unknown,
      });
    });
  });

  it('says in one line what to do where there is no embedded ClickHouse', async () => {
    await withTemporaryFolder(async (folder) => {
      await writeProject(folder);
      installPackage(folder, tarball);
      await rm(path.join(folder, 'node_modules/@chdb'), { recursive: true });
      const bin = path.join(folder, 'node_modules/querygate/dist/commands/cli/querygate.js');
      const gateway = startProcess([bin, 'serve', '--project', folder], { PORT: '0' });
      expect(await gateway.ended).toBe(1);
      expect(gateway.stderr()).toMatch(
        /^querygate can’t start: .*@chdb\/.*Set CLICKHOUSE_URL.*docker compose up.*\n$/,
      );
    });
  });
});
