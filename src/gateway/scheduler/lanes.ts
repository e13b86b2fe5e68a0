/** Waiters in lanes: first in, first out within a lane, and round robin over the lanes. */
export class Lanes<T> {
  /** Lanes that are not empty. The first one is next. */
  private readonly lanes = new Map<string, T[]>();
  private count = 0;

  /** Number of waiters in all lanes. */
  get size(): number {
    return this.count;
  }

  /** Lanes that are not empty, each with its waiters from the oldest to the newest. */
  all(): Iterable<readonly [lane: string, waiting: readonly T[]]> {
    return this.lanes;
  }

  length(lane: string): number {
    return this.lanes.get(lane)?.length ?? 0;
  }

  push(lane: string, waiter: T): void {
    const waiting = this.lanes.get(lane);
    if (waiting) waiting.push(waiter);
    else this.lanes.set(lane, [waiter]);
    this.count += 1;
  }

  /**
   * Removes the oldest waiter of the next lane, which then becomes the last lane.
   *
   * @param isFull whether a lane is full; a full lane is next only if all lanes are full
   */
  shift(isFull: (lane: string) => boolean = () => false): T | undefined {
    let next: string | undefined;
    for (const lane of this.lanes.keys()) {
      next ??= lane;
      if (isFull(lane)) continue;
      next = lane;
      break;
    }
    const waiting = next === undefined ? undefined : this.lanes.get(next);
    const waiter = waiting?.shift();
    if (next === undefined || !waiting) return undefined;
    this.lanes.delete(next);
    if (waiting.length > 0) this.lanes.set(next, waiting);
    this.count -= 1;
    return waiter;
  }

  remove(lane: string, waiter: T): void {
    const waiting = this.lanes.get(lane);
    const at = waiting?.indexOf(waiter) ?? -1;
    if (!waiting || at < 0) return;
    waiting.splice(at, 1);
    this.count -= 1;
    if (waiting.length === 0) this.lanes.delete(lane);
  }
}
