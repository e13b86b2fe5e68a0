import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

import type { Principal } from '../../auth/principal.js';
import { Failure } from '../../errors.js';
import type { Clock } from '../../query/ports.js';
import type { SqlRequest } from './sql-request.js';

/** Milliseconds in which a statement that timed out is not run again, because JDBC repeats it four times at once. */
const REMEMBERED_MS = 30_000;

/** The statements of each key that timed out recently. */
export class RecentTimeouts {
  private readonly failures = new LRUCache<string, { readonly failure: Failure; readonly until: number }>({
    max: 1000,
  });

  constructor(private readonly clock: Clock) {}

  /** @throws Failure of the recent timeout, if there was one */
  requireNone(id: string): void {
    const known = this.failures.get(id);
    if (known && this.clock().getTime() < known.until) throw known.failure;
  }

  note(id: string, error: unknown): void {
    if (!(error instanceof Failure) || error.code !== 'QUERY_TIMEOUT') return;
    // The new failure has no cost, because the cost has been charged.
    const failure = new Failure(error.code, error.message);
    this.failures.set(id, { failure, until: this.clock().getTime() + REMEMBERED_MS });
  }
}

/** Identifies a statement of a key. The client's query id is not a part of it. */
export function statementId({ name }: Principal, { sql, values, options }: SqlRequest): string {
  const others = [...options].filter(([option]) => option !== 'query_id');
  return createHash('sha256')
    .update(JSON.stringify([name, sql, [...values], others]))
    .digest('base64');
}
