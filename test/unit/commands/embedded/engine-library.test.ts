import { engineLibraryPath } from '../../../../src/commands/embedded/engine-library.js';

describe('engineLibraryPath', () => {
  it('names the supported platforms and the variable to set on others', () => {
    const find = (): string => engineLibraryPath('win32-x64');
    expect(find).toThrow('There is no embedded ClickHouse here: npm has no build of it for win32-x64');
    expect(find).toThrow('linux-x64');
    expect(find).toThrow('Set CLICKHOUSE_URL to a ClickHouse server');
    expect(find).toThrow('docker compose up -d --build --wait');
  });

  it('names the missing package on a supported platform', () => {
    const absent = process.platform === 'darwin' ? 'linux-x64' : 'darwin-x64';
    expect(() => engineLibraryPath(absent)).toThrow(/the optional package @chdb\/lib-\S+ is not installed/);
  });

  it('names the package that calls the engine, if only that one is missing', () => {
    const resolve = (module: string): string => {
      if (module === 'ffi-rs/package.json') throw new Error('Cannot find module');
      return `/modules/${module}`;
    };
    expect(() => engineLibraryPath('linux-x64', resolve)).toThrow(
      'There is no embedded ClickHouse here: the optional package ffi-rs is not installed',
    );
  });
});
