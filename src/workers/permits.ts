import type { Permit } from '../limits/shared-limits.js';

interface Held<Member> {
  readonly member: Member;
  /** On the clock of the permits; from then on it is free again. */
  readonly until: number;
}

/** Permits for queries at a time, of all workers together. */
export class Permits<Member> {
  private readonly held = new Map<string, Map<string, Held<Member>>>();

  /** @param now milliseconds, never going back. */
  constructor(private readonly now: () => number) {}

  /** Takes one of `max`, for so many milliseconds at most; whether there was one left. */
  take(member: Member, { name, token }: Permit, max: number, permitMs: number): boolean {
    const taken = this.held.get(name) ?? new Map<string, Held<Member>>();
    for (const [other, { until }] of taken) if (until <= this.now()) taken.delete(other);
    if (taken.size >= max) return false;
    taken.set(token, { member, until: this.now() + permitMs });
    this.held.set(name, taken);
    return true;
  }

  give({ name, token }: Permit): void {
    const taken = this.held.get(name);
    taken?.delete(token);
    if (taken?.size === 0) this.held.delete(name);
  }

  /** A worker has gone, and its queries with it. */
  giveAll(member: Member): void {
    for (const [name, taken] of this.held) {
      for (const [token, held] of taken) if (held.member === member) this.give({ name, token });
    }
  }
}
