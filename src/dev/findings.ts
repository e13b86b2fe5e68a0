import { checkEndpoint, type CheckTools } from '../check/check-endpoint.js';
import { withCheckTools } from '../check/check-tools.js';
import type { CheckedEndpoint } from '../check/checked-endpoint.js';
import type { SqlFiles } from '../check/sql-file.js';
import type { ClickHouseConnection } from '../clickhouse/connection.js';
import type { Config } from '../config/config.js';
import type { Endpoint } from '../endpoint/endpoint.js';

/** Where endpoints are checked. */
export interface CheckedServer {
  /** Resolves to the connection of the user that queries run as. */
  readonly connection: () => Promise<ClickHouseConnection>;
  /** Whether only demonstration data is in it, so that an empty table says nothing of a query. */
  readonly isTemporary: boolean;
}

/** What checks found about the endpoints that are served; an endpoint that a reload replaced is checked again. */
export class FindingsOfEndpoints {
  private found = new WeakMap<Endpoint, Promise<CheckedEndpoint>>();
  private settled = new WeakMap<Endpoint, CheckedEndpoint>();
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

  of(endpoint: Endpoint): CheckedEndpoint | undefined {
    return this.settled.get(endpoint);
  }

  /** Checks an endpoint, once. @throws Error where ClickHouse cannot be reached, or the server stops */
  check(endpoint: Endpoint): Promise<CheckedEndpoint> {
    const known = this.found.get(endpoint);
    if (known) return known;
    const checked = this.last.then(() => this.run(endpoint));
    this.last = checked.catch(() => undefined);
    this.found.set(endpoint, checked);
    checked.then(
      (findings) => {
        this.settled.set(endpoint, findings);
        this.onFound();
      },
      () => this.found.delete(endpoint),
    );
    return checked;
  }

  /** Forgets every finding, because the tables are other ones. */
  forget(): void {
    this.found = new WeakMap();
    this.settled = new WeakMap();
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
