import { admitQueries } from './admission/admit-queries.js';
import { ClickHouseWatch } from './admission/clickhouse-watch.js';
import { QueryQueue } from './admission/query-queue.js';
import type { Config } from './config/config.js';
import type { Clock, RunQuery } from './execution/ports.js';
import { FixedWindows } from './limits/fixed-windows.js';
import { Limiter } from './limits/limiter.js';
import { QueryPlaces } from './limits/query-places.js';
import type { SharedLimits } from './limits/shared-limits.js';
import type { Logger } from './log/logger.js';

/** Asks ClickHouse whether it is there; a rejection is a no. */
export type Ping = (signal: AbortSignal) => Promise<boolean>;

/** What stands between a question and ClickHouse. */
export interface Admission {
  readonly queue: QueryQueue;
  readonly watch: ClickHouseWatch;
  /** The same, within limits, in the queue, and watched. */
  readonly admit: (runQuery: RunQuery) => RunQuery;
}

/** Makes the queue, and the watch on ClickHouse. */
export function openAdmission(
  config: Config,
  ping: Ping,
  { logger, clock }: { readonly logger: Logger; readonly clock: Clock },
): Admission {
  const queue = new QueryQueue(config.admission);
  const watch = new ClickHouseWatch({
    ping,
    clock,
    onChange: (state, reason) => {
      if (state === 'open') logger.warn('ClickHouse does not answer; queries are refused', { reason });
      else logger.info('ClickHouse answers again');
    },
  });
  return { queue, watch, admit: (runQuery) => admitQueries(runQuery, { watch, queue }) };
}

/** @param shared where gateways count together; absent where each counts for itself. */
export function openLimiter(shared: SharedLimits | undefined): Limiter {
  const now = (): number => performance.now();
  return new Limiter({ windows: new FixedWindows(now), places: new QueryPlaces(shared), shared, now });
}
