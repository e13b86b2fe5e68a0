import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { runCli, runInBash } from '../support/run-cli.js';
import { sqlEndpointFile } from '../support/sql-endpoint-file.js';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

let project: TemporaryFolder;

beforeAll(async () => {
  project = await makeTemporaryFolder();
  const folder = path.join(project.path, 'endpoints');
  await mkdir(path.join(folder, 'more'), { recursive: true });
  const header = [
    'columns: { n: UInt8 }',
    'parameters:',
    '  city: { kind: string, required: true, description: "A city: any." }',
    '  unit: { kind: enum, choices: [hour, day, "a week"], description: A unit. }',
  ];
  const select = 'SELECT 1 AS n WHERE @city != @unit';
  await writeFile(
    path.join(folder, 'more/visits.by-day.sql'),
    sqlEndpointFile('visits.by-day', header, select),
  );
  // Its name is completed although the file cannot be loaded.
  await writeFile(path.join(folder, 'visits.broken.ts'), 'throw new Error();');
});
afterAll(() => project.remove());

/** What bash would insert for the last word of a line, and whether a space follows. */
async function completed(line: string): Promise<readonly string[]> {
  const script = `
    source <(querygate completion bash)
    compopt() { echo "$2"; }
    COMP_LINE=$LINE COMP_POINT=\${#LINE}
    $(complete -p querygate | sed 's/.*-F \\([^ ]*\\).*/\\1/')
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = await runInBash(script, { LINE: line, PROJECT_DIR: project.path });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((word) => word !== '');
}

describe('querygate completion', () => {
  it.each([
    ['querygate comp', ['completion']],
    ['querygate call visits.', ['visits.by-day', 'visits.broken']],
    ['querygate call visits.by-day --param ', ['nospace', 'nospace', 'city=', 'unit=']],
    // Bash inserts only what is after the last equals sign.
    ['querygate call visits.by-day --param unit=', ['hour', 'day', String.raw`a\ week`]],
    ['querygate call visits.by-day --param=unit=h', ['hour']],
    ['querygate call visits.broken --param ', []],
  ])('makes bash complete %j', async (line, expected) => {
    expect(await completed(line)).toEqual(expected);
  });

  it('completes endpoints of the project that --project names', async () => {
    const line = `querygate check --project ${project.path} visits.by`;
    const { stdout } = await runCli(['complete', '--', ...line.split(' ').slice(1)]);
    expect(stdout).toBe('visits.by-day\t\n');
  });

  it.each([
    ['bash', '/bin/bash'],
    ['zsh', '/bin/zsh'],
    ['fish', '/usr/bin/fish'],
  ])('prints a script that %s can parse, where it is installed', async (shell, file) => {
    const { code, stdout } = await runCli(['completion', shell]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('querygate')]);
    if (!existsSync(file)) return;
    const parsed = await runInBash(`${file} -n <(querygate completion ${shell})`);
    expect(parsed).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('rejects another shell', async () => {
    const { code, stderr } = await runCli(['completion', 'tcsh']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('Allowed choices are bash, zsh, fish.')]);
  });
});
