import type { QueryCost } from '../../endpoint/limit-rules.js';
import { LimitExceeded } from './limit-state.js';
import type { QueryPermit } from './limiter.js';

/** A query that waits for another one of its call. */
interface Waiting {
  readonly resolve: (permit: QueryPermit) => void;
  readonly reject: (reason: LimitExceeded) => void;
}

/**
 * The place of a call among the concurrent queries of its caller. A call can have several queries at a time: it has as many as the
 * limit leaves, at least one, and the others take the places of those that end.
 */
export class PlaceOfCall {
  /** Permits that the call has, or asks for. */
  private permits = 0;
  private readonly waiting: Waiting[] = [];

  constructor(private readonly admit: () => Promise<QueryPermit>) {}

  /** @throws LimitExceeded where the call has no query that runs */
  async admitQuery(): Promise<Pick<QueryPermit, 'states' | 'settle'>> {
    const permit = await this.acquire();
    const settle = async (cost?: QueryCost): Promise<void> => {
      const next = this.waiting.shift();
      if (!next) this.permits -= 1;
      await (next ? permit.charge(cost) : permit.settle(cost));
      next?.resolve(permit);
    };
    return { states: permit.states, settle };
  }

  private async acquire(): Promise<QueryPermit> {
    this.permits += 1;
    try {
      return await this.admit();
    } catch (error) {
      this.permits -= 1;
      if (!(error instanceof LimitExceeded)) throw error;
      const isConcurrent = error.exceeded.counted === 'concurrent';
      if (isConcurrent && this.permits > 0)
        return await new Promise((resolve, reject) => {
          this.waiting.push({ resolve, reject });
        });
      // What it waited for was rejected too.
      if (this.permits === 0) for (const { reject } of this.waiting.splice(0)) reject(error);
      throw error;
    }
  }
}
