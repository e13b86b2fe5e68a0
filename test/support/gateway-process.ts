import { startProcess, type RunningProcess } from './start-process.js';
import { urlOf } from './with-gateway.js';

/** A built gateway that runs as a process, with its admin API. */
export class GatewayProcess {
  private constructor(
    readonly process: RunningProcess,
    private readonly url: string,
    private readonly adminUrl: string,
  ) {}

  /** @param build the arguments of `node`. */
  static async start(
    build: readonly string[],
    environment: Readonly<Record<string, string>>,
  ): Promise<GatewayProcess> {
    const process = startProcess(build, { PORT: '0', ADMIN_PORT: '0', ...environment });
    const url = await urlOf(process);
    const [, adminUrl = ''] = await process.untilWritten(/"admin API ready".*"url":"(http:[^"]+)"/);
    return new GatewayProcess(process, url, adminUrl);
  }

  /** Calls an endpoint in JSON. @param call its name and query string. */
  async call(
    call: string,
    key: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly status: number; readonly cache: string | null; readonly rows: readonly unknown[] }> {
    const response = await fetch(`${this.url}/api/endpoints/query/${call}`, {
      headers: { 'X-API-KEY': key, ...headers },
    });
    const { result: rows = [] } = (await response.json()) as { readonly result?: readonly unknown[] };
    return { status: response.status, cache: response.headers.get('x-cache'), rows };
  }

  async purge(scope: object): Promise<void> {
    const response = await fetch(`${this.adminUrl}/cache/purge`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(scope),
    });
    if (!response.ok) throw new Error(await response.text());
  }

  /** Whether this gateway has refreshed a set. @throws Error where a refresh failed. */
  async hasWarmed(): Promise<boolean> {
    const response = await fetch(`${this.adminUrl}/warming`);
    const { sets } = (await response.json()) as {
      readonly sets: readonly { readonly lastRun: string | null; readonly failures: number }[];
    };
    if (sets.some(({ failures }) => failures > 0))
      throw new Error(`a refresh failed: ${JSON.stringify(sets)}`);
    return sets.some(({ lastRun }) => lastRun !== null);
  }

  async kill(): Promise<void> {
    this.process.child.kill('SIGKILL');
    await this.process.ended;
  }
}
