import type { Principal } from '../../auth/principal.js';
import { Failure } from '../../errors.js';
import type { Cancellable } from '../call/running-calls.js';

/** The statements that run, by key and by the id that the client gave each: two keys can choose the same. */
export class RunningStatements {
  private readonly running = new Map<string, Cancellable>();

  /** @returns to be called when the statement has ended */
  begin({ name }: Principal, queryId: string | undefined, wait: Cancellable): () => void {
    if (queryId === undefined) return () => undefined;
    const id = idOf(name, queryId);
    this.running.set(id, wait);
    return () => {
      if (this.running.get(id) === wait) this.running.delete(id);
    };
  }

  /** Cancels a statement of the same key; nothing where none with this id runs. */
  kill({ name }: Principal, queryId: string): void {
    this.running
      .get(idOf(name, queryId))
      ?.abort(new Failure('CALL_CANCELLED', 'The client cancelled this statement with KILL QUERY.'));
  }
}

const idOf = (...names: readonly string[]): string => JSON.stringify(names);
