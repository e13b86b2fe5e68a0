import cluster from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import type { Answer } from '../../../src/execution/answer.js';
import { PrimaryMetrics } from '../../../src/metrics/primary-metrics.js';
import { Supervisor } from '../../../src/workers/supervisor.js';
import { forkWorker } from '../../../src/workers/worker-process.js';
import { pollUntil } from '../../support/poll-until.js';
import { answerKept } from '../../support/kept-in-primary.js';
import { RecordingLogger } from '../../support/recording-logger.js';
import { TestPrimary } from '../../support/test-workers.js';

const TELLING = fileURLToPath(new URL('../../support/telling-worker.mjs', import.meta.url));
const IDLE = fileURLToPath(new URL('../../support/idle-worker.mjs', import.meta.url));
const ANSWERS = 200;
const NOWHERE = '/no/such/folder';

/** As src/serve/ puts it together, with workers that do nothing. */
class Stand {
  readonly logger = new RecordingLogger();
  readonly supervisor: Supervisor;
  private readonly metrics = new PrimaryMetrics();

  constructor(count: number) {
    cluster.setupPrimary({ exec: IDLE, args: [], execArgv: [], cwd: process.cwd() });
    this.supervisor = new Supervisor({
      count,
      fork: (place) => {
        const worker = forkWorker(place, {});
        this.metrics.count(worker);
        return worker;
      },
      hub: new TestPrimary().hub,
      shutdownTimeoutMs: 1000,
      log: this.logger,
      now: () => performance.now(),
      pause: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
    });
  }

  /** From now on there is no folder for a worker to run in: to the system, a program that is not there. */
  breakForks(): void {
    cluster.setupPrimary({ cwd: NOWHERE });
  }

  mendForks(): void {
    cluster.setupPrimary({ cwd: process.cwd() });
  }

  async figure(name: string): Promise<number | undefined> {
    const figures = await this.metrics.registry.getMetricsAsJSON();
    return figures.find((figure) => figure.name === name)?.values[0]?.value;
  }
}

describe('what a worker that is a process of its own tells', () => {
  it('is kept without the memory of the message in which it came', async () => {
    cluster.setupPrimary({ exec: TELLING, args: [], execArgv: [] });
    const primary = new TestPrimary();
    const { channel, kill, onExit } = forkWorker(0, { ANSWERS: String(ANSWERS) });
    const ended = new Promise(onExit);
    primary.hub.join(channel, { 'worker.ready': () => undefined, 'worker.failed': () => undefined });
    try {
      const kept = (n: number): Promise<Answer | undefined> =>
        answerKept(primary.hub, { endpointId: 'a', hash: `question ${n}` });
      await pollUntil('the last answer is kept', () => kept(ANSWERS - 1));
      for (let n = 0; n < ANSWERS; n += 1) {
        const { identity, gzip, br } = (await kept(n))?.bodies ?? {};
        expect([identity, gzip, br].map((body) => body?.buffer.byteLength)).toEqual([2000, 2000, 2000]);
      }
    } finally {
      kill();
      await ended;
    }
    expect(primary.faults).toEqual([]);
  });
});

describe('workers whose processes the system can’t start', () => {
  it('make the start fail, and say why', async () => {
    const stand = new Stand(2);
    stand.breakForks();
    await expect(stand.supervisor.start()).rejects.toThrow(
      /^A worker’s process can’t be started: spawn .* ENOENT$/,
    );
    expect(await stand.figure('querygate_workers')).toBe(0);
  });

  it('are tried again until it can, and are not counted', async () => {
    const stand = new Stand(1);
    await stand.supervisor.start();
    stand.breakForks();
    const [worker] = Object.values(cluster.workers ?? {});
    worker?.process.kill('SIGKILL');
    const failures = (): number => stand.logger.lines.filter(({ level }) => level === 'error').length;
    await pollUntil('two could not be started', () => failures() >= 2 || undefined);
    expect(await stand.figure('querygate_workers')).toBe(0);
    stand.mendForks();
    await pollUntil(
      'one is started',
      async () => (await stand.figure('querygate_workers')) === 1 || undefined,
    );
    await stand.supervisor.stop();
    expect(await stand.figure('querygate_worker_starts_total')).toBe(2);
  });

  it('are not waited for at the end', async () => {
    const stand = new Stand(1);
    await stand.supervisor.start();
    stand.breakForks();
    await stand.supervisor.reload();
    await stand.supervisor.stop();
    expect(await stand.figure('querygate_workers')).toBe(0);
  });
});
