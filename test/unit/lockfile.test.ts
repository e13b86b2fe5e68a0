import { readFile } from 'node:fs/promises';

interface LockedPackage {
  readonly version?: string;
  /** Absent from an install without the development dependencies. */
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
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

  it('has one version of each OpenTelemetry package, and only the API in a production install', () => {
    const names = packages.map(([file]) => file.replace(/.*node_modules\//, ''));
    const telemetry = packages.filter((_, index) => names[index]?.startsWith('@opentelemetry/'));
    expect(new Set(names.filter((name) => name.startsWith('@opentelemetry/'))).size).toBe(telemetry.length);
    // The metrics library depends on the API, which is small.
    expect(telemetry.filter(([, { dev }]) => !dev).map(([file]) => file)).toEqual([
      'node_modules/@opentelemetry/api',
    ]);
  });

  it('has the packages of the workspaces at the top, in one version with those of the gateway', () => {
    expect(packages.filter(([file]) => /^(?:console|bench)\/node_modules\//.test(file))).toEqual([]);
  });

  it('installs the optional packages for tests in the versions that the start-up error names', () => {
    const { peerDependencies = {}, devDependencies = {} } = lockfile.packages[''] ?? {};
    expect(devDependencies).toMatchObject(peerDependencies);
  });
});
