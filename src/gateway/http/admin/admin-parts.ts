import type { KeyUse } from '../../auth/key-use.js';
import type { Keys } from '../../auth/open-keys.js';
import type { Endpoint } from '../../../endpoint/endpoint.js';
import type { Seal } from '../../../endpoint/parameters/secret-value.js';
import type { Logger } from '../../observability/logger.js';
import type { Metrics } from '../../observability/metrics.js';
import type { QueryParts } from '../../query/execute-call.js';
import type { HitCounter } from '../../query/hit-counts.js';
import type { PurgeScope } from '../../query/result-store.js';
import type { Warmer } from '../../warming/warmer.js';
import type { ApiParts } from '../api-parts.js';
import type { CacheInfo } from './describe-cache.js';
import type { ReloadState } from './describe-reload.js';

/** The parts of a gateway that its admin API uses. */
export interface AdminParts
  extends QueryParts, Pick<ApiParts, 'endpoints' | 'limiter' | 'links' | 'publicUrl' | 'runningCalls'> {
  /** Replaces the values of secret parameters by an HMAC. */
  readonly seal: Seal;
  readonly keys: Pick<Keys, 'principals' | 'findByName'>;
  readonly keyUse: Pick<KeyUse, 'all'>;
  readonly cache: CacheInfo & {
    /** Resolves to false where other gateways have not been notified yet. */
    readonly purge: (scope: PurgeScope) => Promise<boolean>;
  };
  readonly hits: Pick<HitCounter, 'all'>;
  readonly metrics: Metrics;
  readonly warmer: Pick<Warmer, 'state' | 'tick'>;
  readonly reloader: {
    /** The last reload; before the first one, the load at the start. */
    readonly last: ReloadState;
    readonly lastSuccess: Date;
    /** Loads the endpoints again, and serves them if all are valid. */
    readonly reload: (options: {
      readonly force: boolean;
    }) => Promise<ReloadState & { readonly isNotAnalysed?: true }>;
  };
  /** Why ClickHouse rejects the query of an endpoint that is served; empty where ClickHouse accepts it. */
  readonly rejectionsOf?: (endpoint: Endpoint) => readonly object[];
  readonly logger: Logger;
  /** Folder of the built admin page; undefined where it is not built. */
  readonly consoleFolder?: string | undefined;
  /** `ADMIN_HOSTS`: host names by which administrators reach this port, in addition to its addresses and `localhost`. */
  readonly hosts?: readonly string[];
}
