import type { Hub, Member } from './hub.js';
import type { Where } from './protocol.js';
import { IN_ORDER, type WorkerProcess } from './worker-process.js';

/** A worker that lived for so long was well, and is replaced at once. */
const STEADY_MS = 10_000;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 15_000;
/** What a worker may take to close its connections after its requests are over. */
const STOP_SLACK_MS = 5000;

/** Waits for so many milliseconds, or until it is aborted. */
export type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

export interface SupervisorParts {
  readonly count: number;
  /** Starts a worker for a place, counted from 0. */
  readonly fork: (place: number) => WorkerProcess;
  readonly hub: Pick<Hub, 'join'>;
  /** Milliseconds that a worker may take to finish its requests. */
  readonly shutdownTimeoutMs: number;
  readonly log: {
    readonly info: (message: string, fields?: Readonly<Record<string, unknown>>) => void;
    readonly warn: (message: string, fields?: Readonly<Record<string, unknown>>) => void;
    readonly error: (message: string, fields?: Readonly<Record<string, unknown>>) => void;
  };
  /** Milliseconds, never going back. */
  readonly now: () => number;
  readonly pause: Pause;
}

/** A worker from its start to its end. */
interface Running {
  readonly process: WorkerProcess;
  readonly member: Member;
  readonly startedAt: number;
  /** How many reloads had been asked for when it was forked: it read what there was then. */
  readonly reloads: number;
  /** Resolves when it listens. @throws Error where it can't. */
  readonly ready: Promise<Where>;
  /** How it ended. */
  readonly ended: Promise<string>;
  isReady: boolean;
}

/** One of so many places: who has it, and how often in a row that one died soon. */
interface Place {
  /** From 0. */
  readonly number: number;
  current: Running;
  /** While it is somebody else's affair who comes next. */
  isChanging: boolean;
  deaths: number;
}

/** Keeps so many workers running, replaces them one after another, and ends them all. */
export class Supervisor {
  private readonly places: Place[] = [];
  private readonly running = new Set<Running>();
  private readonly stopping = new AbortController();
  private reloading: Promise<void> | undefined;
  /** So many were asked for. */
  private reloads = 0;
  /** Whether there are, or may be, workers that were forked before the last one was asked for. */
  private isOutdated = false;

  constructor(private readonly parts: SupervisorParts) {}

  /**
   * Starts all workers, and resolves when all listen.
   *
   * @throws Error where one of them can't start; then none runs.
   */
  async start(): Promise<Where> {
    const first = Array.from({ length: this.parts.count }, (_, number) => this.launch(number));
    try {
      const [where] = await Promise.all(first.map(({ ready }) => ready));
      if (!where) throw new Error('no worker was to be started');
      for (const [number, current] of first.entries())
        this.watch({ number, current, isChanging: false, deaths: 0 });
      return where;
    } catch (error) {
      this.stopping.abort();
      this.kill();
      await Promise.all(first.map(({ ended }) => ended));
      throw error;
    }
  }

  /**
   * Replaces the workers one after another: each is told to end when its successor listens. Resolves when that is
   * done, for what was asked meanwhile too, or when a new one can't start. One that is just taking the place of a dead
   * worker, and was forked before this was asked for, is replaced after it.
   */
  reload(): Promise<void> {
    this.reloads += 1;
    return this.replaceOutdated();
  }

  /**
   * Ends all workers once their requests are over.
   *
   * @throws Error where one did not end in order.
   */
  async stop(): Promise<void> {
    this.stopping.abort();
    const ends = await Promise.all([...this.running].map((worker) => this.end(worker)));
    const faults = ends.filter((how) => how !== IN_ORDER);
    if (faults.length > 0)
      throw new Error(`${faults.length} workers did not end in order: ${faults.join(', ')}`);
  }

  /** Ends all workers now. */
  kill(): void {
    for (const { process } of this.running) process.kill();
  }

  private isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  private launch(place: number): Running {
    const { fork, hub, now } = this.parts;
    const process = fork(place);
    const ended = new Promise<string>((resolve) => {
      process.onExit(resolve);
    });
    let listens: (where: Where) => void = () => undefined;
    let fails: (error: Error) => void = () => undefined;
    const ready = new Promise<Where>((resolve, reject) => {
      listens = resolve;
      fails = reject;
    });
    const member = hub.join(process.channel, {
      'worker.ready': listens,
      'worker.failed': (reason) => {
        fails(new Error(reason));
      },
    });
    // Whoever waits for it gets the error; where nobody does any more, there is nobody to tell.
    ready.catch(() => undefined);
    const { reloads } = this;
    const running: Running = { process, member, startedAt: now(), reloads, ready, ended, isReady: false };
    void ready.then(() => (running.isReady = true)).catch(() => undefined);
    this.running.add(running);
    void ended.then((how) => {
      fails(new Error(`A worker ended with ${how} before it listened.`));
      this.running.delete(running);
      running.member.leave();
    });
    return running;
  }

