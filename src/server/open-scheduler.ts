import type { Config } from '../config/config.js';
import { ConcurrentQueries } from '../limits/concurrent-queries.js';
import { FixedWindows } from '../limits/fixed-windows.js';
import { Limiter } from '../limits/limiter.js';
import type { SharedLimits } from '../limits/shared-limits.js';
import type { Logger } from '../observability/logger.js';
import type { RunQuery } from '../query/ports.js';
import type { AnalyzeSql, SqlParser } from '../query/sandboxed-select.js';
import { QueryQueue } from '../scheduler/query-queue.js';
import { scheduleAnalyses, scheduleQueries, type AnalyzingServer } from '../scheduler/schedule-queries.js';
import { ServerBreaker, type OpenReason, type ServerBreakerState } from '../scheduler/server-breaker.js';
import { ServerPool } from '../scheduler/server-pool.js';
import { steadyClock as clock } from './steady-clock.js';

/** Asks ClickHouse whether it is there; a rejection is a no. */
export type Ping = (signal: AbortSignal) => Promise<boolean>;

/** A ClickHouse server that queries can be sent to. */
export interface QueryServer {
  /** Host and port. */
  readonly name: string;
  readonly runQuery: RunQuery;
  readonly parser: SqlParser;
  readonly ping: Ping;
}

/** What stands between a question and ClickHouse. */
export interface Admission {
  readonly queue: QueryQueue;
  readonly pool: ServerPool<AnalyzingServer>;
  /** Runs a query on one of the servers, within limits, in the queue, and watched. */
  readonly runQuery: RunQuery;
  /** Analyses a caller's SQL in the same way. */
  readonly analyzeSql: AnalyzeSql;
}

/** Makes the queue, and the pool with a breaker on each server. */
export function openScheduler(config: Config, servers: readonly QueryServer[], logger: Logger): Admission {
  const queue = new QueryQueue(config.queue);
  const watched = servers.map(({ name, runQuery, parser, ping }) => {
    const onChange = (state: ServerBreakerState, reason?: OpenReason): void => {
      logChange(logger, pool, { name, state, reason });
    };
    return { name, runQuery, parser, breaker: new ServerBreaker({ ping, clock, onChange }) };
  });
  const pool = new ServerPool(watched, clock);
  return { queue, pool, runQuery: scheduleQueries(pool, queue), analyzeSql: scheduleAnalyses(pool, queue) };
}

interface Change {
  readonly name: string;
  readonly state: ServerBreakerState;
  readonly reason: OpenReason | undefined;
}

function logChange(logger: Logger, pool: ServerPool, { name: server, state, reason }: Change): void {
  const { servers } = pool.figures;
  if (servers.length > 1) {
    if (state === 'open')
      logger.warn('a ClickHouse server does not answer, and is set aside', { server, reason });
    else logger.info('a ClickHouse server answers again', { server });
  }
  // Of the only one that serves the state has just changed: with it all were, or are, away.
  if (servers.some(({ name, isEjected }) => name !== server && !isEjected)) return;
  if (state === 'open') logger.warn('ClickHouse does not answer; queries are refused', { server, reason });
  else logger.info('ClickHouse answers again', { server });
}

/** @param shared where gateways count together; absent where each counts for itself. */
export function openLimiter(shared: SharedLimits | undefined): Limiter {
  const now = (): number => performance.now();
  return new Limiter({
    windows: new FixedWindows(now),
    concurrent: new ConcurrentQueries(shared),
    shared,
    now,
  });
}
