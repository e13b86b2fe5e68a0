import path from 'node:path';

import type { DevelopmentDatabase } from './development-database.js';

export interface SchemaChangesDependencies {
  /** Absent where the servers are external: nothing is changed there. */
  readonly database: Pick<DevelopmentDatabase, 'migrate' | 'recreate'> | undefined;
  /** The project's folder. */
  readonly folder: string;
  /** Asks a person, and resolves to whether the answer is yes; absent where nobody can answer. */
  readonly ask: ((question: string) => Promise<boolean>) | undefined;
  readonly print: (text: string) => void;
  /** Shows what a person should do about a part, in place of what was shown about it; nothing: it is done. */
  readonly notify: (part: SchemaPart, notice?: string) => void;
  /** Called when tables or rows are other ones: results in the cache are outdated, and endpoints may read new tables. */
  readonly onChanged: () => Promise<void>;
}

type SchemaPart = 'schema' | 'demo';

export const RECREATE = 'Drop the development database, and create it again from the files?';
export const HOW_TO_RECREATE =
  'To drop the development database and create it again from the files, start querygate dev --recreate.';

const NOTHING_CHANGES = 'querygate dev changes nothing in the database of CLICKHOUSE_URL';

/** Brings the development database up to date with the project's schema and demonstration data. */
export class SchemaChanges {
  /** One change after another. */
  private last: Promise<void> = Promise.resolve();
  private isAsking = false;

  constructor(private readonly dependencies: SchemaChangesDependencies) {}

  /** @param files absolute. */
  onSchema(files: readonly string[]): void {
    this.next('schema', () => this.apply(files));
  }

  /** @param files absolute. */
  onDemo(files: readonly string[]): void {
    const shown = this.shown(files);
    if (!this.dependencies.database) {
      this.tell('demo', `${shown} changed. ${NOTHING_CHANGES}.`);
      return;
    }
    this.next('demo', () => {
      this.offer(
        'demo',
        `${shown} changed. Demonstration data is inserted only when the database is created.`,
      );
      return Promise.resolve();
    });
  }

  /** Resolves when the changes that were reported so far are done. */
  get settled(): Promise<void> {
    return this.last;
  }

  private next(part: SchemaPart, change: () => Promise<void>): void {
    this.last = this.last.then(change).catch((error: unknown) => {
      this.tell(part, error instanceof Error ? error.message : String(error));
    });
  }

  private async apply(files: readonly string[]): Promise<void> {
    const { database, print, notify, onChanged } = this.dependencies;
    if (!database) {
      const advice = 'run querygate migrate to apply new files.';
      this.tell('schema', `${this.shown(files)} changed. ${NOTHING_CHANGES}: ${advice}`);
      return;
    }
    const outcome = await database.migrate();
    if ('differs' in outcome) {
      this.offer('schema', outcome.differs);
      return;
    }
    notify('schema');
    if (outcome.applied.length === 0) return;
    print(`applied ${outcome.applied.join(', ')}`);
    await onChanged();
  }

  private offer(part: SchemaPart, reason: string): void {
    const { ask, notify } = this.dependencies;
    if (!ask) {
      this.tell(part, `${reason} ${HOW_TO_RECREATE}`);
      return;
    }
    notify(part, `${reason} ${HOW_TO_RECREATE}`);
    if (this.isAsking) return;
    this.isAsking = true;
    // Not awaited: further changes are applied while nobody answers.
    void ask(`${reason}\n${RECREATE}`)
      .then((isYes) => {
        if (isYes) this.next(part, () => this.recreate());
      })
      .finally(() => (this.isAsking = false));
  }

  private async recreate(): Promise<void> {
    const { database, print, notify, onChanged } = this.dependencies;
    await database?.recreate();
    notify('schema');
    notify('demo');
    print('created the development database again');
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
