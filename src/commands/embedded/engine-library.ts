import { createRequire } from 'node:module';
import path from 'node:path';

const PACKAGES: Readonly<Record<string, string>> = {
  'linux-x64': '@chdb/lib-linux-x64-gnu',
  'linux-arm64': '@chdb/lib-linux-arm64-gnu',
  'darwin-x64': '@chdb/lib-darwin-x64',
  'darwin-arm64': '@chdb/lib-darwin-arm64',
};

/** Calls the engine, from engine-host.mjs. */
const CALLER = 'ffi-rs';

/**
 * Path of the ClickHouse engine that npm installed for this platform.
 *
 * @throws Error with what to do where no engine is installed.
 */
export function engineLibraryPath(
  platform = `${process.platform}-${process.arch}`,
  resolve: (module: string) => string = createRequire(import.meta.url).resolve,
): string {
  const name = PACKAGES[platform];
  if (!name)
    throw noEngine(`npm has no build of it for ${platform}, only for ${Object.keys(PACKAGES).join(', ')}`);
  const folderOf = (required: string): string => {
    try {
      return path.dirname(resolve(`${required}/package.json`));
    } catch (cause) {
      throw noEngine(
        `the optional package ${required} is not installed. npm install without --omit=optional adds it, on Linux with glibc and on macOS (the Docker image has none)`,
        cause,
      );
    }
  };
  const engine = path.join(folderOf(name), 'libchdb.so');
  folderOf(CALLER);
  return engine;
}

function noEngine(reason: string, cause?: unknown): Error {
  return new Error(
    `There is no embedded ClickHouse here: ${reason}. Set CLICKHOUSE_URL to a ClickHouse server, or serve with one from a checkout of Querygate: docker compose up -d --build --wait (with .env, as in .env.example)`,
    { cause },
  );
}
