import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import type { ClickHouseConnection } from '../../gateway/clickhouse/connection.js';
import { READER_PASSWORD_VARIABLE, READER_USER } from '../grants/reader-user-file.js';
import { engineLibraryPath } from './engine-library.js';
import { freePort } from './free-port.js';
import {
  releaseDataFolder,
  respondsToPing,
  START_TIMEOUT_MS,
  takeDataFolder,
  type RunningServer,
} from './running-server.js';
import { ADMIN_PASSWORD_VARIABLE, ADMIN_USER, grantsOfLastStart, writeServerFiles } from './server-files.js';

export interface EmbeddedServerOptions {
  /** Folder of the data; created if absent. */
  readonly dataDir: string;
  readonly database: string;
  /** Rights of the read-only user, as in {@link EmbeddedServer.restartWith}; absent: those that it had last, at first none. */
  readonly grants?: readonly string[];
  /** Called with the server's last output when it ends unexpectedly; it is restarted after a pause. */
  readonly onCrash: (message: string) => void;
  /** Additional ClickHouse configuration (XML), merged into the server's. */
  readonly extraConfig?: string;
}

const HOST_SCRIPT = fileURLToPath(new URL('./engine-host.mjs', import.meta.url));
const RESTART_PAUSE_MS = 500;

/** A ClickHouse server as a child process, on a free loopback port, with passwords that only this process knows. */
export class EmbeddedServer {
  private child: ChildProcess | undefined;
  /** The process that was stopped on purpose, so that its exit is not a crash. */
  private ending: ChildProcess | undefined;
  private stopping = false;
  /** Settles when the last change of the process is done. */
  private changed: Promise<unknown> = Promise.resolve();
  private grants: readonly string[] = [];
  private readonly adminPassword = randomBytes(24).toString('base64url');
  private readonly readerPassword = randomBytes(24).toString('base64url');

  private constructor(
    private readonly options: EmbeddedServerOptions,
    private readonly port: number,
  ) {}

