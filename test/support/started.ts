import { spawn } from 'node:child_process';
import { once } from 'node:events';

import type { RedisStandIn } from './redis-stand-in.js';
import { startRedis } from './start-redis.mjs';
import { withTemporaryFolder } from './temporary-folder.js';
import { openTestExecution, type TestExecution } from './test-execution.js';

/** The servers and gateways that a test starts; they stop when the test ends. */
export class Started {
  private readonly closers: (() => unknown)[] = [];

  private constructor(private readonly folder: string) {}

  /** Runs a test's body. Tests run concurrently, because each mostly waits. */
  static async during(use: (started: Started) => Promise<void>): Promise<void> {
    await withTemporaryFolder(async (folder) => {
      const started = new Started(folder);
      try {
        await use(started);
      } finally {
        for (const close of started.closers.reverse()) await close();
      }
    });
  }

  add(close: () => unknown): void {
    this.closers.push(close);
  }

  async redis(options: readonly string[] = []): ReturnType<typeof startRedis> {
    const server = await startRedis(this.folder, options);
    this.add(server.stop);
    return server;
  }

  /** Starts a stopped server again, on the same port; returns a function that kills it. */
  redisAgain({
    child: { spawnfile, spawnargs },
  }: Awaited<ReturnType<typeof startRedis>>): () => Promise<void> {
    const again = spawn(spawnfile, spawnargs.slice(1), { stdio: 'ignore' });
    const exited = once(again, 'exit');
    const stop = async (): Promise<void> => {
      again.kill('SIGKILL');
      await exited;
    };
    this.add(stop);
    return stop;
  }

  async standIn(opening: Promise<RedisStandIn>): Promise<RedisStandIn> {
    const opened = await opening;
    this.add(opened.close);
    return opened;
  }

  async execution(url: string): Promise<TestExecution> {
    const execution = await openTestExecution({ environment: { REDIS_URL: url } });
    this.add(execution.close);
    return execution;
  }
}
