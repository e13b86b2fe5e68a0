import { ReplyError } from 'ioredis';

import type { CircuitBreaker } from './circuit-breaker.js';
import type { RedisClient } from './redis-connection.js';

/** Milliseconds without a refusal after which Redis counts as taking commands again: on the brink of full it does both. */
const QUIET_MS = 3000;

/** Told when Redis begins to refuse commands (it is full, say), and when it takes them again; once a change. */
export type OnRejectingWrites = (refusing: boolean, reason: string) => void;

/**
 * A Redis whose trouble never reaches a caller: a command that fails, is refused or comes too late gives undefined, and
 * while the breaker is open none is sent.
 */
export class GuardedRedis {
  private rejectsWrites = false;
  private rejectedAt = 0;

  constructor(
    private readonly client: RedisClient,
    private readonly breaker: CircuitBreaker,
    private readonly onRejectingWrites: OnRejectingWrites,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Runs commands that only read. */
  async read<T>(command: (client: RedisClient) => Promise<T>): Promise<T | undefined> {
    return this.breaker.run(async () => this.unlessRejected(command));
  }

  /** Runs commands that need no room to speak of (locks, deletions): that Redis takes them does not show that it is well. */
  async touch<T>(command: (client: RedisClient) => Promise<T>): Promise<T | undefined> {
    return this.breaker.run(async () => this.unlessRejected(command));
  }

  /** Runs commands that write something of size. */
  async write<T>(command: (client: RedisClient) => Promise<T>): Promise<T | undefined> {
    const result = await this.breaker.run(async () => this.unlessRejected(command));
    if (result !== undefined && this.rejectsWrites && this.now() - this.rejectedAt >= QUIET_MS) {
      this.rejectsWrites = false;
      this.onRejectingWrites(false, '');
    }
    return result;
  }

  /** A refusal is an answer: the connection is well, and the breaker is not about this. */
  private async unlessRejected<T>(command: (client: RedisClient) => Promise<T>): Promise<T | undefined> {
    try {
      return await command(this.client);
    } catch (error) {
      if (!(error instanceof ReplyError)) throw error;
      this.rejectedAt = this.now();
      if (!this.rejectsWrites) {
        this.rejectsWrites = true;
        this.onRejectingWrites(true, (error as Error).message.slice(0, 200));
      }
      return undefined;
    }
  }
}
