import { batched, type Channel } from '../../src/workers/channel.js';
import { PrimaryLink } from '../../src/workers/primary-link.js';
import { Supervisor } from '../../src/workers/supervisor.js';
import type { WorkerProcess } from '../../src/workers/worker-process.js';
import { pollUntil } from './poll-until.js';
import { RecordingLogger } from './recording-logger.js';
import { TestPrimary } from './test-workers.js';

/** A worker that does what the test says. */
export class FakeWorker implements WorkerProcess {
  readonly channel: Channel;
  readonly link: PrimaryLink;
  isAlive = true;
  /** A signal does not end it. */
  isStuck = false;
  wasToldToStop = false;
  private readonly exits: ((how: string) => void)[] = [];

  constructor(
    readonly pid: number,
    readonly place: number,
  ) {
    const [toPrimary, toWorker]: [((message: unknown) => void)[], ((message: unknown) => void)[]] = [[], []];
    const end = (to: typeof toPrimary, from: typeof toPrimary): Channel =>
      batched({
        send: (message) => {
          for (const listener of to) listener(message);
        },
        onMessage: (listener) => from.push(listener),
      });
    this.channel = end(toWorker, toPrimary);
    const onFault = (error: unknown): never => {
      throw error as Error;
    };
    const options = { clock: () => new Date(), onChange: () => undefined, onFault };
    this.link = new PrimaryLink(end(toPrimary, toWorker), options);
    this.link.answer({
      'worker.stop': () => {
        this.wasToldToStop = true;
      },
    });
  }

  readonly onExit = (listener: (how: string) => void): void => void this.exits.push(listener);

  readonly kill = (): void => {
    if (!this.isStuck) this.exit('SIGKILL');
  };

  listens(): void {
    this.link.tell('worker.ready', { url: 'http://127.0.0.1:1', hasClickHouse: true });
  }

  exit(how: string): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    for (const listener of this.exits) listener(how);
  }
}

/** A supervisor of such workers, and the time by which it goes. */
export class SupervisorStand {
  readonly workers: FakeWorker[] = [];
  readonly logger = new RecordingLogger();
  readonly pauses: number[] = [];
  now = 0;
  /** Workers that the system starts before it refuses to. */
  forksLeft = Infinity;
  readonly supervisor: Supervisor;
  private readonly waiting: (() => void)[] = [];

  constructor(count: number) {
    this.supervisor = new Supervisor({
      count,
      fork: (place) => {
        if (this.forksLeft <= 0) throw new Error('spawn E2BIG');
        this.forksLeft -= 1;
        const worker = new FakeWorker(this.workers.length + 1, place);
        this.workers.push(worker);
        return worker;
      },
      hub: new TestPrimary().hub,
      shutdownTimeoutMs: 1000,
      log: this.logger,
      now: () => this.now,
      pause: (ms, signal) =>
        new Promise((resolve) => {
          this.pauses.push(ms);
          this.waiting.push(resolve);
          signal.addEventListener('abort', () => {
            resolve();
          });
        }),
    });
  }

  worker(pid: number): FakeWorker {
    const worker = this.workers[pid - 1];
    if (!worker) throw new Error(`worker ${pid} was never started`);
    return worker;
  }

  /** Lets every pause be over. */
  endPauses(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  untilStarted(pid: number): Promise<true> {
    return pollUntil(`worker ${pid} is started`, () => this.workers.length >= pid || undefined);
  }

  untilPauses(count: number): Promise<true> {
    return pollUntil(`${count} pauses`, () => this.pauses.length >= count || undefined);
  }

  async start(): Promise<void> {
    const started = this.supervisor.start();
    for (const worker of this.workers) worker.listens();
    await started;
  }
}

/** The primary has said that it is to end. */
export const untilTold = (worker: FakeWorker): Promise<true> =>
  pollUntil('the worker is told to stop', () => worker.wasToldToStop || undefined);
