import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { hashApiKey } from '../../src/gateway/auth/api-key.js';
import type { StoredRights } from '../../src/gateway/auth/key-file.js';
import { freePort } from '../../src/commands/embedded/free-port.js';
import { demoDatabase, variablesOf } from './demo-database.js';
import { DEVELOPMENT_GATEWAY, GATEWAY, startProcess, type RunningProcess } from './start-process.js';

/** The key of the gateway that the console's tests use. */
export const CONSOLE_KEY = 'qg_for-the-console';

/** A gateway process on the demo data. */
export interface ConsoleGateway {
  readonly process: RunningProcess;
  /** Without a trailing slash. */
  readonly url: string;
  readonly adminUrl: string;
}

/** Starts the built gateway with the reference project. @param folder for its settings. */
export async function startConsoleGateway(folder: string): Promise<ConsoleGateway> {
  const settings = path.join(folder, 'settings.json');
  await writeFile(
    settings,
    JSON.stringify({
      'logs.all': { sandboxing: 'enabled' },
      'usage.api-counts': { tables: true },
      'functions.invocation-stats': { maxRows: 10 },
    }),
  );
  return start({ ENDPOINT_SETTINGS_FILE: settings });
}

/** Starts the built gateway with the project in a folder. @param keys rights of further keys, by key */
export async function startProjectGateway(
  folder: string,
  keys: Readonly<Record<string, StoredRights>> = {},
): Promise<ConsoleGateway> {
  const file = path.join(folder, 'keys.json');
  const stored = Object.entries(keys).map(([key, rights], index) => ({
    ...{ name: `key-${index}`, sha256: [hashApiKey(key)], ...rights },
  }));
  await writeFile(file, JSON.stringify({ keys: stored }));
  return start({ PROJECT_DIR: folder, API_KEYS_FILE: file });
}

/** Starts the built gateway in development, with the project in a folder. */
export function startDevelopmentGateway(folder: string): Promise<ConsoleGateway> {
  // It logs for a person, and watches the files from the last line of its welcome on.
  const ready = /Querygate is ready on (http:\/\/127\.0\.0\.1:\d+)[^]*\nWatching /;
  return start({ PROJECT_DIR: folder }, { program: DEVELOPMENT_GATEWAY, ready });
}

const SERVED = { program: GATEWAY, ready: /"message":"ready".*"url":"(http:\/\/127\.0\.0\.1:\d+)"/ };

/** @param ready what the program writes once requests are served, with its URL. */
async function start(
  variables: Readonly<Record<string, string>>,
  { program, ready } = SERVED,
): Promise<ConsoleGateway> {
  const { connection } = await demoDatabase();
  const adminPort = await freePort();
  const gateway = startProcess(program, {
    PORT: '0',
    ADMIN_PORT: String(adminPort),
    SQL_PORT: String(await freePort()),
    API_KEY: CONSOLE_KEY,
    LINK_SECRET: 'the secret of links in tests of the console',
    ...variablesOf(connection),
    ...variables,
  });
  const [, url = ''] = await gateway.untilWritten(ready);
  return { process: gateway, url, adminUrl: `http://127.0.0.1:${adminPort}` };
}
