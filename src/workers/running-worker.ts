import type { Hub, Member } from './hub.js';
import type { Where } from './protocol.js';
import { IN_ORDER, type WorkerProcess } from './worker-process.js';

/** What a worker may take to close its connections after its requests are over. */
const STOP_SLACK_MS = 5000;
/** What the system may take to end one that was killed; one that it is still busy with is gone on without. */
const KILL_MS = 5000;

/** Waits for so many milliseconds, or until it is aborted. */
export type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

export interface RunningParts {
  readonly hub: Pick<Hub, 'join'>;
  /** Milliseconds that a worker may take to finish its requests. */
  readonly shutdownTimeoutMs: number;
  readonly log: { readonly warn: (message: string, fields?: Readonly<Record<string, unknown>>) => void };
  /** Milliseconds, never going back. */
  readonly now: () => number;
  readonly pause: Pause;
}

/** A worker from its start to its end. */
export class RunningWorker {
  readonly startedAt: number;
  /** Resolves when it listens. @throws Error where it can't. */
  readonly ready: Promise<Where>;
  /** How it ended. */
  readonly ended: Promise<string>;
  private readonly member: Member;
  private isReady = false;

  /** @param reloads how many had been asked for when it was forked: it read what there was then. */
  constructor(
    private readonly process: WorkerProcess,
    readonly reloads: number,
    private readonly parts: RunningParts,
  ) {
    this.startedAt = parts.now();
    let listens: (where: Where) => void = () => undefined;
    let fails: (error: Error) => void = () => undefined;
    this.ready = new Promise<Where>((resolve, reject) => {
      listens = resolve;
      fails = reject;
    });
    const member = parts.hub.join(process.channel, {
      'worker.ready': (where) => {
        this.isReady = true;
        listens(where);
      },
      'worker.failed': (reason) => {
        fails(new Error(reason));
      },
    });
    this.member = member;
    // Whoever waits for it gets the error; where nobody does any more, there is nobody to tell.
    this.ready.catch(() => undefined);
    this.ended = new Promise((resolve) => {
      process.onExit((how) => {
        fails(process.pid === undefined ? notStarted(how) : endedTooSoon(how));
        member.leave();
        resolve(how);
      });
    });
  }

  get pid(): number | undefined {
    return this.process.pid;
  }

  /** Ends it now. */
  kill(): void {
    this.process.kill();
  }

  /** Ends it once its requests are over, or else by force; how it ended. */
  async end(): Promise<string> {
    const { shutdownTimeoutMs, log } = this.parts;
    // It has no requests yet, and does not listen to the primary either.
    if (!this.isReady) {
      const how = await this.endByForce();
      return how === STUCK ? how : IN_ORDER;
    }
    this.member.peer.tell('worker.stop', null);
    const how = await this.endedWithin(shutdownTimeoutMs + STOP_SLACK_MS);
    if (how !== undefined) return how;
    log.warn('a worker did not end in time and is killed', { pid: this.pid });
    return this.endByForce();
  }

  /** Ends it now; how it ended. */
  async endByForce(): Promise<string> {
    this.kill();
    const how = await this.endedWithin(KILL_MS);
    if (how !== undefined) return how;
    this.parts.log.warn('a worker that was killed is still there, and is gone on without', { pid: this.pid });
    return STUCK;
  }

  /** How it ended; undefined where it did not within so many milliseconds. */
  private async endedWithin(ms: number): Promise<string | undefined> {
    const over = new AbortController();
    try {
      return await Promise.race([this.ended, this.parts.pause(ms, over.signal).then(() => undefined)]);
    } finally {
      over.abort();
    }
  }
}

const STUCK = 'no end after SIGKILL';

/** Why there is no process. */
export function notStarted(reason: string, cause?: unknown): Error {
  return new Error(`A worker’s process can’t be started: ${reason}`, { cause });
}

function endedTooSoon(how: string): Error {
  return new Error(`A worker ended with ${how} before it listened.`);
}
