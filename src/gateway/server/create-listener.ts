import type { RequestListener } from 'node:http';

import type { Config } from '../config/config.js';
import type { Seal } from '../../endpoint/parameters/secret-value.js';
import type { Endpoints } from '../../endpoint/registry.js';
import type { ErrorCode } from '../errors.js';
import { AccessLog } from '../http/transport/access-log.js';
import { EveryResponse } from '../http/transport/every-response.js';
import { createApp } from '../http/app.js';
import type { ReadyDependencies } from '../http/transport/health.js';
import type { Credentials } from '../http/call/credentials.js';
import type { DevelopmentSource } from '../http/describe/development-routes.js';
import { createFastPath } from '../http/call/fast-path.js';
import { KnownTargets } from '../http/call/known-targets.js';
import type { RunningCalls } from '../http/call/running-calls.js';
import type { ListenerWithMessages } from '../http/transport/messages.js';
import type { Logger } from '../observability/logger.js';
import type { Tracing } from '../observability/tracing.js';
import { CONSOLE_FOLDER, readVersion } from '../../package-files.js';
import type { Clock } from '../query/ports.js';
import type { CheckSql } from '../query/sandboxed-select.js';
import type { Cursors } from '../auth/cursors.js';
import type { Links } from '../auth/links.js';
import type { DiskMonitor } from '../scheduler/disk-monitor.js';
import type { ClockMonitor } from './clock-monitor.js';
import { mcpOptions } from './mcp-options.js';
import type { QueryExecution } from './open-query-execution.js';
import type { OpenRequestLog } from './open-request-log.js';
import type { Ping } from './open-scheduler.js';

/** Failures that a full disk of ClickHouse can cause. */
const DISK_FAILURES: ReadonlySet<string> = new Set<ErrorCode>([
  'CLICKHOUSE_FAILED',
  'CLICKHOUSE_ANSWER_BROKEN',
]);

/** Short, so that a readiness probe gets a response in time when ClickHouse hangs. */
const PING_TIMEOUT_MS = 1000;

export interface ListenerDependencies {
  readonly config: Config;
  readonly endpoints: Endpoints;
  readonly credentials: Credentials;
  readonly seal: Seal;
  readonly cursors: Cursors;
  readonly links: Links | undefined;
  readonly execution: QueryExecution;
  readonly requestLog: OpenRequestLog | undefined;
  readonly tracing: Tracing | undefined;
  readonly checkSql: CheckSql;
  readonly runningCalls: RunningCalls;
  /** Whether any ClickHouse server responds; never rejects. */
  readonly ping: Ping;
  readonly whyNotReady: ReadyDependencies['whyNotReady'];
  readonly disks: DiskMonitor;
  readonly clocks: Pick<ClockMonitor, 'aheadSeconds'>;
  readonly isDraining: () => boolean;
  readonly development?: DevelopmentSource | undefined;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** The listener of the public API. */
export interface PublicListener extends ListenerWithMessages {
  /** Reports the requests that are finished but not reported yet, to log, metrics and request log. */
  readonly reportRequests: () => void;
}

/** Creates the listener of the public API: the fast path for cache hits, the application for all other requests. */
export function createListener(dependencies: ListenerDependencies): PublicListener {
  const { config, execution, isDraining, clock, tracing } = dependencies;
  const { corsOrigins } = config;
  const { endpoints, credentials, cursors } = dependencies;
  const log = createLog(dependencies);
  execution.metrics.reportRequests = log.reportAll;
  const targets = new KnownTargets((endpoint) => endpoints.has(endpoint));
  const shared = {
    endpoints,
    targets,
    clock,
    credentials,
    cursors,
    publicUrl: config.publicUrl,
    limiter: execution.limiter,
    maxRangedBytes: execution.cache.maxEntryBytes,
    everyResponse: new EveryResponse({ log, tracing, corsOrigins }),
  };
  const app = createApp({
    ...shared,
    corsOrigins,
    executeCall: execution.executeCall,
    executeExport: execution.executeExport,
    deferredCalls: execution.deferredCalls,
    seal: dependencies.seal,
    checkSql: dependencies.checkSql,
    runningCalls: dependencies.runningCalls,
    links: dependencies.links,
    isClickHouseUp: () => dependencies.ping(AbortSignal.timeout(PING_TIMEOUT_MS)),
    whyNotReady: dependencies.whyNotReady,
    hasFullDisk: () => dependencies.disks.hasFullDisk(),
    aheadSeconds: () => dependencies.clocks.aheadSeconds,
    isDraining,
    consoleFolder: CONSOLE_FOLDER,
    development: dependencies.development,
    version: readVersion(),
    mcp: mcpOptions(config, dependencies.logger),
    times: config.times,
  });
  const fastPath = createFastPath({
    ...shared,
    find: (hash, now) => execution.cache.local.find(hash, now),
    onOutcome: execution.onOutcome,
  });
  const listener: RequestListener = (request, response) => {
    if (isDraining() || !fastPath(request, response)) app(request, response);
  };
  return Object.assign(listener, { messages: app.messages, reportRequests: log.reportAll });
}

function createLog({
  logger,
  execution: { metrics },
  requestLog,
  disks,
  development,
  clock,
}: ListenerDependencies): AccessLog {
  return new AccessLog(
    logger,
    (...completed) => {
      metrics.requestCompleted(...completed);
    },
    {
      onLimit: ({ subject, counted }) => {
        metrics.count('limit_rejections_total', { kind: subject.kind, counted });
      },
      onExported: metrics.exported,
      onFailure: (failure) => {
        metrics.failures.note({ time: clock().toISOString(), ...failure });
        if (DISK_FAILURES.has(failure.code)) void disks.hasFullDisk();
      },
      showsCauses: development !== undefined,
      ...(requestLog && { onCompleted: requestLog.note }),
    },
  );
}
