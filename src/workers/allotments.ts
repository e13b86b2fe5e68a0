import { LRUCache } from 'lru-cache';

import type { UnitsAsked, UnitsGranted, UnitsUnused } from './protocol.js';

/** A worker gets this part of what is left, beyond what requests wait for, so that it need not ask for each. */
const SPARE_PART = 1 / 64;
/** At most so many: at ten thousand requests a second it then asks some hundred times. */
const MAX_SPARE = 256;
/** Fewer are not worth it: near the end of a quota each request is asked for. */
const MIN_SPARE = 2;
/** Windows that are remembered; a caller can be the subject of a token, and of those there is no end. */
const MAX_WINDOWS = 50_000;

/** A window of a quota that runs. */
interface Window<Member> {
  readonly id: number;
  /** On the clock of the allotments. */
  readonly endsAt: number;
  /** Units that were granted and not given back; never more than the quota. */
  granted: number;
  /** Of those, what each worker may still hold: as many or fewer. */
  readonly held: Map<Member, Holding>;
  recalling: Promise<void> | undefined;
}

interface Holding {
  readonly units: number;
}

/** Asks a worker to give back what it holds; how many units these are. @throws Error where it does not answer. */
export type Recall<Member> = (
  member: Member,
  held: { readonly name: string; readonly windowId: number },
) => Promise<number>;

/**
 * Quotas of which workers are granted units before they use them. All units of a window together are no more than the
 * quota, whoever holds them; what a worker holds that has gone or hangs is lost until the window ends.
 */
export class Allotments<Member> {
  private readonly windows = new LRUCache<string, Window<Member>>({ max: MAX_WINDOWS });
  private lastId = 0;

  /** @param now milliseconds, never going back. */
  constructor(
    private readonly now: () => number,
    private readonly recall: Recall<Member>,
  ) {}

  /**
   * Grants what requests wait for, and some to spare. Where that is more than is left, it waits for what others hold and
   * did not use: nobody is refused for their sake.
   */
  async grant(member: Member, asked: UnitsAsked): Promise<UnitsGranted | null> {
    for (;;) {
      const window = this.running(asked.name) ?? (asked.wanted > 0 ? this.begin(asked) : undefined);
      if (!window) return null;
      // What was left of another window is worth nothing in this one.
      const unused = asked.windowId === window.id ? asked.unused : 0;
      const isShort = asked.wanted - unused > asked.quota - window.granted;
      if (!isShort || heldByOthers(window, member) === 0)
        return this.grantOf(window, member, { ...asked, unused });
      await this.recallAll(asked.name, window);
    }
  }

  takeBack(unused: readonly UnitsUnused[]): true {
    for (const { name, windowId, units } of unused) {
      const window = this.running(name);
      if (window?.id === windowId) window.granted -= units;
    }
    return true;
  }

  /** A worker has gone. How many of its units it used nobody knows. */
  leave(member: Member): void {
    for (const window of this.windows.values()) window.held.delete(member);
  }

  private running(name: string): Window<Member> | undefined {
    const window = this.windows.get(name);
    return window && window.endsAt > this.now() ? window : undefined;
  }

  private begin({ name, window: seconds }: UnitsAsked): Window<Member> {
    this.lastId += 1;
    const endsAt = this.now() + seconds * 1000;
    const window = { id: this.lastId, endsAt, granted: 0, held: new Map(), recalling: undefined };
    this.windows.set(name, window);
    return window;
  }

  private grantOf(
    window: Window<Member>,
    member: Member,
    { quota, wanted, unused }: UnitsAsked,
  ): UnitsGranted {
    const left = Math.max(0, quota - window.granted);
    const granted = Math.min(left, Math.max(0, wanted + spareOf(left) - unused));
    window.granted += granted;
    const units = unused + granted - wanted;
    if (units > 0) window.held.set(member, { units });
    else window.held.delete(member);
    const count = Math.max(0, window.granted - heldByOthers(window, member));
    return { windowId: window.id, granted, count, msLeft: window.endsAt - this.now() };
  }

  private recallAll(name: string, window: Window<Member>): Promise<void> {
    const recallOne = async ([member, holding]: [Member, Holding]): Promise<void> => {
      try {
        const units = await this.recall(member, { name, windowId: window.id });
        window.granted -= units;
      } catch {
        // It has gone or hangs: what it holds may be used, now or later, and is not granted again.
      }
      if (window.held.get(member) === holding) window.held.delete(member);
    };
    window.recalling ??= Promise.all([...window.held].map(recallOne)).then(() => {
      window.recalling = undefined;
    });
    return window.recalling;
  }
}

function spareOf(left: number): number {
  const spare = Math.min(MAX_SPARE, Math.floor(left * SPARE_PART));
  return spare >= MIN_SPARE ? spare : 0;
}

function heldByOthers<Member>({ held }: Window<Member>, member: Member): number {
  let units = 0;
  for (const [holder, holding] of held) if (holder !== member) units += holding.units;
  return units;
}
