import { randomBytes } from 'node:crypto';

import { LimitExceeded, counterOf, type LimitState, type Subject } from './limit-state.js';
import type { SharedLimits } from './shared-limits.js';

interface ConcurrencyLimit {
  readonly subject: Subject;
  readonly name: string;
  readonly max: number;
}

/** Counts the running queries of each subject: in this process and, with a shared store, across gateways. */
export class ConcurrentQueries {
  private readonly running = new Map<string, number>();

  constructor(private readonly shared?: SharedLimits) {}

  /**
   * Acquires a permit for every subject with a concurrency limit, or none at all.
   *
   * @returns a function that releases the permits; it never fails.
   * @throws LimitExceeded
   */
  async acquire(subjects: readonly Subject[]): Promise<() => Promise<void>> {
    const acquired: (() => Promise<void>)[] = [];
    const release = async (): Promise<void> => {
      await Promise.all(acquired.map((releaseOne) => releaseOne()));
    };
    for (const limit of subjects.flatMap((subject) => concurrencyLimitOf(subject) ?? [])) {
      const releaseOne = await this.acquireOne(limit);
      if (!releaseOne) {
        await release();
        throw exceeded(limit);
      }
      acquired.push(releaseOne);
    }
    return release;
  }

  private async acquireOne({ name, max }: ConcurrencyLimit): Promise<(() => Promise<void>) | undefined> {
    const local = this.running.get(name) ?? 0;
    if (local >= max) return undefined;
    this.running.set(name, local + 1);
    const permit = { name, token: randomBytes(12).toString('hex') };
    if ((await this.shared?.takePermit(permit, max)) === false) {
      this.releaseLocally(name);
      return undefined;
    }
    return async () => {
      this.releaseLocally(name);
      // A permit is returned after a timeout of takePermit too: the shared store may have granted it.
      await this.shared?.returnPermit(permit);
    };
  }

  private releaseLocally(name: string): void {
    const remaining = (this.running.get(name) ?? 0) - 1;
    if (remaining > 0) this.running.set(name, remaining);
    else this.running.delete(name);
  }
}

function concurrencyLimitOf(subject: Subject): ConcurrencyLimit | undefined {
  const max = subject.rules.concurrent;
  return max === undefined ? undefined : { subject, name: counterOf(subject), max };
}

function exceeded({ subject, max }: ConcurrencyLimit): LimitExceeded {
  const state: LimitState = { subject, counted: 'concurrent', quota: max, remaining: 0 };
  return new LimitExceeded(state, [state]);
}
