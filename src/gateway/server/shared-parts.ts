import type { Config } from '../config/config.js';
import type { Endpoints } from '../../endpoint/registry.js';
import type { Logger } from '../observability/logger.js';
import type { Metrics } from '../observability/metrics.js';
import type { HitCounter } from '../query/hit-counts.js';
import type { Clock, OnBackgroundQuery } from '../query/ports.js';

/** What the parts of a gateway are opened with. */
export interface SharedParts {
  readonly config: Config;
  readonly endpoints: Endpoints;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** What those of its parts that execute queries are opened with. */
export interface ExecutionParts extends SharedParts {
  readonly metrics: Metrics;
  readonly hits: HitCounter;
  /** Takes the queries for which no caller waits. */
  readonly onBackground: OnBackgroundQuery | undefined;
}
