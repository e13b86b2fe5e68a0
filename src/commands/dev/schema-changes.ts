import path from 'node:path';

import { AppliedFilesDiffer } from '../../gateway/schema/schema-file-error.js';
import { messageOf } from '../loading/load-error.js';

export interface SchemaChangesDependencies {
  /** Applies new schema files, and returns them; absent where the servers are external: nothing is changed there. */
  readonly migrate: (() => Promise<readonly string[]>) | undefined;
  /** The project's folder. */
  readonly folder: string;
  readonly print: (text: string) => void;
  /** Shows what a person should do about a part, in place of what was shown about it; nothing: it is done. */
  readonly notify: (part: SchemaPart, notice?: string) => void;
  /** Called when tables or rows are other ones: results in the cache are outdated, and endpoints may read new tables. */
  readonly onChanged: () => Promise<void>;
}

type SchemaPart = 'schema' | 'demo';

const HOW_TO_RECREATE =
  'To drop the development database and create it again from the files, start querygate dev --recreate.';

const NOTHING_CHANGES = 'querygate dev changes nothing in the database of CLICKHOUSE_URL';

/** What is wrong with schema files, and what helps. */
export function schemaProblem(error: unknown): string {
  return error instanceof AppliedFilesDiffer ? `${error.message} ${HOW_TO_RECREATE}` : messageOf(error);
}

/** Brings the development database up to date with the project's schema, and says what it cannot do. */
export class SchemaChanges {
  /** One change after another. */
  private last: Promise<void> = Promise.resolve();

  constructor(private readonly dependencies: SchemaChangesDependencies) {}

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
    this.tell(
      'demo',
      `${this.shown(files)} changed. ${this.dependencies.migrate ? advice : `${NOTHING_CHANGES}.`}`,
    );
  }

  private async apply(files: readonly string[]): Promise<void> {
    const { migrate, print, notify, onChanged } = this.dependencies;
    if (!migrate) {
      const advice = 'run querygate migrate to apply new files.';
      this.tell('schema', `${this.shown(files)} changed. ${NOTHING_CHANGES}: ${advice}`);
      return;
    }
    const applied = await migrate();
    notify('schema');
    if (applied.length === 0) return;
    print(`applied ${applied.join(', ')}`);
    await onChanged();
  }

  private tell(part: SchemaPart, text: string): void {
    this.dependencies.print(text);
    this.dependencies.notify(part, text);
  }

  private shown(files: readonly string[]): string {
    return files.map((file) => path.relative(this.dependencies.folder, file)).join(', ');
  }
}
