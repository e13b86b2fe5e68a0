import { LRUCache } from 'lru-cache';

import type { NamedQuota, SharedQuotas, SharedWindow, TakenUnit } from '../limits/shared-limits.js';
import type { PrimaryLink } from './primary-link.js';
import type { UnitsUnused } from './protocol.js';

/** What others use meanwhile is not known here: after this long a request asks for it. */
const FRESH_MS = 250;
/** As many as the primary remembers. */
const MAX_WINDOWS = 50_000;

/** What this worker was granted of a quota, and what it was told of the window. */
interface Held {
  readonly windowId: number;
  readonly quota: number;
  /** Units that it may use. */
  left: number;
  /** With fewer left it is time to ask for more. */
  readonly refillAt: number;
  /** Used in the window, as far as is known, when none is left here. */
  readonly count: number;
  /** On the clock of the worker, and never later than the primary's window ends. */
  readonly endsAt: number;
  readonly heardAt: number;
}

/**
 * The units of quotas that a worker holds and counts down without asking, and how it asks the primary for more: for
 * those that wait, all in one question, and before the last is used.
 */
export class HeldUnits implements SharedQuotas {
  private readonly held = new LRUCache<string, Held>({ max: MAX_WINDOWS });
  private readonly waiting = new Map<string, number>();
  private readonly asking = new Map<string, Promise<Held | null | undefined>>();

  /** @param now milliseconds, never going back. */
  constructor(
    private readonly link: PrimaryLink,
    private readonly now: () => number,
  ) {
    link.answer({ 'limits.recall': ({ name, windowId }) => this.surrender(name, windowId) });
  }

  readonly holds = (limits: readonly NamedQuota[]): boolean =>
    limits.every((limit) => this.usable(limit) !== undefined);

  readonly takeHeld = (limits: readonly NamedQuota[]): readonly SharedWindow[] | undefined => {
    const windows: SharedWindow[] = [];
    if (!this.holds(limits)) return undefined;
    for (const limit of limits) {
      const held = this.usable(limit);
      if (held) windows.push(this.use(limit, held));
    }
    return windows;
  };

  readonly take = async (limit: NamedQuota): Promise<TakenUnit | undefined> => {
    const { name, quota } = limit;
    this.waiting.set(name, this.waitingFor(name) + 1);
    try {
      for (;;) {
        const usable = this.usable(limit);
        if (usable) return { ...this.use(limit, usable), giveBack: this.giveBackOf(name, usable) };
        const told = await this.ask(limit, this.waitingFor(name));
        if (told === undefined) return undefined;
        if (this.usable(limit) || told?.quota !== quota) continue;
        const msLeft = told.endsAt - this.now();
        if (told.count >= quota && msLeft > 0) return { count: told.count, msLeft };
      }
    } finally {
      const others = this.waitingFor(name) - 1;
      if (others > 0) this.waiting.set(name, others);
      else this.waiting.delete(name);
    }
  };

  /** Gives back all that was not used. Never fails. */
  async giveBackAll(): Promise<void> {
    const unused: UnitsUnused[] = [];
    for (const [name, held] of this.held) {
      if (this.runs(held) && held.left > 0) unused.push({ name, windowId: held.windowId, units: held.left });
      held.left = 0;
    }
    if (unused.length > 0) await this.link.ask('limits.giveBack', unused);
  }

  private waitingFor(name: string): number {
    return this.waiting.get(name) ?? 0;
  }

  private runs({ endsAt }: Held): boolean {
    return endsAt > this.now();
  }

  /** What may be used at once; nothing that was granted under other rules, or so long ago that it is no measure. */
  private usable({ name, quota }: NamedQuota): Held | undefined {
    const held = this.held.get(name);
    if (!held || held.left === 0 || held.quota !== quota || !this.runs(held)) return undefined;
    return held.heardAt + FRESH_MS > this.now() ? held : undefined;
  }

  private use(limit: NamedQuota, held: Held): SharedWindow {
    held.left -= 1;
    if (held.left < held.refillAt && !this.asking.has(limit.name)) void this.ask(limit, 0);
    return { count: held.count - held.left, msLeft: held.endsAt - this.now() };
  }

  private giveBackOf(name: string, { windowId }: Held): () => void {
    return () => {
      this.link.tell('limits.giveBack', [{ name, windowId, units: 1 }]);
    };
  }

  private async surrender(name: string, windowId: number): Promise<number> {
    // What came in the same message before is taken in first, and those that waited for it are served.
    await new Promise((resolve) => setImmediate(resolve));
    const held = this.held.get(name);
    if (held?.windowId !== windowId) return 0;
    const { left } = held;
    held.left = 0;
    return left;
  }

  /** One question at a time, for so many that wait; what is undefined was not answered. */
  private ask(limit: NamedQuota, wanted: number): Promise<Held | null | undefined> {
    const { name } = limit;
    const running = this.asking.get(name);
    if (running) return running;
    const asked = this.askPrimary(limit, wanted).finally(() => this.asking.delete(name));
    this.asking.set(name, asked);
    return asked;
  }

  private async askPrimary(
    { name, quota, window }: NamedQuota,
    wanted: number,
  ): Promise<Held | null | undefined> {
    const askedAt = this.now();
    const before = this.current(name, quota);
    const unused = before?.left ?? 0;
    const asked = { name, quota, window, wanted, unused, windowId: before?.windowId };
    const told = await this.link.ask('limits.grant', asked);
    if (!told) return told;
    const { windowId, granted, count, msLeft } = told;
    // Some were used, or given back, while it asked.
    const kept = this.current(name, quota);
    const left = granted + (kept?.windowId === windowId ? kept.left : 0);
    const refillAt = Math.floor(Math.max(0, unused + granted - wanted) / 2);
    const heardAt = this.now();
    const held = { windowId, quota, left, refillAt, count, endsAt: askedAt + msLeft, heardAt };
    this.held.set(name, held);
    return held;
  }

  /** What is held under these rules in a window that runs. */
  private current(name: string, quota: number): Held | undefined {
    const held = this.held.get(name);
    return held?.quota === quota && this.runs(held) ? held : undefined;
  }
}
