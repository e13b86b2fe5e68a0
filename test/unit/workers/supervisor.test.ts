import { TestPrimary } from '../../support/test-workers.js';
import { pollUntil } from '../../support/poll-until.js';
import { RecordingLogger } from '../../support/recording-logger.js';
import { batched, type Channel } from '../../../src/workers/channel.js';
import { PrimaryLink } from '../../../src/workers/primary-link.js';
import { pauseAfter, Supervisor } from '../../../src/workers/supervisor.js';
import type { WorkerProcess } from '../../../src/workers/worker-process.js';

const STEADY_MS = 10_000;

/** A worker that does what the test says. */
class FakeWorker implements WorkerProcess {
  readonly channel: Channel;
  readonly link: PrimaryLink;
  isAlive = true;
  wasToldToStop = false;
  private readonly exits: ((how: string) => void)[] = [];

  constructor(readonly pid: number) {
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
    this.exit('SIGKILL');
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
class Stand {
  readonly workers: FakeWorker[] = [];
  readonly logger = new RecordingLogger();
  readonly pauses: number[] = [];
  now = 0;
  readonly supervisor: Supervisor;
  private readonly waiting: (() => void)[] = [];

  constructor(count: number) {
    this.supervisor = new Supervisor({
      count,
      fork: () => {
        const worker = new FakeWorker(this.workers.length + 1);
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

const untilTold = (worker: FakeWorker): Promise<true> =>
  pollUntil('the worker is told to stop', () => worker.wasToldToStop || undefined);

describe('a supervisor', () => {
  it('is ready when all of its workers listen, and not before', async () => {
    const stand = new Stand(2);
    let isReady = false;
    const started = stand.supervisor.start().then((where) => {
      isReady = true;
      return where;
    });
    stand.worker(1).listens();
    await stand.worker(1).link.ask('limits.read', 'nothing');
    expect(isReady).toBe(false);
    stand.worker(2).listens();
    expect(await started).toEqual({ url: 'http://127.0.0.1:1', hasClickHouse: true });
  });

  it.each([
    [
      'says so',
      (worker: FakeWorker) => {
        worker.link.tell('worker.failed', 'the port is taken');
      },
      'the port is taken',
    ],
    [
      'ends',
      (worker: FakeWorker) => {
        worker.exit('code 1');
      },
      'A worker ended with code 1 before it listened.',
    ],
  ])('ends all where one of the first can’t start and %s', async (_how, fail, reason) => {
    const stand = new Stand(2);
    const started = stand.supervisor.start();
    stand.worker(1).listens();
    fail(stand.worker(2));
    await expect(started).rejects.toThrow(reason);
    expect(stand.workers.map(({ isAlive }) => isAlive)).toEqual([false, false]);
  });

  it('replaces one that dies: at once after a long life, and after a growing pause where it dies again and again', async () => {
    const stand = new Stand(1);
    await stand.start();
    stand.now = STEADY_MS;
    stand.worker(1).exit('SIGKILL');
    for (let death = 1; death <= 3; death += 1) {
      await stand.untilPauses(death);
      stand.endPauses();
      await stand.untilStarted(death + 1);
      stand.worker(death + 1).listens();
      await stand.worker(death + 1).link.ask('limits.read', 'nothing');
      stand.now += 100;
      stand.worker(death + 1).exit('code 1');
    }
    await stand.untilPauses(4);
    expect(stand.pauses).toEqual([0, 250, 500, 1000]);
    expect([10, 100].map(pauseAfter)).toEqual([15_000, 15_000]);
    await stand.supervisor.stop();
  });

  it('replaces workers one after another, each told to end only when its successor listens', async () => {
    const stand = new Stand(2);
    await stand.start();
    const reloaded = stand.supervisor.reload();
    await stand.untilStarted(3);
    expect(stand.workers.map(({ wasToldToStop }) => wasToldToStop)).toEqual([false, false, false]);
    stand.worker(3).listens();
    await untilTold(stand.worker(1));
    expect(stand.workers).toHaveLength(3);
    stand.worker(1).exit('code 0');
    await stand.untilStarted(4);
    expect(stand.worker(2).wasToldToStop).toBe(false);
    stand.worker(4).listens();
    await untilTold(stand.worker(2));
    stand.worker(2).exit('code 0');
    await reloaded;
    expect(stand.workers.filter(({ isAlive }) => isAlive).map(({ pid }) => pid)).toEqual([3, 4]);
  });

  it('replaces once more who was forked before a second signal, and nobody else', async () => {
    const stand = new Stand(2);
    await stand.start();
    const reloaded = stand.supervisor.reload();
    await stand.untilStarted(3);
    const again = stand.supervisor.reload();
    for (const [successor, old] of [
      [3, 1],
      [4, 2],
      [5, 3],
    ] as const) {
      await stand.untilStarted(successor);
      stand.worker(successor).listens();
      await untilTold(stand.worker(old));
      stand.worker(old).exit('code 0');
    }
    await Promise.all([reloaded, again]);
    expect(stand.workers.filter(({ isAlive }) => isAlive).map(({ pid }) => pid)).toEqual([4, 5]);
  });

  it('tries again after a second signal where a new worker could not start before it', async () => {
    const stand = new Stand(1);
    await stand.start();
    const reloaded = stand.supervisor.reload();
    await stand.untilStarted(2);
    void stand.supervisor.reload();
    stand.worker(2).link.tell('worker.failed', 'the keys’ file is no good');
    await stand.untilStarted(3);
    stand.worker(3).listens();
    await untilTold(stand.worker(1));
    stand.worker(1).exit('code 0');
    await reloaded;
    expect(stand.workers.map(({ isAlive }) => isAlive)).toEqual([false, false, true]);
  });

  it('replaces who took the place of a dead one, where it was forked before the signal', async () => {
    const stand = new Stand(1);
    await stand.start();
    stand.now = STEADY_MS;
    stand.worker(1).exit('SIGKILL');
    await stand.untilPauses(1);
    stand.endPauses();
    await stand.untilStarted(2);
    await stand.supervisor.reload();
    stand.worker(2).listens();
    await stand.untilStarted(3);
    stand.worker(3).listens();
    await untilTold(stand.worker(2));
    stand.worker(2).exit('code 0');
    expect(stand.workers.map(({ isAlive }) => isAlive)).toEqual([false, false, true]);
  });

  it('keeps the old workers where a new one can’t start', async () => {
    const stand = new Stand(2);
    await stand.start();
    const reloaded = stand.supervisor.reload();
    await stand.untilStarted(3);
    stand.worker(3).link.tell('worker.failed', 'the keys’ file is no good');
    await reloaded;
    expect(stand.workers.map(({ isAlive, wasToldToStop }) => [isAlive, wasToldToStop])).toEqual([
      [true, false],
      [true, false],
      [false, false],
    ]);
  });

  it('kills a worker that does not end in time, and says that not all was in order', async () => {
    const stand = new Stand(2);
    await stand.start();
    const stopped = stand.supervisor.stop();
    const failed = expect(stopped).rejects.toThrow('1 workers did not end in order: SIGKILL');
    await untilTold(stand.worker(2));
    stand.worker(1).exit('code 0');
    await stand.worker(2).link.ask('limits.read', 'nothing');
    stand.endPauses();
    await failed;
    expect(stand.worker(2).isAlive).toBe(false);
  });
});