  /** Puts another in the place of one that dies. */
  private watch(place: Place): void {
    if (!this.places.includes(place)) this.places.push(place);
    const { current } = place;
    void current.ended.then((how) => {
      if (this.isStopping() || place.isChanging || place.current !== current) return;
      this.parts.log.warn('a worker has ended and is replaced', { pid: current.process.pid, how });
      void this.replaceDead(place);
    });
  }

  private async replaceDead(place: Place): Promise<void> {
    const { now, pause, log } = this.parts;
    place.isChanging = true;
    while (!this.isStopping()) {
      place.deaths = now() - place.current.startedAt >= STEADY_MS ? 0 : place.deaths + 1;
      await pause(pauseAfter(place.deaths), this.stopping.signal);
      if (this.isStopping()) return;
      place.current = this.launch(place.number);
      try {
        await place.current.ready;
        place.isChanging = false;
        this.watch(place);
        if (this.isBehind(place)) void this.replaceOutdated();
        return;
      } catch (error) {
        log.error('a worker can’t start', { reason: (error as Error).message });
        await this.end(place.current);
      }
    }
  }

  /** Whether who has the place read what it reads at its start before the last reload was asked for. */
  private isBehind({ current }: Place): boolean {
    return current.reloads < this.reloads;
  }

  private replaceOutdated(): Promise<void> {
    this.isOutdated = true;
    this.reloading ??= this.replaceInTurns();
    return this.reloading;
  }

  /** Once more for each time that it was asked for meanwhile: those replaced before that are outdated again. */
  private async replaceInTurns(): Promise<void> {
    const { log } = this.parts;
    const workers = this.places.length;
    log.info('restarting the workers, one after another', { workers });
    let isDone = true;
    try {
      while (this.isOutdated) {
        this.isOutdated = false;
        isDone = await this.replaceOnce();
      }
    } finally {
      // In the same turn as the last look at what was asked for: the next one is another restart.
      this.reloading = undefined;
    }
    if (isDone && !this.isStopping()) log.info('all workers have been restarted', { workers });
  }

  /** Whether each outdated worker has a successor, or will have. */
  private async replaceOnce(): Promise<boolean> {
    for (const place of this.places) {
      // One that is dead is about to be replaced; by one that is outdated too, this is asked for again.
      if (this.isStopping() || place.isChanging || !this.isBehind(place)) continue;
      if (!(await this.succeed(place))) return false;
    }
    return true;
  }

  /** Whether the place has a new worker; where that one can't start, the old one goes on. */
  private async succeed(place: Place): Promise<boolean> {
    const old = place.current;
    place.isChanging = true;
    const next = this.launch(place.number);
    try {
      await next.ready;
    } catch (error) {
      this.parts.log.error('a new worker can’t start; the others go on as they are', {
        reason: (error as Error).message,
      });
      await this.end(next);
      place.isChanging = false;
      if (!this.running.has(old) && !this.isStopping()) void this.replaceDead(place);
      return false;
    }
    place.current = next;
    place.deaths = 0;
    place.isChanging = false;
    this.watch(place);
    if (!this.isStopping()) await this.end(old);
    return true;
  }

  /** Ends a worker once its requests are over, or else by force; how it ended. */
  private async end(worker: Running): Promise<string> {
    const { shutdownTimeoutMs, pause, log } = this.parts;
    // It has no requests yet, and does not listen to the primary either.
    if (!worker.isReady) {
      worker.process.kill();
      await worker.ended;
      return IN_ORDER;
    }
    const over = new AbortController();
    worker.member.peer.tell('worker.stop', null);
    void pause(shutdownTimeoutMs + STOP_SLACK_MS, over.signal).then(() => {
      if (over.signal.aborted) return;
      log.warn('a worker did not end in time and is killed', { pid: worker.process.pid });
      worker.process.kill();
    });
    const how = await worker.ended;
    over.abort();
    return how;
  }
}

/** Milliseconds to wait before a worker is replaced that died soon after its start, for the so-many-th time in a row. */
export function pauseAfter(deaths: number): number {
  return deaths === 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (deaths - 1), MAX_PAUSE_MS);
}
