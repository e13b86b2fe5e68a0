import { existsSync } from 'node:fs';
import path from 'node:path';

import type { EmbeddedServer } from '../../src/clickhouse/embedded/embedded-server.js';
import { freePort } from '../../src/clickhouse/embedded/free-port.js';
import { usageError } from '../../src/cli/exit-codes.js';
import { openReadPipe } from '../servers/read-pipe.js';
import type { ServerProcess } from '../servers/server-process.js';
import { PROJECT_ROOT, type Environment, type Stage } from '../stage.js';

/** A build of the gateway, with the project of its own checkout. */
export interface Build {
  /** Prefix of its rows in tables: empty for this checkout. */
  readonly label: string;
  readonly folder: string;
  readonly module: readonly string[];
}

/** The module and its arguments, of this layout and of version 0.1. */
const MODULES = [['dist/cli/querygate.js', 'serve'], ['dist/src/main.js']] as const;

export const THIS_BUILD: Build = buildIn(PROJECT_ROOT, '');

/** @throws Error if the folder has no build. */
export function buildIn(folder: string, label: string): Build {
  const module = MODULES.find(([file]) => existsSync(path.join(folder, file)));
  if (!module)
    throw usageError(`${folder} has no dist/cli/querygate.js: run npm install and npm run build in it`);
  return { label, folder: path.resolve(folder), module };
}

export interface Deployment {
  readonly stage: Stage;
  readonly clickhouse: EmbeddedServer;
  readonly keysFile: string;
}

/** Starts a gateway as deployed: log lines to a pipe that is read, the request log, metrics, and keys of a file. */
export async function startDeployed(
  { stage, clickhouse, keysFile }: Deployment,
  { folder, module: [file, ...args] }: Build,
  environment: Environment = {},
): Promise<ServerProcess> {
  const { url, username, password } = clickhouse.readerConnection;
  const { username: logUser, password: logPassword } = clickhouse.adminConnection;
  return stage.startModule(
    path.join(folder, file ?? ''),
    args,
    {
      CLICKHOUSE_URL: url,
      CLICKHOUSE_USER: username,
      CLICKHOUSE_PASSWORD: password,
      CLICKHOUSE_LOG_USER: logUser,
      CLICKHOUSE_LOG_PASSWORD: logPassword,
      PROJECT_DIR: folder,
      API_KEYS_FILE: keysFile,
      ADMIN_PORT: String(await freePort()),
      ...environment,
    },
    { output: openReadPipe(stage) },
  );
}
