import { checkEndpoint, type CheckTools } from '../check/check-endpoint.js';
import { withCheckTools } from '../check/check-tools.js';
import type { CheckedEndpoint } from '../check/checked-endpoint.js';
import type { SqlFiles } from '../../gateway/analysis/sql-file.js';
import type { ClickHouseConnection } from '../../gateway/clickhouse/connection.js';
import type { Config } from '../../gateway/config/config.js';
import type { Endpoint } from '../../endpoint/endpoint.js';

/** Where endpoints are checked. */
export interface CheckedServer {
  /** Resolves to the connection of the user that queries run as. */
  readonly connection: () => Promise<ClickHouseConnection>;
  /** Whether only demonstration data is in it, so that an empty table says nothing of a query. */
  readonly isTemporary: boolean;
}

/** What checks found about endpoints, by the digest of the definition: a changed one is checked again. */
export class FindingsOfEndpoints {
  private readonly found = new Map<string, Promise<CheckedEndpoint>>();
  private readonly settled = new Map<string, CheckedEndpoint>();
  /** One check at a time, so that checks neither load ClickHouse nor distort each other's times. */
  private last: Promise<unknown> = Promise.resolve();

  /** @param onFound called when a check has ended. */
  constructor(
    private readonly config: Config,
    private readonly server: CheckedServer,
    private readonly files: SqlFiles,
    private readonly signal: AbortSignal,
    private readonly onFound: () => void,
  ) {}

  of({ digest }: Endpoint): CheckedEndpoint | undefined {
    return this.settled.get(digest);
  }

  /** Checks an endpoint, once. @throws Error where ClickHouse cannot be reached, or the server stops */
  check(endpoint: Endpoint): Promise<CheckedEndpoint> {
    const { digest } = endpoint;
    const known = this.found.get(digest);
    if (known) return known;
    const checked = this.last.then(() => this.run(endpoint));
    this.last = checked.catch(() => undefined);
    this.found.set(digest, checked);
    checked.then(
      (findings) => {
        // A change of the tables may have made it outdated meanwhile.
        if (this.found.get(digest) !== checked) return;
        this.settled.set(digest, findings);
        this.onFound();
      },
      () => this.found.delete(digest),
    );
    return checked;
  }

  /** Forgets every finding, because the tables are other ones. */
  forget(): void {
    this.found.clear();
    this.settled.clear();
  }

  /** Forgets the findings of definitions that are no longer served. */
  keepOnly(endpoints: readonly Endpoint[]): void {
    const digests = new Set(endpoints.map(({ digest }) => digest));
    for (const digest of this.found.keys()) if (!digests.has(digest)) this.found.delete(digest);
    for (const digest of this.settled.keys()) if (!digests.has(digest)) this.settled.delete(digest);
  }

  /** Runs a task with a connection. @throws Error where ClickHouse does not respond */
  withTools<T>(task: (tools: CheckTools) => Promise<T>): Promise<T> {
    const { config, signal } = this;
    return this.server
      .connection()
      .then((connection) =>
        withCheckTools(connection, { ...config, signal, isTemporary: this.server.isTemporary }, task),
      );
  }

  private run(endpoint: Endpoint): Promise<CheckedEndpoint> {
    return this.withTools((tools) => checkEndpoint(endpoint, tools, { sql: this.files.of(endpoint) }));
  }
}
