import { ReplyError } from 'ioredis';

import type { CircuitBreaker } from './circuit-breaker.js';
import type { RedisClient } from './redis-connection.js';

/** Time without a rejection until Redis counts as recovered, in milliseconds. A nearly full Redis rejects only some commands. */
const QUIET_MS = 3000;

/** Called once when Redis starts to reject commands (for example because it is full), and once when it accepts them again. */
export type OnRejectingWrites = (isRejecting: boolean, reason: string) => void;

/**
 * A Redis client that never fails its callers: a command that fails, is rejected or exceeds its timeout returns undefined. While the
 * circuit breaker is open, the client sends no command.
 */
export class GuardedRedis {
  private rejectsWrites = false;
  private rejectedAt = 0;

  constructor(
    private readonly client: RedisClient,
    private readonly breaker: CircuitBreaker,
    private readonly onRejectingWrites: OnRejectingWrites,
  ) {}

  /** Whether Redis rejected the last commands. */
  get isRejecting(): boolean {
    return this.rejectsWrites;
  }

  /** Runs commands that need hardly any memory (locks, deletions). Their success does not prove that Redis has recovered. */
  run<T>(command: (client: RedisClient) => Promise<T>): Promise<T | undefined> {
    return this.breaker.run(() => command(this.client).catch(this.unlessRejected));
  }

  /** Runs commands that need memory in Redis. */
  async write<T>(command: (client: RedisClient) => Promise<T>): Promise<T | undefined> {
    const result = await this.run(command);
    if (result !== undefined && this.rejectsWrites && performance.now() - this.rejectedAt >= QUIET_MS) {
      this.rejectsWrites = false;
      this.onRejectingWrites(false, '');
    }
    return result;
  }

  /** Tries a key where Redis rejects commands, so that an idle gateway notices the recovery. Must be called about once a second. */
  async probe(key: string): Promise<void> {
    if (this.rejectsWrites) await this.write((client) => client.set(key, '', 'PX', QUIET_MS));
  }

  /** Handles a rejection. It is a reply, so the connection works, and the circuit breaker must not count it. */
  private readonly unlessRejected = (error: unknown): undefined => {
    if (!(error instanceof ReplyError)) throw error;
    this.rejectedAt = performance.now();
    if (this.rejectsWrites) return;
    this.rejectsWrites = true;
    this.onRejectingWrites(true, (error as Error).message.slice(0, 200));
  };
}
