import { pauseAfter } from '../../../src/workers/supervisor.js';
import { SupervisorStand as Stand, untilTold, type FakeWorker } from '../../support/supervisor-stand.js';

const STEADY_MS = 10_000;

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

  it('gives a successor the place of the one that it follows, after a death too', async () => {
    const stand = new Stand(2);
    await stand.start();
    stand.now = STEADY_MS;
    stand.worker(2).exit('SIGKILL');
    await stand.untilPauses(1);
    stand.endPauses();
    await stand.untilStarted(3);
    stand.worker(3).listens();
    await stand.worker(3).link.ask('limits.read', 'nothing');
    void stand.supervisor.reload();
    await stand.untilStarted(4);
    stand.worker(4).listens();
    await untilTold(stand.worker(1));
    stand.worker(1).exit('code 0');
    await stand.untilStarted(5);
    expect(stand.workers.map(({ place }) => place)).toEqual([0, 1, 1, 0, 1]);
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

  it('goes on without one that is still there after SIGKILL, and says so', async () => {
    const stand = new Stand(1);
    await stand.start();
    stand.worker(1).isStuck = true;
    const failed = expect(stand.supervisor.stop()).rejects.toThrow('in order: no end after SIGKILL');
    await stand.untilPauses(1);
    stand.endPauses();
    await stand.untilPauses(2);
    stand.endPauses();
    await failed;
  });
});

describe('a supervisor to which the system gives no process', () => {
  it('does not start, and leaves none behind', async () => {
    const stand = new Stand(2);
    stand.forksLeft = 1;
    await expect(stand.supervisor.start()).rejects.toThrow(
      'A worker’s process can’t be started: spawn E2BIG',
    );
    expect(stand.workers.map(({ isAlive }) => isAlive)).toEqual([false]);
  });

  it('tries again after a growing pause, however long the dead one had lived', async () => {
    const stand = new Stand(1);
    await stand.start();
    stand.forksLeft = 0;
    stand.now = STEADY_MS;
    stand.worker(1).exit('SIGKILL');
    for (let failure = 1; failure <= 3; failure += 1) {
      await stand.untilPauses(failure);
      stand.endPauses();
    }
    await stand.untilPauses(4);
    expect(stand.pauses).toEqual([0, 250, 500, 1000]);
    stand.forksLeft = Infinity;
    stand.endPauses();
    await stand.untilStarted(2);
    stand.worker(2).listens();
    await stand.worker(2).link.ask('limits.read', 'nothing');
    const stopped = stand.supervisor.stop();
    await untilTold(stand.worker(2));
    stand.worker(2).exit('code 0');
    await stopped;
  });

  it('keeps the old workers, and replaces them when it is told to once more', async () => {
    const stand = new Stand(1);
    await stand.start();
    stand.forksLeft = 0;
    await stand.supervisor.reload();
    expect(stand.worker(1)).toMatchObject({ isAlive: true, wasToldToStop: false });
    stand.forksLeft = Infinity;
    const reloaded = stand.supervisor.reload();
    await stand.untilStarted(2);
    stand.worker(2).listens();
    await untilTold(stand.worker(1));
    stand.worker(1).exit('code 0');
    await reloaded;
  });
});
