import type { Links } from '../auth/links.js';
import type { Endpoints } from '../../endpoint/registry.js';
import type { Limiter } from '../limits/limiter.js';
import type { QueryParts } from '../query/execute-call.js';
import type { ExportParts } from '../query/execute-export.js';
import type { CheckSql } from '../query/sandboxed-select.js';
import type { DeferredCalls } from '../scheduler/deferred-calls.js';
import type { Credentials } from './call/credentials.js';
import type { JsonBodies } from './call/json-body.js';
import type { KnownTargets } from './call/known-targets.js';
import type { ReadingParts } from './call/read-call.js';
import type { RunningCalls } from './call/running-calls.js';
import type { ReadyParts } from './transport/health.js';

/** The parts of a gateway that its API uses. `server/compose.ts` opens them; a function takes all, or those that it needs. */
export interface ApiParts extends QueryParts, ExportParts, ReadingParts, ReadyParts {
  readonly endpoints: Endpoints;
  readonly credentials: Credentials;
  readonly limiter: Limiter;
  readonly deferredCalls: Pick<DeferredCalls, 'execute'>;
  /** Checks callers' own SQL. */
  readonly checkSql: CheckSql;
  readonly runningCalls: RunningCalls;
  readonly targets: KnownTargets;
  /** Reads the bodies of calls. */
  readonly bodies: JsonBodies;
  /** Signs and opens links; undefined without `LINK_SECRET`. */
  readonly links?: Links | undefined;
  /** Maximum bytes of a result that every gateway finds in the cache, so that requests can get parts of it. */
  readonly maxRangedBytes: number;
  /** Origins whose pages may read responses and send MCP messages; empty: no CORS headers. */
  readonly corsOrigins: readonly string[];
  /** `PUBLIC_URL`: the URL of the gateway for callers, without a slash at its end. */
  readonly publicUrl?: string | undefined;
  /** Port of the SQL listener (`SQL_PORT`); undefined where it is disabled. */
  readonly sqlPort?: number | undefined;
  /** Version of the gateway. */
  readonly version: string;
}
