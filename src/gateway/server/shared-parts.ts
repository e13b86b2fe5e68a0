import type { Config } from '../config/config.js';
import type { Endpoints } from '../../endpoint/registry.js';
import type { Logger } from '../observability/logger.js';
import type { Metrics } from '../observability/metrics.js';
import type { HitCounter } from '../query/hit-counts.js';
import type { Clock, OnBackgroundQuery } from '../query/ports.js';

/** The dependencies that most parts of a gateway share. */
export interface SharedParts {
  readonly config: Config;
  readonly endpoints: Endpoints;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** The dependencies that the parts share that execute queries. */
export interface ExecutionParts extends SharedParts {
  readonly metrics: Metrics;
  readonly hits: HitCounter;
  /** Called for each query that no caller waits for. */
  readonly onBackground: OnBackgroundQuery | undefined;
}
