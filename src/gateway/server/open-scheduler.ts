import type { Config } from '../config/config.js';
import { Limiter } from '../limits/limiter.js';
import type { SharedLimits } from '../limits/shared-limits.js';
import type { Logger } from '../observability/logger.js';
import type { RunScheduledExport } from '../query/execute-export.js';
import type { RunExport, RunQuery, RunScheduledStatement, RunStatement } from '../query/ports.js';
import type { AnalyzeSql, SqlParser } from '../query/sandboxed-select.js';
import { QueryQueue } from '../scheduler/query-queue.js';
import {
  scheduleAnalyses,
  scheduleExports,
  scheduleQueries,
  scheduleStatements,
} from '../scheduler/run-query.js';
import { ServerBreaker, type OpenReason, type ServerBreakerState } from '../scheduler/server-breaker.js';
import { ServerPool } from '../scheduler/server-pool.js';
import { steadyClock as clock } from './steady-clock.js';

/** Whether ClickHouse responds to a ping; a rejection counts as false. */
export type Ping = (signal: AbortSignal) => Promise<boolean>;

/** A ClickHouse server that can run queries. */
export interface QueryServer {
  /** Name of the server: host and port. */
  readonly name: string;
  readonly runQuery: RunQuery;
  readonly runExport: RunExport;
  readonly runStatement: RunStatement;
  readonly parser: SqlParser;
  readonly ping: Ping;
}

/** Schedules queries on ClickHouse. */
export interface Scheduler {
  readonly queue: QueryQueue;
  readonly exportQueue: QueryQueue;
  readonly statementQueue: QueryQueue;
  readonly pool: ServerPool;
  /** Runs a query on one of the servers, within its caller's limits and in a slot of the queue. */
  readonly runQuery: RunQuery;
  /** Runs an export under the same conditions, in a slot of its own queue. */
  readonly runExport: RunScheduledExport;
  /** Runs a statement over tables under the same conditions, in a slot of its own queue. */
  readonly runStatement: RunScheduledStatement;
  /** Analyses a caller's SQL under the same conditions. */
  readonly analyzeSql: AnalyzeSql;
}

/** Creates the queue, and the pool with a breaker for each server. */
export function openScheduler(config: Config, servers: readonly QueryServer[], logger: Logger): Scheduler {
  const queue = new QueryQueue(config.queue);
  const slots = config.queue.exportSlots;
  const maxInLane = Math.max(1, Math.floor(slots / 2));
  const exportQueue = new QueryQueue({ ...config.queue, slots, maxInLane });
  const statementQueue = new QueryQueue({ ...config.queue, slots: statementSlots(config) });
  const pooled = servers.map(({ name, ping, ...runs }) => {
    const onChange = (state: ServerBreakerState, reason?: OpenReason): void => {
      logChange(logger, pool, { name, state, reason });
    };
    return { name, breaker: new ServerBreaker({ ping, clock, onChange }), ...runs };
  });
  const pool = new ServerPool(pooled, clock);
  return {
    ...{ queue, exportQueue, statementQueue, pool },
    runQuery: scheduleQueries({ pool, queue }),
    runExport: scheduleExports({ pool, queue: exportQueue }, queue),
    runStatement: scheduleStatements({ pool, queue: statementQueue }),
    analyzeSql: scheduleAnalyses({ pool, queue }),
  };
}

/** Slots for statements, in addition to those for calls: a quarter as many, so that a dashboard does not slow calls down. */
export const statementSlots = ({ queue, sql }: Pick<Config, 'queue' | 'sql'>): number =>
  sql ? Math.max(2, Math.ceil(queue.slots / 4)) : 1;

interface Change {
  readonly name: string;
  readonly state: ServerBreakerState;
  readonly reason: OpenReason | undefined;
}

function logChange(logger: Logger, pool: ServerPool, { name: server, state, reason }: Change): void {
  const { servers } = pool.figures;
  if (servers.length > 1) {
    if (state === 'open')
      logger.warn('a ClickHouse server does not respond and is ejected', { server, reason });
    else logger.info('a ClickHouse server responds again', { server });
  }
  // This change starts or ends an outage only where all other servers are ejected.
  if (servers.some(({ name, isEjected }) => name !== server && !isEjected)) return;
  if (state === 'open') logger.warn('ClickHouse does not respond; queries are rejected', { server, reason });
  else logger.info('ClickHouse responds again', { server });
}

/** @param shared the counts that gateways share; undefined if each gateway counts on its own. */
export function openLimiter(shared: SharedLimits | undefined): Limiter {
  return new Limiter(() => performance.now(), shared);
}
