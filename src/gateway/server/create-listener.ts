import type { RequestListener } from 'node:http';

import type { Config } from '../config/config.js';
import type { ErrorCode } from '../errors.js';
import { AccessLog } from '../http/transport/access-log.js';
import { EveryResponse } from '../http/transport/every-response.js';
import { createApp, type AppParts } from '../http/app.js';
import { createFastPath, type FastPath, type HitParts } from '../http/call/fast-path.js';
import { JsonBodies } from '../http/call/json-body.js';
import { KnownTargets } from '../http/call/known-targets.js';
import type { ServeRaw } from '../http/transport/raw-hits.js';
import type { ListenerWithMessages } from '../http/transport/messages.js';
import type { Logger } from '../observability/logger.js';
import type { Metrics } from '../observability/metrics.js';
import type { Tracing } from '../observability/tracing.js';
import { CONSOLE_FOLDER, readVersion } from '../../package-files.js';
import { mcpOptions } from './mcp-options.js';
import type { OpenRequestLog } from './open-request-log.js';

/** Failures that a full disk of ClickHouse can cause. */
const DISK_FAILURES: ReadonlySet<string> = new Set<ErrorCode>([
  'CLICKHOUSE_FAILED',
  'CLICKHOUSE_ANSWER_BROKEN',
]);

/** The parts of a gateway that its public API needs. */
export interface PublicParts
  extends
    Omit<AppParts & HitParts, 'targets' | 'bodies' | 'everyResponse' | 'version' | OfConfig>,
    Partial<Pick<AppParts, 'bodies' | 'version'>> {
  readonly config: Pick<Config, 'mcp' | 'tokens' | 'trustProxy' | 'rawHits' | OfConfig>;
  readonly metrics: Metrics;
  readonly requestLog?: Pick<OpenRequestLog, 'note'> | undefined;
  readonly tracing?: Tracing | undefined;
  readonly logger: Logger;
}
type OfConfig = 'corsOrigins' | 'times' | 'publicUrl' | 'sql';

/** The listener of the public API. */
export interface PublicListener extends ListenerWithMessages {
  /** The application, which responds to requests that the fast path leaves to it. */
  readonly app: RequestListener;
  readonly fastPath: FastPath;
  /** Responds to hits without Node's HTTP server; undefined where that server responds to hits too. */
  readonly serveRaw: ServeRaw | undefined;
  /** Reports the requests that are finished but not reported yet, to log, metrics and request log. */
  readonly reportRequests: () => void;
}

/** Creates the listener of the public API: the fast path for cache hits, the application for all other requests. */
export function createListener(parts: PublicParts): PublicListener {
  const { config, endpoints, metrics, isDraining, tracing, logger } = parts;
  const { corsOrigins, times, publicUrl, sql } = config;
  const log = createLog(parts);
  metrics.reportRequests = log.reportAll;
  const all = {
    bodies: new JsonBodies(),
    targets: new KnownTargets((endpoint) => endpoints.has(endpoint)),
    everyResponse: new EveryResponse({ log, tracing, corsOrigins }),
    ...{ corsOrigins, times, publicUrl, sqlPort: sql?.port },
    consoleFolder: CONSOLE_FOLDER,
    version: readVersion(),
    mcp: mcpOptions(config, logger),
    ...parts,
  };
  const app = createApp(all);
  const fastPath = createFastPath(all);
  const listener: RequestListener = (request, response) => {
    if (isDraining() || !fastPath(request, response)) app(request, response);
  };
  const serveRaw: ServeRaw = (request, response) => !isDraining() && fastPath(request, response);
  return Object.assign(listener, {
    serveRaw: config.rawHits ? serveRaw : undefined,
    app,
    fastPath,
    messages: app.messages,
    reportRequests: log.reportAll,
  });
}

/** The parts to which finished requests are reported. */
export type LoggedParts = Pick<
  PublicParts,
  'logger' | 'metrics' | 'requestLog' | 'hasFullDisk' | 'development' | 'clock'
>;

/** Creates the log of finished requests, which reports them to log, metrics and request log. */
export function createLog({
  logger,
  metrics,
  clock,
  requestLog,
  hasFullDisk,
  development,
}: LoggedParts): AccessLog {
  return new AccessLog({
    ...{ logger, metrics, clock },
    showsCauses: development !== undefined,
    onFailure: ({ code }) => {
      if (DISK_FAILURES.has(code)) void hasFullDisk?.();
    },
    onCompleted: requestLog?.note,
  });
}
