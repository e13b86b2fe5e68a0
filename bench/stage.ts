import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { generateApiKey, hashApiKey } from '../src/gateway/auth/api-key.js';
import { connectClickHouse, type QueryClient } from '../src/gateway/clickhouse/connect-clickhouse.js';
import type { ClickHouseConnection } from '../src/gateway/clickhouse/connection.js';
import { EmbeddedServer, type EmbeddedServerOptions } from '../src/commands/embedded/embedded-server.js';
import { freePort } from '../src/commands/embedded/free-port.js';
import { startServer, type ServerCommand, type ServerProcess } from './servers/server-process.js';
import { REFERENCE, REFERENCE_GRANTS } from './reference-project.js';

export type Environment = Readonly<Record<string, string>>;

export const PROJECT_ROOT = REFERENCE.folder;

/** The gateway as it is deployed, from the normal build. */
export const QUERYGATE = path.join(PROJECT_ROOT, 'dist', 'commands', 'cli', 'querygate.js');
const REQUEST_TIMEOUT_MS = 3_600_000;

/** The environment of a benchmark: a folder, servers and clients, which all end with it. */
export class Stage {
  private readonly closers: (() => Promise<unknown>)[] = [];

  private constructor(readonly folder: string) {}

  static async open(): Promise<Stage> {
    return new Stage(await mkdtemp(path.join(tmpdir(), 'querygate-bench-')));
  }

  /** Closes everything in reverse order, and removes the folder. */
  async close(): Promise<void> {
    for (const close of this.closers.splice(0).reverse()) await close();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Closes something together with the stage. */
  closesWith(close: () => Promise<unknown>): void {
    this.closers.push(close);
  }

  async startClickHouse(options: Partial<EmbeddedServerOptions> = {}): Promise<EmbeddedServer> {
    const server = await EmbeddedServer.start({
      dataDir: path.join(this.folder, 'clickhouse'),
      database: 'logs',
      grants: REFERENCE_GRANTS,
      onCrash: (lastOutput) => void process.stderr.write(`ClickHouse ended: ${lastOutput}\n`),
      ...options,
    });
    this.closesWith(() => server.stop());
    return server;
  }

  connect(connection: ClickHouseConnection): QueryClient {
    const client = connectClickHouse(connection, {
      maxOpenConnections: 4,
      requestTimeoutMs: REQUEST_TIMEOUT_MS,
    });
    this.closesWith(() => client.close());
    return client;
  }

  /** Starts a gateway in front of a ClickHouse server; by default it logs only warnings. */
  startGateway(
    { url, username, password }: ClickHouseConnection,
    environment: Environment,
  ): Promise<ServerProcess> {
    return this.startModule(QUERYGATE, ['serve'], {
      CLICKHOUSE_URL: url,
      CLICKHOUSE_USER: username,
      CLICKHOUSE_PASSWORD: password,
      LOG_LEVEL: 'warn',
      ...environment,
    });
  }

  /** Starts a Node module that listens on the PORT of its environment; default: a free port. */
  async startModule(
    module: string,
    args: readonly string[],
    environment: Environment = {},
    options: Pick<ServerCommand, 'output'> = {},
  ): Promise<ServerProcess> {
    const port = Number(environment['PORT'] ?? (await freePort()));
    return this.start({
      ...options,
      command: process.execPath,
      args: ['--enable-source-maps', module, ...args],
      port,
      environment: { ...environment, PORT: String(port) },
    });
  }

  async start(command: ServerCommand): Promise<ServerProcess> {
    const server = await startServer(command);
    this.closesWith(server.stop);
    return server;
  }

  /** Creates keys, and a file of them for `API_KEYS_FILE`, with the rights as in that file. */
  async writeKeys<Name extends string>(
    rights: Readonly<Record<Name, object>>,
  ): Promise<{ readonly file: string; readonly keys: Readonly<Record<Name, string>> }> {
    const created = Object.entries<object>(rights).map(([name, own]) => ({
      name,
      own,
      key: generateApiKey(),
    }));
    const file = path.join(this.folder, 'keys.json');
    const stored = created.map(({ name, own, key }) => ({ name, sha256: [hashApiKey(key)], ...own }));
    await writeFile(file, JSON.stringify({ keys: stored }));
    return {
      file,
      keys: Object.fromEntries(created.map(({ name, key }) => [name, key])) as Record<Name, string>,
    };
  }
}
