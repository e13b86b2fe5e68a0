import type { QueryCost } from '../../endpoint/limit-rules.js';
import { LimitExceeded } from './limit-state.js';
import type { QueryPermit } from './limiter.js';

/** A query that waits until another query of its call ends. */
interface Waiting {
  readonly resolve: (permit: QueryPermit) => void;
  readonly reject: (reason: LimitExceeded) => void;
}

/**
 * The permits of a call for concurrent queries of its caller. A call can have several queries at a time. It gets at least one
 * permit, and more as long as the limit allows. Its other queries wait, and each takes over the permit of one that ends.
 */
export class PlaceOfCall {
  /** Number of permits that the call has or has requested. */
  private permits = 0;
  private readonly waiting: Waiting[] = [];

  constructor(private readonly admit: () => Promise<QueryPermit>) {}

  /** @throws LimitExceeded where no query of the call is running */
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
      // The last request for a permit was rejected too, so that no permit will reach the waiting queries.
      if (this.permits === 0) for (const { reject } of this.waiting.splice(0)) reject(error);
      throw error;
    }
  }
}
