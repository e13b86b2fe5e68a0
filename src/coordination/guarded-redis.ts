import { ReplyError } from 'ioredis';

import type { CircuitBreaker } from './circuit-breaker.js';
import type { RedisClient } from './redis-connection.js';

/** Milliseconds without a refusal after which Redis counts as taking commands again: on the brink of full it does both. */
const QUIET_MS = 3000;

/** Told when Redis begins to refuse commands (it is full, say), and when it takes them again; once a change. */
export type OnRefusing = (refusing: boolean, reason: string) => void;

/**
 * A Redis whose trouble never reaches a caller: a command that fails, is refused or comes too late gives undefined, and
 * while the breaker is open none is sent.
 */
export class GuardedRedis {
  private refusing = false;
  private refusedAt = 0;

  constructor(
    private readonly client: RedisClient,
    private readonly breaker: CircuitBreaker,
    private readonly onRefusing: OnRefusing,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Runs commands that only read. */
  async read<T>(command: (client: RedisClient) => Promise<T>): Promise<T | undefined> {
    return this.breaker.run(async () => this.unlessRefused(command));
  }

  /** Runs commands that need no room to speak of (locks, deletions): that Redis takes them does not show that it is well. */
  async touch<T>(command: (client: RedisClient) => Promise<T>): Promise<T | undefined> {
    return this.breaker.run(async () => this.unlessRefused(command));
  }

  /** Runs commands that write something of size. */
  async write<T>(command: (client: RedisClient) => Promise<T>): Promise<T | undefined> {
    const result = await this.breaker.run(async () => this.unlessRefused(command));
    if (result !== undefined && this.refusing && this.now() - this.refusedAt >= QUIET_MS) {
      this.refusing = false;
      this.onRefusing(false, '');
    }
    return result;
  }

  /** A refusal is an answer: the connection is well, and the breaker is not about this. */
  private async unlessRefused<T>(command: (client: RedisClient) => Promise<T>): Promise<T | undefined> {
    try {
      return await command(this.client);
    } catch (error) {
      if (!(error instanceof ReplyError)) throw error;
      this.refusedAt = this.now();
      if (!this.refusing) {
        this.refusing = true;
        this.onRefusing(true, (error as Error).message.slice(0, 200));
      }
      return undefined;
    }
  }
}
