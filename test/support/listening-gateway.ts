import { mkdir, writeFile } from 'node:fs/promises';
import { request, type IncomingHttpHeaders } from 'node:http';
import path from 'node:path';

import { hashApiKey } from '../../src/gateway/auth/api-key.js';
import { readConfig } from '../../src/gateway/config/config.js';
import { openGateway, type Gateway } from '../../src/gateway/server/compose.js';
import { adminConnection } from './clickhouse.js';
import { variablesOf } from './demo-database.js';
import { pollUntil } from './poll-until.js';
import { RecordingLogger, type LogLine } from './recording-logger.js';
import { makeTemporaryFolder, type TemporaryFolder } from './temporary-folder.js';

export interface ListeningGatewayOptions {
  /** Besides the ports, and the shared ClickHouse as its administrator. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Texts of endpoint files, with or without their names, by name; without any, the gateway serves the project that the environment names. */
  readonly endpoints?: Readonly<Record<string, string>>;
  /** Rights of keys, by the key; its name is what follows `qg_`. */
  readonly keys?: Readonly<Record<string, object>>;
  readonly clock?: () => Date;
}

/** A complete gateway that listens, with a folder of its own for its project and keys. */
export class ListeningGateway {
  readonly gateway: Gateway;
  readonly logger: RecordingLogger;
  private readonly folder: TemporaryFolder;

  constructor({ gateway, logger, folder }: Opened) {
    this.gateway = gateway;
    this.logger = logger;
    this.folder = folder;
  }

  static async listen(options: ListeningGatewayOptions): Promise<ListeningGateway> {
    return new ListeningGateway(await open(options));
  }

  get url(): string {
    return this.gateway.url;
  }

  /** Sends a request for an endpoint. @param call its name and query string */
  receive(call: string, options: ReceiveOptions = {}): Promise<Received> {
    return receive(`${this.url}/api/endpoints/query/${call}`, options);
  }

  /** Replaces the keys of its file. */
  writeKeys(keys: NonNullable<ListeningGatewayOptions['keys']>): Promise<string> {
    return writeKeys(this.folder.path, keys);
  }

  /** The line in the log of the request with an id. */
  logged(requestId: string): Promise<LogLine['fields']> {
    const find = (): LogLine | undefined =>
      this.logger.lines.find(({ fields }) => fields['requestId'] === requestId);
    return pollUntil(`${requestId} is logged`, () => find()?.fields, 30_000);
  }

  async close(): Promise<void> {
    await this.gateway.close(0);
    await this.folder.remove();
  }
}

type Opened = Awaited<ReturnType<typeof open>>;

/** Opens the gateway for a {@link ListeningGateway}, or for a class that adds to it. */
export async function open({
  environment = {},
  endpoints,
  keys,
  clock = () => new Date(),
}: ListeningGatewayOptions): Promise<{
  readonly gateway: Gateway;
  readonly logger: RecordingLogger;
  readonly folder: TemporaryFolder;
}> {
  const folder = await makeTemporaryFolder();
  if (endpoints) await mkdir(path.join(folder.path, 'endpoints'));
  for (const [name, text] of Object.entries(endpoints ?? {}))
    await writeFile(
      path.join(folder.path, 'endpoints', `${name}.sql`),
      text.replace(/^\/\*\n(?!name:)/, `/*\nname: ${name}\n`),
    );
  const logger = new RecordingLogger();
  const config = readConfig({
    ...{ PORT: '0', ADMIN_PORT: '0', ...variablesOf(adminConnection('default')) },
    ...(endpoints && { PROJECT_DIR: folder.path }),
    ...(keys && { API_KEYS_FILE: await writeKeys(folder.path, keys) }),
    ...environment,
  });
  return { gateway: await openGateway(config, { logger, clock }), logger, folder };
}

async function writeKeys(folder: string, keys: Readonly<Record<string, object>>): Promise<string> {
  const file = path.join(folder, 'keys.json');
  const stored = Object.entries(keys).map(([key, rights]) => ({
    ...{ name: key.replace(/^qg_/, ''), sha256: [hashApiKey(key)] },
    ...rights,
  }));
  await writeFile(file, JSON.stringify({ keys: stored }));
  return file;
}

/** A response, complete or not. */
export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly trailers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
  /** Whether the last chunk was received. */
  readonly isComplete: boolean;
}

export interface ReceiveOptions {
  readonly key?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Called with the response before its body is read. */
  readonly beforeBody?: (stop: () => void) => Promise<void> | void;
}

/** Sends a request on a connection of its own, and reads as much of the response as there is. */
export function receive(
  url: string,
  { key, method = 'GET', headers = {}, body, beforeBody }: ReceiveOptions = {},
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method, agent: false, headers: { ...(key !== undefined && { 'X-API-KEY': key }), ...headers } },
      (response) => {
        const chunks: Buffer[] = [];
        // What is reset within the response has an incomplete one.
        sent.removeAllListeners('error').on('error', () => undefined);
        const done = (): void => {
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            trailers: response.trailers,
            body: Buffer.concat(chunks),
            isComplete: response.complete,
          });
        };
        response.on('error', () => undefined);
        response.on('close', done);
        void Promise.resolve(beforeBody?.(() => sent.destroy())).then(() => {
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
        }, reject);
      },
    );
    sent.on('error', (error) => {
      reject(error);
    });
    sent.end(body);
  });
}
