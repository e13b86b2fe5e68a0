import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

import { PACKAGE_FOLDER } from '../../src/package-files.js';

const MODULE = pathToFileURL(
  path.join(PACKAGE_FOLDER, 'dist', 'gateway', 'observability', 'line-output.js'),
).href;

/** Starts a process that has a line output on its standard output, and runs a program with it as `output`. */
function startWith(program: string): ChildProcessWithoutNullStreams {
  const script = `import { LineOutput } from '${MODULE}';
    const say = (text) => process.stderr.write(text + '\\n');
    const output = new LineOutput(process.stdout, 1_000_000);
    process.stdout.on('error', () => undefined);
    ${program}`;
  return spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'pipe' });
}

const LINE = `${'x'.repeat(999)}\\n`;

describe('a line output', () => {
  it('writes every line in order, and the last ones when the process exits', async () => {
    const child = startWith(`
      for (let n = 0; n < 20_000; n += 1) output.write(n + '\\n');
      setTimeout(() => { output.write('last\\n'); process.exit(3); }, 50);`);
    const [written, exit] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    const expected = [...Array.from({ length: 20_000 }, (_, n) => String(n)), 'last', ''].join('\n');
    expect(written).toBe(expected);
    expect(exit).toEqual([3, null]);
  });

  it('does not make its writer wait for a reader that has stalled, counts lost lines, and lets the process exit', async () => {
    const child = startWith(`
      let round = 0;
      setInterval(() => {
        for (let n = 0; n < 1000; n += 1) output.write('${LINE}');
        if ((round += 1) === 10) say(String(output.lost));
      }, 20);
      setTimeout(() => process.exit(0), 2500);`);
    const exited = once(child, 'exit');
    const [lost] = (await once(child.stderr, 'data')) as [Buffer];
    // 10,000 lines of 1,000 bytes, of which the pipe and 1 MB of memory take some.
    expect(Number(lost.toString())).toBeGreaterThan(8000);
    expect(await exited).toEqual([0, null]);
  });

  it('drops lines after its reader closed the pipe', async () => {
    const child = startWith(`
      setInterval(() => output.write('${LINE}'), 1);
      setTimeout(() => { say('alive'); process.exit(0); }, 300);`);
    await once(child.stdout, 'data');
    child.stdout.destroy();
    const [said, exit] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect([said, exit]).toEqual(['alive\n', [0, null]]);
  });
});
