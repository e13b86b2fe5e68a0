import { readFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import path from 'node:path';

import type { ClickHouseConnection } from '../../src/gateway/clickhouse/connection.js';
import { startNginx } from '../servers/nginx.js';
import type { ServerProcess } from '../servers/server-process.js';
import { PROJECT_ROOT, type Environment, type Stage } from '../stage.js';

const NGINX_FILE = path.join(PROJECT_ROOT, 'src/commands/cli/templates/deploy-systemd/deploy/nginx.conf');

export interface FleetOptions {
  readonly size: number;
  readonly connection: ClickHouseConnection;
  /** Environment of all gateways, including their shared Redis. */
  readonly environment: Environment;
}

/** Gateways behind one nginx. */
export class GatewayFleet {
  private constructor(
    private readonly start: (port?: string) => Promise<ServerProcess>,
    private readonly gateways: ServerProcess[],
    private readonly nginx: ServerProcess,
  ) {}

  static async open(stage: Stage, { size, connection, environment }: FleetOptions): Promise<GatewayFleet> {
    const start = (port?: string): Promise<ServerProcess> =>
      stage.startGateway(connection, { ...environment, ...(port !== undefined && { PORT: port }) });
    const gateways: ServerProcess[] = [];
    while (gateways.length < size) gateways.push(await start());
    const shipped = await readFile(NGINX_FILE, 'utf8');
    const nginx = await startNginx(stage, cpus().length, ({ port }) => withoutTls(shipped, port, gateways));
    return new GatewayFleet(start, gateways, nginx);
  }

  /** URL of nginx. */
  get url(): string {
    return this.nginx.url;
  }

  /** Replaces the gateways, each on the same port, one after another, like a loop of `systemctl restart`. */
  async restartInTurn(): Promise<void> {
    for (const [index, { url, stop }] of this.gateways.entries()) {
      await stop();
      this.gateways[index] = await this.start(new URL(url).port);
    }
  }

  async stop(): Promise<void> {
    await this.nginx.stop();
    for (const gateway of this.gateways) await gateway.stop();
  }
}

/** The shipped configuration, with these ports and without certificates. */
function withoutTls(shipped: string, port: number, gateways: readonly ServerProcess[]): string {
  const upstream = gateways.map(({ url }) => `server ${new URL(url).host} max_fails=0;`).join('\n');
  return shipped
    .replace(/(^ *server 127\.0\.0\.1:\d+ max_fails=0;\n)+/m, `${upstream}\n`)
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replace(/^ *ssl_.*\n/gm, '');
}
