import type { Where } from './protocol.js';
import { notStarted, RunningWorker, type RunningParts } from './running-worker.js';
import { IN_ORDER, type WorkerProcess } from './worker-process.js';

/** A worker that lived for so long was well, and is replaced at once. */
const STEADY_MS = 10_000;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 15_000;

export interface SupervisorParts extends RunningParts {
  readonly count: number;
  /** Starts a worker for a place, counted from 0. @throws Error where the system refuses to. */
  readonly fork: (place: number) => WorkerProcess;
  readonly log: RunningParts['log'] & {
    readonly info: (message: string, fields?: Readonly<Record<string, unknown>>) => void;
    readonly error: (message: string, fields?: Readonly<Record<string, unknown>>) => void;
  };
}

/** One of so many places: who has it, and how often in a row that one died soon, or could not start. */
interface Place {
  /** From 0. */
  readonly number: number;
  current: RunningWorker;
  /** While it is somebody else's affair who comes next. */
  isChanging: boolean;
  deaths: number;
}

/** Keeps so many workers running, replaces them one after another, and ends them all. */
export class Supervisor {
  private readonly places: Place[] = [];
  private readonly running = new Set<RunningWorker>();
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
    try {
      const first = Array.from({ length: this.parts.count }, (_, number) => this.launch(number));
      const [where] = await Promise.all(first.map(({ ready }) => ready));
      if (!where) throw new Error('no worker was to be started');
      for (const [number, current] of first.entries())
        this.watch({ number, current, isChanging: false, deaths: 0 });
      return where;
    } catch (error) {
      this.stopping.abort();
      await Promise.all([...this.running].map((worker) => worker.endByForce()));
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
    const ends = await Promise.all([...this.running].map((worker) => worker.end()));
    const faults = ends.filter((how) => how !== IN_ORDER);
    if (faults.length > 0)
      throw new Error(`${faults.length} workers did not end in order: ${faults.join(', ')}`);
  }

  /** Ends all workers now. */
  kill(): void {
    for (const worker of this.running) worker.kill();
  }

  private isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  /** @throws Error where the system starts no process. */
  private launch(place: number): RunningWorker {
    const worker = new RunningWorker(this.fork(place), this.reloads, this.parts);
    this.running.add(worker);
    void worker.ended.then(() => this.running.delete(worker));
    return worker;
  }

  private fork(place: number): WorkerProcess {
    try {
      return this.parts.fork(place);
    } catch (cause) {
      throw notStarted((cause as Error).message, cause);
    }
  }

  /** A worker that listens; undefined where it can’t, which is logged with these words. */
  private async begin(place: Place, words: string): Promise<RunningWorker | undefined> {
    let worker: RunningWorker | undefined;
    try {
      worker = this.launch(place.number);
      await worker.ready;
      return worker;
    } catch (error) {
      this.parts.log.error(words, { reason: (error as Error).message });
      await worker?.end();
      return undefined;
    }
  }

  /** Puts another in the place of one that dies. */
  private watch(place: Place): void {
    if (!this.places.includes(place)) this.places.push(place);
    const { current } = place;
    void current.ended.then((how) => {
      if (this.isStopping() || place.isChanging || place.current !== current) return;
      this.parts.log.warn('a worker has ended and is replaced', { pid: current.pid, how });
      void this.replaceDead(place);
    });
  }

  private async replaceDead(place: Place): Promise<void> {
    const { now, pause } = this.parts;
    place.isChanging = true;
    place.deaths = now() - place.current.startedAt >= STEADY_MS ? 0 : place.deaths + 1;
    while (!this.isStopping()) {
      await pause(pauseAfter(place.deaths), this.stopping.signal);
      if (this.isStopping()) return;
      const next = await this.begin(place, 'a worker can’t start');
      if (next) {
        place.current = next;
        place.isChanging = false;
        this.watch(place);
        if (this.isBehind(place)) void this.replaceOutdated();
        return;
      }
      place.deaths += 1;
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
    const next = await this.begin(place, 'a new worker can’t start; the others go on as they are');
    place.isChanging = false;
    if (!next) {
      if (!this.running.has(old) && !this.isStopping()) void this.replaceDead(place);
      return false;
    }
    place.current = next;
    place.deaths = 0;
    this.watch(place);
    if (!this.isStopping()) await old.end();
    return true;
  }
}

/** Milliseconds to wait before a worker is replaced that died soon after its start, for the so-many-th time in a row. */
export function pauseAfter(deaths: number): number {
  return deaths === 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (deaths - 1), MAX_PAUSE_MS);
}
