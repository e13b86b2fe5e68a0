import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { packageProblems, type Packed } from '../../scripts/package-problems.mjs';
import { ROOT } from '../support/documentation.js';

describe('the package', () => {
  it('is small, executable and typed, and contains no test, bench or source map', async () => {
    const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], {
      cwd: ROOT,
      maxBuffer: 10_000_000,
    });
    const [packed] = JSON.parse(stdout) as readonly [Packed];
    expect(packed.files.length).toBeGreaterThan(100);
    expect(packageProblems(packed)).toEqual([]);
  });
});

describe('packageProblems', () => {
  const file = (path: string, mode = 0o644) => ({ path, mode, size: 1 });
  const files = [
    file('dist/index.js'),
    file('dist/index.d.ts'),
    file('dist/console/index.html'),
    file('dist/commands/cli/querygate.js', 0o755),
  ];
  const problemsOf = (changes: Partial<Packed>): readonly string[] =>
    packageProblems({ filename: 'querygate-1.0.0.tgz', size: 999_999, files, ...changes });

  it('accepts the least that a package must contain', () => {
    expect(problemsOf({})).toEqual([]);
  });

  it('names every file that must not be published', () => {
    const unwanted = ['test/a.ts', 'dist/bench/b.js', 'dist/c.test.js', 'dist/index.js.map'];
    expect(problemsOf({ files: [...files, ...unwanted.map((path) => file(path))] })).toEqual(
      unwanted.map((path) => `${path} must not be in the package`),
    );
  });

  it('reports a missing file, a command that is not executable, and too many bytes', () => {
    const command = file('dist/commands/cli/querygate.js');
    expect(problemsOf({ size: 1_750_000, files: [...files.slice(1, 3), command] })).toEqual([
      'dist/index.js is missing',
      'dist/commands/cli/querygate.js is missing or not executable',
      'querygate-1.0.0.tgz has 1750000 bytes; it must have less than 1750000',
    ]);
  });
});
