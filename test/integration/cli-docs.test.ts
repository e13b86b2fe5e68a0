import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import { createProgram } from '../../src/commands/cli/program.js';
import { copyOfDemoDatabase, variablesOf } from '../support/demo-database.js';
import { textOf } from '../support/documentation.js';
import { writeDocumentedProject } from '../support/documented-project.js';
import { QUERYGATE, runInBash } from '../support/run-cli.js';
import { withTemporaryFolder } from '../support/temporary-folder.js';

const reference = await textOf('docs/reference/cli.md');
const loadLogs = await textOf('docs/how-to/load-logs.md');
const blocks = [...`${reference}\n${loadLogs}`.matchAll(/^```sh *(.*)\n([^]*?)^```$/gm)].map(
  ([, info = '', script = '']) => ({ info, script }),
);

/** The info string of blocks that run without a ClickHouse of their own. */
const EMBEDDED = 'embedded';

describe('docs/reference/cli.md', () => {
  it('lists every subcommand', async () => {
    const { commands } = await createProgram();
    for (const command of commands) {
      expect(reference).toContain(`\`querygate ${command.name()}`);
    }
  });
});

describe('docs/reference/cli.md and docs/how-to/load-logs.md', () => {
  it('have commands that exit with the documented code', async () => {
    const database = await copyOfDemoDatabase();
    await withTemporaryFolder(async (folder) => {
      const { username, password } = database.connection;
      const log = { CLICKHOUSE_LOG_USER: username, CLICKHOUSE_LOG_PASSWORD: password };
      const project = path.join(folder, 'project');
      await mkdir(project);
      // With more endpoints most commands take longer, and promise nothing else.
      await writeDocumentedProject(project, database.client, 'tables');
      const environment = {
        ...{ PORT: '0', PROJECT_DIR: project },
        ...variablesOf(database.connection),
        ...log,
      };
      const serve = blocks.find(({ info }) => info === 'serve')?.script ?? '';
      const { child, url } = await startServing(serve, environment);
      try {
        // No block depends on another.
        await Promise.all(
          blocks
            .filter(({ info }) => info !== 'serve')
            // The test's gateway does not listen on the documented default port.
            .map((block) =>
              block.info === EMBEDDED
                ? expectToRun(block, { PROJECT_DIR: '.' }, folder)
                : expectToRun(block, { ...environment, QUERYGATE_URL: url }, folder),
            ),
        );
        expect(await readFile(path.join(folder, 'paths.json'), 'utf8')).toMatch(/^\{"result":\[/);
        expect(JSON.parse(await readFile(path.join(folder, 'rows.json'), 'utf8'))).toHaveProperty('result');
      } finally {
        child.kill('SIGTERM');
        if (child.exitCode === null) await once(child, 'exit');
        await database.close();
      }
    });
  });
});

/** Runs a block. The block's info string names its exit code, unless it is 0. */
async function expectToRun(
  { info, script }: { readonly info: string; readonly script: string },
  environment: Readonly<Record<string, string>>,
  folder: string,
): Promise<void> {
  const outcome = await runInBash(`set -euo pipefail\n${script}`, environment, folder);
  const expected = Number(/^exits (\d+)$/.exec(info)?.[1] ?? 0);
  if (outcome.code !== expected) throw new Error(`${script}exits with ${outcome.code}: ${outcome.stderr}`);
}

async function startServing(
  block: string,
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly child: ReturnType<typeof spawn>; readonly url: string }> {
  // With exec, so that a signal reaches the gateway and not the shell.
  const script = block.replace(/querygate /, 'exec "$NODE" "$QUERYGATE" ');
  const child = spawn('bash', ['-c', script], {
    env: { PATH: process.env['PATH'], NODE: process.execPath, QUERYGATE, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let log = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      log += chunk.toString();
      const found = /"url":"(http:\/\/127\.0\.0\.1:\d+)"/.exec(log)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', () => {
      reject(new Error(`the gateway ended: ${log}`));
    });
  });
  return { child, url };
}