  /**
   * Starts a server and waits until it responds.
   *
   * @throws Error with what to do: the platform has no engine, the data folder is in use, or the engine failed with this
   * output.
   */
  static async start(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
    const dataDir = path.resolve(options.dataDir);
    const server = new EmbeddedServer({ ...options, dataDir }, await freePort());
    await mkdir(dataDir, { recursive: true, mode: 0o700 }).catch((cause: unknown) => {
      throw new Error(
        `The data folder ${dataDir} can’t be created: ${(cause as Error).message}. Set DATA_DIR to a folder that can be ` +
          'written, or CLICKHOUSE_URL to a server of your own.',
        { cause },
      );
    });
    // Before any file is written: another gateway's server may be down only because it restarts.
    await takeDataFolder(dataDir, server.record);
    try {
      server.grants = options.grants ?? (await grantsOfLastStart(path.join(dataDir, 'clickhouse')));
      await server.exclusively(() => server.launch());
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  /** Connection of the read-only user, for queries. */
  get readerConnection(): ClickHouseConnection {
    return { ...this.address, username: READER_USER, password: this.readerPassword };
  }

  /** Connection of the administrator, for the schema and for loading data. */
  get adminConnection(): ClickHouseConnection {
    return { ...this.address, username: ADMIN_USER, password: this.adminPassword };
  }

  /** Process id of the server; undefined before the start. */
  get pid(): number | undefined {
    return this.child?.pid;
  }

  /**
   * Gives the read-only user exactly these rights: statements without a user, such as `GRANT SELECT ON logs.t`. Restarts the
   * server where the rights differ, because this engine reads its users only when it starts. Connections stay valid, but running
   * queries fail.
   */
  restartWith(grants: readonly string[]): Promise<void> {
    return this.exclusively(async () => {
      if (JSON.stringify(grants) === JSON.stringify(this.grants)) return;
      this.grants = grants;
      await this.end();
      await this.launch();
    });
  }

  /** Gives the read-only user these rights besides those that it has, as {@link restartWith} does. */
  extendGrants(grants: readonly string[]): Promise<void> {
    const missing = grants.filter((grant) => !this.grants.includes(grant));
    return missing.length === 0 ? Promise.resolve() : this.restartWith([...this.grants, ...missing].sort());
  }

  /** Ends the server. Acknowledged writes are not lost. */
  async stop(): Promise<void> {
    this.stopping = true;
    // Not queued, because a launch waits until its process responds or ends.
    await this.end();
    await this.exclusively(() => this.end());
    await releaseDataFolder(this.options.dataDir, this.record);
  }

  /** Runs a change of the process after the changes before it, because two processes cannot share the folder. */
  private exclusively(change: () => Promise<void>): Promise<void> {
    const result = this.changed.then(change);
    this.changed = result.catch(() => undefined);
    return result;
  }

  private async end(): Promise<void> {
    const { child } = this;
    if (!child || hasEnded(child)) return;
    this.ending = child;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  private get record(): RunningServer {
    const { url, username, password } = this.adminConnection;
    return { url, username, password, pid: process.pid };
  }

  private get address(): Pick<ClickHouseConnection, 'url' | 'database'> {
    return { url: `http://127.0.0.1:${this.port}`, database: this.options.database };
  }

  private async launch(): Promise<void> {
    const library = engineLibraryPath();
    const folder = path.join(this.options.dataDir, 'clickhouse');
    const configFile = await writeServerFiles(folder, {
      ...this.options,
      port: this.port,
      grants: this.grants,
    });
    // stop() was called during a restart.
    if (this.stopping) return;
    const child = spawn(process.execPath, [HOST_SCRIPT, library, configFile], {
      cwd: folder,
      // A process group of its own: Ctrl-C reaches only the gateway, which first finishes its requests.
      detached: true,
      stdio: ['pipe', 'ignore', 'pipe'],
      env: {
        PATH: process.execPath,
        TZ: 'UTC',
        [ADMIN_PASSWORD_VARIABLE]: this.adminPassword,
        [READER_PASSWORD_VARIABLE]: this.readerPassword,
      },
    });
    this.child = child;
    const lastOutput = collectLastOutput(child);
    await this.untilReady(child, lastOutput);
    // A process that has already exited emits no further `exit` event.
    if (hasEnded(child)) throw new Error(startFailure(this.options.dataDir, lastOutput()));
    child.once('exit', () => {
      if (child !== this.ending) void this.restart(child, lastOutput());
    });
  }

  private async untilReady(child: ChildProcess, lastOutput: () => string): Promise<void> {
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (!(await respondsToPing(this.address.url))) {
      if (hasEnded(child)) throw new Error(startFailure(this.options.dataDir, lastOutput()));
      if (Date.now() > deadline) {
        await this.end();
        throw new Error(`The embedded ClickHouse did not respond within ${START_TIMEOUT_MS / 1000} s.`);
      }
      await delay(20);
    }
  }

  /** Restarts the server after a crash, unless a new process has replaced the crashed one meanwhile. */
  private async restart(crashed: ChildProcess | undefined, lastOutput: string): Promise<void> {
    while (!this.stopping && this.child === crashed) {
      this.options.onCrash(lastOutput);
      await delay(RESTART_PAUSE_MS);
      await this.exclusively(async () => {
        if (this.child !== crashed) return;
        try {
          await this.launch();
        } catch (error) {
          lastOutput = String(error);
          crashed = this.child;
        }
      });
    }
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function collectLastOutput(child: ChildProcess): () => string {
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (text = (text + chunk).slice(-4000)));
  return () => text.trim();
}

function startFailure(dataDir: string, lastOutput: string): string {
  const inUse = /CANNOT_OPEN_FILE|Another server instance/.test(lastOutput);
  return inUse
    ? `The data folder ${dataDir} is in use by another ClickHouse. Stop that server, or set DATA_DIR to another folder.`
    : `The embedded ClickHouse ended during its start: ${lastOutput || 'it printed no message'}`;
}
