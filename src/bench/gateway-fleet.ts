import { readFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import path from 'node:path';

import type { ClickHouseConnection } from '../clickhouse/connection.js';
import { PACKAGE_FILE } from '../project-files.js';
import { startGateway, type ServingProcess } from './gateway-process.js';
import { startNginx, type NginxPlace } from './nginx.js';

const NGINX_FILE = path.join(path.dirname(PACKAGE_FILE), 'deploy', 'nginx-several-ports.conf');

/** Gateways behind one nginx. */
export class GatewayFleet {
  private constructor(
    private readonly start: (port?: number) => Promise<ServingProcess>,
    private readonly gateways: ServingProcess[],
    private readonly nginx: ServingProcess,
  ) {}

  /** @param environment the same for all, with the Redis that they share. */
  static async open(
    size: number,
    connection: ClickHouseConnection,
    environment: Readonly<Record<string, string>>,
  ): Promise<GatewayFleet> {
    const start = (port?: number): Promise<ServingProcess> =>
      startGateway(connection, '', { ...environment, ...(port !== undefined && { PORT: String(port) }) });
    const gateways: ServingProcess[] = [];
    for (let n = 0; n < size; n += 1) gateways.push(await start());
    const shipped = await readFile(NGINX_FILE, 'utf8');
    const nginx = await startNginx(cpus().length, (place) => withoutTls(shipped, place, gateways));
    return new GatewayFleet(start, gateways, nginx);
  }

  /** Of nginx. */
  get url(): string {
    return this.nginx.url;
  }

  /** Stops each gateway and starts its successor on the same port, one after another, as a loop of `systemctl restart` does. */
  async restartInTurn(): Promise<void> {
    for (const [index, { url, stop }] of this.gateways.entries()) {
      await stop();
      this.gateways[index] = await this.start(Number(new URL(url).port));
    }
  }

  async stop(): Promise<void> {
    await this.nginx.stop();
    await Promise.all(this.gateways.map((gateway) => gateway.stop()));
  }
}

/** The configuration that is shipped, with these ports and without certificates. */
function withoutTls(shipped: string, { port }: NginxPlace, gateways: readonly ServingProcess[]): string {
  const upstream = gateways.map(({ url }) => `server ${new URL(url).host} max_fails=0;`).join('\n');
  return shipped
    .replace(/(^ *server 127\.0\.0\.1:\d+ max_fails=0;\n)+/m, `${upstream}\n`)
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replace(/^ *ssl_.*\n/gm, '');
}
