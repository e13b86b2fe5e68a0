import { EMPTY_SNAPSHOT, mergeSnapshots, withoutHoldings, type WorkerSnapshot } from './worker-snapshot.js';

/** What workers counted: the last that is known of each, and the sum of those that have gone. */
export class Snapshots<Member> {
  private readonly last = new Map<Member, WorkerSnapshot>();
  private gone = EMPTY_SNAPSHOT;

  note(member: Member, snapshot: WorkerSnapshot): void {
    this.last.set(member, snapshot);
  }

  /** A worker has gone: what it told last stays, so that no counter falls below what was shown of it. */
  leave(member: Member): void {
    const last = this.last.get(member);
    if (!last) return;
    this.last.delete(member);
    this.gone = mergeSnapshots([this.gone, withoutHoldings(last)]);
  }

  all(): readonly WorkerSnapshot[] {
    return [...this.last.values(), this.gone];
  }
}
