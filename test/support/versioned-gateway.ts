import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { EmbeddedServer } from '../../src/commands/embedded/embedded-server.js';
import { connectClickHouse, type QueryClient } from '../../src/gateway/clickhouse/connect-clickhouse.js';
import { readConfig } from '../../src/gateway/config/config.js';
import { openGateway, type Gateway } from '../../src/gateway/server/compose.js';
import type { Clock } from '../../src/gateway/query/ports.js';
import { pollUntil } from './poll-until.js';
import { RecordingLogger } from './recording-logger.js';
import { makeTemporaryFolder, type TemporaryFolder } from './temporary-folder.js';

const KEY = 'a key of every caller';

/** A ClickHouse of its own, whose tables a test changes, and the folder of a project over them. */
export class VersionedServer {
  private constructor(
    readonly server: EmbeddedServer,
    readonly admin: QueryClient,
    private readonly folder: TemporaryFolder,
  ) {}

  /** @param grants of the reader; it is the user of versions where they are given */
  static async start(grants?: readonly string[]): Promise<VersionedServer> {
    const folder = await makeTemporaryFolder();
    const server = await EmbeddedServer.start({
      ...{ dataDir: path.join(folder.path, 'data'), database: 'logs', onCrash: () => undefined },
      ...(grants && { grants }),
    });
    const inDefault = connectClickHouse(
      { ...server.adminConnection, database: 'default' },
      { maxOpenConnections: 1, requestTimeoutMs: 30_000 },
    );
    await inDefault.command({ query: 'CREATE DATABASE IF NOT EXISTS logs' });
    await inDefault.close();
    const admin = connectClickHouse(server.adminConnection, {
      maxOpenConnections: 8,
      requestTimeoutMs: 60_000,
    });
    return new VersionedServer(server, admin, folder);
  }

  readonly run = async (
    query: string,
    settings: Readonly<Record<string, string | number>> = {},
  ): Promise<void> => {
    await this.admin.command({ query, clickhouse_settings: settings });
  };

  /** Adds the users of a file of clickhouse-schema/users.d, whose password comes from a variable. */
  async addUsers(file: string, password: string): Promise<void> {
    const text = readFileSync(new URL(`../../clickhouse-schema/users.d/${file}`, import.meta.url), 'utf8');
    const own = text.replace(/<password from_env="\w+"\/>/, `<password>${password}</password>`);
    await writeFile(path.join(this.folder.path, 'data/clickhouse/users.d', file), own);
    await this.kill();
  }

  async rows(query: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const result = await this.admin.query({
      query,
      format: 'JSONEachRow',
      clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
    });
    return result.json();
  }

  /** Kills the process of the server, and waits until it is there again. */
  async kill(): Promise<void> {
    const { pid } = this.server;
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
    await pollUntil('ClickHouse responds again', async () =>
      this.server.pid !== pid && (await this.admin.ping({ select: true })).success ? true : undefined,
    );
  }

  /** Opens a gateway over endpoints, whose texts are given by name. */
  async openGateway(
    endpoints: Readonly<Record<string, string>>,
    {
      clock,
      environment = {},
    }: { readonly clock: Clock; readonly environment?: Readonly<Record<string, string>> },
  ): Promise<VersionedGateway> {
    const project = path.join(this.folder.path, 'project');
    await mkdir(path.join(project, 'endpoints'), { recursive: true });
    for (const [name, text] of Object.entries(endpoints))
      await writeFile(path.join(project, 'endpoints', `${name}.sql`), text);
    const { url, username, password } = this.server.adminConnection;
    const logger = new RecordingLogger();
    const config = readConfig({
      ...{ PROJECT_DIR: project, PORT: '0', API_KEY: KEY, DEMO_DATA: 'off', REQUEST_LOG: 'off', MCP: 'off' },
      ...{ CLICKHOUSE_URL: url, CLICKHOUSE_USER: username, CLICKHOUSE_PASSWORD: password },
      ...{ CLICKHOUSE_VERSIONS_USER: username, CLICKHOUSE_VERSIONS_PASSWORD: password },
      ...environment,
    });
    return new VersionedGateway(await openGateway(config, { logger, clock }), logger);
  }

  async stop(): Promise<void> {
    await this.admin.close();
    await this.server.stop();
    await this.folder.remove();
  }
}

/** A response of an endpoint. */
export interface VersionedResponse {
  readonly status: number;
  readonly cache: string | null;
  readonly headers: Headers;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

export class VersionedGateway {
  constructor(
    readonly gateway: Gateway,
    readonly logger: RecordingLogger,
  ) {}

  async get(target: string, headers: Readonly<Record<string, string>> = {}): Promise<VersionedResponse> {
    const response = await fetch(`${this.gateway.url}/api/endpoints/query/${target}`, {
      headers: { 'X-API-KEY': KEY, ...headers },
    });
    const text = await response.text();
    const { result = [] } = (text === '' ? {} : JSON.parse(text)) as { result?: VersionedResponse['rows'] };
    return {
      status: response.status,
      cache: response.headers.get('x-cache'),
      headers: response.headers,
      rows: result,
    };
  }

  close(): Promise<void> {
    return this.gateway.close(0);
  }
}

/** The text of an endpoint that caches until its data changes. */
export function versionedEndpoint(name: string, id: number, header: string, select: string): string {
  return `/*\nname: ${name}\nid: 7d1f0c04-5cb3-41e7-907b-${String(id).padStart(12, '0')}\nsummary: For a test.\ncaching: until-changed\n${header}\n*/\n${select}\n`;
}

/** The grants of the users file for the user of versions. */
export function grantsOfVersionsFile(): readonly string[] {
  const file = new URL('../../clickhouse-schema/users.d/querygate-versions.xml', import.meta.url);
  return [...readFileSync(file, 'utf8').matchAll(/<query>([^<]+)<\/query>/g)].map(([, grant = '']) => grant);
}
