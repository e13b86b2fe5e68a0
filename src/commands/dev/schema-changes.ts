import path from 'node:path';

import type { Config } from '../../gateway/config/config.js';
import { AppliedFilesDiffer } from '../../gateway/schema/schema-file-error.js';
import type { Gateway } from '../../gateway/server/compose.js';
import { messageOf } from '../loading/load-error.js';
import { migrateDevelopment } from './development-database.js';
import type { DevelopmentServer } from './development-server.js';
import type { Terminal } from './terminal.js';

/** What a development server consists of. */
export interface DevelopmentParts {
  readonly config: Config;
  readonly gateway: Gateway;
  readonly development: DevelopmentServer;
  readonly terminal: Terminal;
}

const HOW_TO_RECREATE =
  'To drop the development database and create it again from the files, start querygate dev --recreate.';

const NOTHING_CHANGES = 'querygate dev changes nothing in the database of CLICKHOUSE_URL';

/** What is wrong with schema files, and what helps. */
export function schemaProblem(error: unknown): string {
  return error instanceof AppliedFilesDiffer ? `${error.message} ${HOW_TO_RECREATE}` : messageOf(error);
}

/** Updates the development database to the project's schema, and reports changes that are impossible. */
export class SchemaChanges {
  /** The last change. Changes run one at a time. */
  private last: Promise<void> = Promise.resolve();

  /** @param reload of the endpoints, which may read new tables */
  constructor(
    private readonly parts: DevelopmentParts,
    private readonly reload: () => Promise<void>,
  ) {}

  /**
   * Resolves when new files are applied, or when it has been said why they are not.
   *
   * @param files absolute.
   */
  onSchema(files: readonly string[]): Promise<void> {
    this.last = this.last
      .then(() => this.apply(files))
      .catch((error: unknown) => {
        this.tell('schema', schemaProblem(error));
      });
    return this.last;
  }

  /** @param files absolute. */
  onDemo(files: readonly string[]): void {
    const advice = `Demonstration data is inserted only when the database is created. ${HOW_TO_RECREATE}`;
    const { embedded } = this.parts.development;
    this.tell('demo', `${this.shown(files)} changed. ${embedded ? advice : `${NOTHING_CHANGES}.`}`);
  }

  private async apply(files: readonly string[]): Promise<void> {
    const { config, gateway, development, terminal } = this.parts;
    if (!development.embedded) {
      const advice = 'run querygate migrate to apply new files.';
      this.tell('schema', `${this.shown(files)} changed. ${NOTHING_CHANGES}: ${advice}`);
      return;
    }
    const applied = await migrateDevelopment(config, development.embedded);
    development.notify('schema');
    if (applied.length === 0) return;
    terminal.print(`applied ${applied.join(', ')}`);
    development.forgetAnalyses();
    await gateway.purge();
    await this.reload();
  }

  private tell(part: 'schema' | 'demo', text: string): void {
    this.parts.terminal.print(text);
    this.parts.development.notify(part, text);
  }

  private shown(files: readonly string[]): string {
    return files.map((file) => path.relative(this.parts.config.project.folder, file)).join(', ');
  }
}
