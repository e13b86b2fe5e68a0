import { readFile } from 'node:fs/promises';

interface LockedPackage {
  readonly version?: string;
  /** Absent from an install without the development dependencies. */
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

const lockfile = JSON.parse(await readFile(new URL('../../package-lock.json', import.meta.url), 'utf8')) as {
  readonly packages: Readonly<Record<string, LockedPackage>>;
};
const packages = Object.entries(lockfile.packages);

describe('package-lock.json', () => {
  it('has no package with an install script in a production install', () => {
    const scripts = packages.filter(([, { hasInstallScript }]) => hasInstallScript);
    expect(scripts.filter(([, { dev }]) => !dev).map(([name]) => name)).toEqual([]);
  });
});
