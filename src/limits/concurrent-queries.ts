import { randomBytes } from 'node:crypto';

import { LimitExceeded, type LimitState, type Subject } from './limit-state.js';
import { nameOf } from './limits-of.js';
import type { SharedLimits } from './shared-limits.js';

interface ConcurrencyLimit {
  readonly subject: Subject;
  readonly name: string;
  readonly max: number;
}

/** How many queries each subject has running: in this process, and across gateways where they have a shared place. */
export class ConcurrentQueries {
  private readonly running = new Map<string, number>();

  constructor(private readonly shared?: SharedLimits) {}

  /** Subjects that have a query running here. */
  get size(): number {
    return this.running.size;
  }

  /**
   * Takes a place of every subject that has so many, or of none.
   *
   * @returns gives them back; never fails.
   * @throws LimitExceeded
   */
  async take(subjects: readonly Subject[]): Promise<() => Promise<void>> {
    const taken: (() => Promise<void>)[] = [];
    const leave = async (): Promise<void> => {
      await Promise.all(taken.map((give) => give()));
    };
    for (const place of subjects.flatMap((subject) => placeOf(subject) ?? [])) {
      const give = await this.takeOne(place);
      if (!give) {
        await leave();
        throw exceeded(place);
      }
      taken.push(give);
    }
    return leave;
  }

  private async takeOne({ name, max }: ConcurrencyLimit): Promise<(() => Promise<void>) | undefined> {
    const here = this.running.get(name) ?? 0;
    if (here >= max) return undefined;
    this.running.set(name, here + 1);
    const permit = { name, token: randomBytes(12).toString('hex') };
    if ((await this.shared?.takePermit(permit, max)) === false) {
      this.giveHere(name);
      return undefined;
    }
    return async () => {
      this.giveHere(name);
      // Also where the answer did not come in time: the permit may have been taken all the same.
      await this.shared?.returnPermit(permit);
    };
  }

  private giveHere(name: string): void {
    const remaining = (this.running.get(name) ?? 0) - 1;
    if (remaining > 0) this.running.set(name, remaining);
    else this.running.delete(name);
  }
}

function placeOf(subject: Subject): ConcurrencyLimit | undefined {
  const max = subject.rules.concurrent;
  return max === undefined ? undefined : { subject, name: nameOf(subject), max };
}

function exceeded({ subject, max }: ConcurrencyLimit): LimitExceeded {
  const state: LimitState = { subject, counted: 'concurrent', quota: max, remaining: 0 };
  return new LimitExceeded(state, [state]);
}
