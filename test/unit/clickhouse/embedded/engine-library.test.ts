import { engineLibraryPath } from '../../../../src/clickhouse/embedded/engine-library.js';

describe('engineLibraryPath', () => {
  it('names the supported platforms and the variable to set on others', () => {
    const find = (): string => engineLibraryPath('win32-x64');
    expect(find).toThrow('no embedded ClickHouse for win32-x64');
    expect(find).toThrow('linux-x64');
    expect(find).toThrow('Set CLICKHOUSE_URL');
  });

  it('names the missing package on a supported platform', () => {
    const absent = process.platform === 'darwin' ? 'linux-x64' : 'darwin-x64';
    expect(() => engineLibraryPath(absent)).toThrow(/the package @chdb\/lib-\S+ is not installed/);
  });
});
