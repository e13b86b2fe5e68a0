import { createRequire } from 'node:module';
import path from 'node:path';

const PACKAGES: Readonly<Record<string, string>> = {
  'linux-x64': '@chdb/lib-linux-x64-gnu',
  'linux-arm64': '@chdb/lib-linux-arm64-gnu',
  'darwin-x64': '@chdb/lib-darwin-x64',
  'darwin-arm64': '@chdb/lib-darwin-arm64',
};

/**
 * Path of the ClickHouse engine that npm installed for this platform.
 *
 * @throws Error that says what to do when there is none.
 */
export function engineLibraryPath(platform = `${process.platform}-${process.arch}`): string {
  const name = PACKAGES[platform];
  try {
    if (!name) throw new Error('no package');
    const require = createRequire(import.meta.url);
    return path.join(path.dirname(require.resolve(`${name}/package.json`)), 'libchdb.so');
  } catch (cause) {
    throw new Error(
      `There is no embedded ClickHouse here: ${
        name
          ? `the optional package ${name} is not installed (npm installs it on Linux with glibc and on macOS; the Docker image has none)`
          : `npm has no build of it for ${platform}, only for ${Object.keys(PACKAGES).join(', ')}`
      }. Set CLICKHOUSE_URL to a ClickHouse server, or serve with one from a checkout of Querygate: docker compose up -d --build --wait (with .env, as in .env.example)`,
      { cause },
    );
  }
}
