import { withClient } from '../clickhouse/with-client.js';
import { prepareDatabase } from '../demo-data/prepare-database.js';
import type { OwnServer } from '../../gateway/server/own-server.js';
import { AppliedFilesDiffer } from '../../gateway/schema/schema-file-error.js';
import { quoteName } from '../../endpoint/quote-sql.js';
import type { Config } from '../../gateway/config/config.js';

/** What happened to a database after files changed. */
export type Applied =
  | { readonly applied: readonly string[] }
  /** Only a new database can have the files as they are now. */
  | { readonly differs: string };

/** The database of an embedded server: it is there for development, and can be filled again at any time. */
export class DevelopmentDatabase {
  constructor(
    private readonly config: Config,
    private readonly server: Pick<OwnServer, 'adminConnection'>,
  ) {}

  /** Applies schema files that are new. @throws Error where a file is invalid */
  async migrate(): Promise<Applied> {
    try {
      return { applied: await this.prepare() };
    } catch (error) {
      if (error instanceof AppliedFilesDiffer) return { differs: error.message };
      throw error;
    }
  }

  /**
   * Drops the database and creates it from the files as they are now, with the demonstration data.
   *
   * @throws Error where a file is invalid; the database is then as it was.
   */
  async recreate(): Promise<void> {
    const { database } = this.config.clickhouse;
    const trial = `${database}_trial`;
    try {
      await dropDatabase(this.server, trial);
      await this.prepare(trial);
    } finally {
      await dropDatabase(this.server, trial);
    }
    await dropDatabase(this.server, database);
    await this.prepare();
  }

  private async prepare(database = this.config.clickhouse.database): Promise<readonly string[]> {
    const { project, clickhouse } = this.config;
    const applied: string[] = [];
    const fills = clickhouse.kind === 'embedded' && clickhouse.demoData;
    const connection = { ...this.server.adminConnection, database };
    await prepareDatabase(connection, {
      schemaFolder: project.schemaFolder,
      demo: fills ? { folder: project.demoFolder, upTo: new Date() } : undefined,
      onApplied: (file) => applied.push(file),
    });
    return applied;
  }
}

/** Drops a database of an embedded server with all its tables. */
export async function dropDatabase(
  server: Pick<OwnServer, 'adminConnection'>,
  database: string,
): Promise<void> {
  const connection = { ...server.adminConnection, database: 'default' };
  await withClient(connection, 60_000, (client) =>
    client.command({ query: `DROP DATABASE IF EXISTS ${quoteName(database)} SYNC` }),
  );
}
