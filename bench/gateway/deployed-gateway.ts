import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { generateApiKey } from '../../src/gateway/auth/api-key.js';
import { usageError } from '../../src/commands/cli/exit-codes.js';
import { prepareDatabase } from '../../src/commands/demo-data/prepare-database.js';
import type { EmbeddedServer } from '../../src/commands/embedded/embedded-server.js';
import { freePort } from '../../src/commands/embedded/free-port.js';
import { findRunningServer } from '../../src/commands/embedded/running-server.js';
import { REFERENCE } from '../reference-project.js';
import { openReadPipe } from '../servers/read-pipe.js';
import type { ServerProcess } from '../servers/server-process.js';
import { PROJECT_ROOT, type Environment, type Stage } from '../stage.js';

/** A build of the gateway, with the project of its own checkout and a ClickHouse that has its schema. */
export interface Build {
  /** Prefix of its rows in tables: empty for this checkout. */
  readonly label: string;
  readonly folder: string;
  readonly module: readonly string[];
  readonly clickhouse: Pick<EmbeddedServer, 'readerConnection' | 'adminConnection'>;
}

/** This build first. */
export type Builds = readonly [Build, ...Build[]];

/** What a gateway needs beside its build. */
export interface Deployment {
  readonly stage: Stage;
  readonly keysFile: string;
}

const DATABASE = 'logs';
const START_TIMEOUT_MS = 60_000;
/** The module and its arguments, of this layout and of version 0.1. */
const MODULES = [['dist/commands/cli/querygate.js', 'serve'], ['dist/src/main.js']] as const;

/** Starts ClickHouse with the schema of this checkout and its demonstration data. */
export async function startThisBuild(stage: Stage): Promise<Build> {
  const clickhouse = await stage.startClickHouse({ database: DATABASE });
  await prepareDatabase(clickhouse.adminConnection, {
    schemaFolder: REFERENCE.schemaFolder,
    demo: { folder: REFERENCE.demoFolder, upTo: new Date() },
  });
  return { label: '', folder: PROJECT_ROOT, module: moduleIn(PROJECT_ROOT), clickhouse };
}

/**
 * Starts the ClickHouse of another checkout, which only its own gateway can prepare.
 *
 * @throws Error if the folder has no build.
 */
export async function startOtherBuild(stage: Stage, checkout: string): Promise<Build> {
  const folder = path.resolve(checkout);
  const module = moduleIn(folder);
  const [file = '', ...args] = module;
  const dataDir = path.join(stage.folder, 'against');
  const { url } = await stage.startModule(path.join(folder, file), args, {
    PROJECT_DIR: folder,
    DATA_DIR: dataDir,
    API_KEY: generateApiKey(),
  });
  while ((await fetch(`${url}/health/ready`)).status !== 200) await delay(100);
  const server = await findRunningServer(dataDir, START_TIMEOUT_MS);
  if (!server) throw new Error(`the gateway in ${folder} started no ClickHouse`);
  const connection = { ...server, database: DATABASE };
  const clickhouse = { readerConnection: connection, adminConnection: connection };
  return { label: 'against: ', folder, module, clickhouse };
}

function moduleIn(folder: string): readonly string[] {
  const module = MODULES.find(([file]) => existsSync(path.join(folder, file)));
  if (module) return module;
  throw usageError(`${folder} has no dist/commands/cli/querygate.js: run npm ci and npm run build there`);
}

/** Starts a gateway as deployed: log lines to a pipe that is read, the request log, metrics, and keys of a file. */
export async function startDeployed(
  { stage, keysFile }: Deployment,
  { folder, module: [file = '', ...args], clickhouse }: Build,
  environment: Environment = {},
): Promise<ServerProcess> {
  const { readerConnection: reader, adminConnection: admin } = clickhouse;
  const complete = {
    CLICKHOUSE_URL: reader.url,
    CLICKHOUSE_USER: reader.username,
    CLICKHOUSE_PASSWORD: reader.password,
    CLICKHOUSE_LOG_USER: admin.username,
    CLICKHOUSE_LOG_PASSWORD: admin.password,
    PROJECT_DIR: folder,
    API_KEYS_FILE: keysFile,
    ADMIN_PORT: String(await freePort()),
    ...environment,
  };
  return stage.startModule(path.join(folder, file), args, complete, { output: openReadPipe(stage) });
}
