import type { RequestListener } from 'node:http';

import type { Config } from '../config/config.js';
import type { EndpointRegistry } from '../endpoint/registry.js';
import type { ErrorCode } from '../errors.js';
import { AccessLog } from '../http/access-log.js';
import { createApp } from '../http/app.js';
import type { Credentials } from '../http/credentials.js';
import { createFastPath } from '../http/fast-path.js';
import { KnownTargets } from '../http/known-targets.js';
import type { Logger } from '../observability/logger.js';
import type { Tracing } from '../observability/tracing.js';
import { CONSOLE_FOLDER } from '../project-files.js';
import { createHitFinder } from '../query/execute-call.js';
import type { Clock } from '../query/ports.js';
import type { CheckSql } from '../query/sandboxed-select.js';
import { readVersion } from '../read-version.js';
import type { DiskMonitor } from '../scheduler/disk-monitor.js';
import type { QueryExecution } from './open-query-execution.js';
import type { OpenRequestLog } from './open-request-log.js';
import type { Ping } from './open-scheduler.js';

/** What a full disk of ClickHouse can look like. */
const DISK_FAILURES: ReadonlySet<string> = new Set<ErrorCode>([
  'CLICKHOUSE_FAILED',
  'CLICKHOUSE_ANSWER_BROKEN',
]);

/** A probe has to be told soon that ClickHouse hangs. */
const PING_TIMEOUT_MS = 1000;

export interface ListenerParts {
  readonly config: Config;
  readonly endpoints: EndpointRegistry;
  readonly credentials: Credentials;
  readonly execution: QueryExecution;
  readonly requestLog: OpenRequestLog | undefined;
  readonly tracing: Tracing | undefined;
  readonly checkSql: CheckSql;
  /** Whether any ClickHouse server answers; never rejects. */
  readonly ping: Ping;
  readonly disks: DiskMonitor;
  readonly isDraining: () => boolean;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** What answers callers: the short way for hits, and the application for all else. */
export function createListener(parts: ListenerParts): RequestListener {
  const { config, execution, isDraining, clock } = parts;
  const { endpoints, credentials } = parts;
  const targets = new KnownTargets();
  const shared = {
    endpoints,
    targets,
    clock,
    credentials,
    limiter: execution.limiter,
    log: createLog(parts),
  };
  const app = createApp({
    ...shared,
    executeCall: execution.executeCall,
    checkSql: parts.checkSql,
    isClickHouseUp: () => parts.ping(AbortSignal.timeout(PING_TIMEOUT_MS)),
    hasFullDisk: () => parts.disks.hasFullDisk(),
    isDraining,
    corsOrigins: config.corsOrigins,
    consoleFolder: CONSOLE_FOLDER,
    tracing: parts.tracing,
    version: readVersion(),
    times: config.times,
  });
  const findHit = createHitFinder({
    peek: (hash) => execution.cache.local.peek(hash),
    clock,
    onOutcome: execution.onOutcome,
  });
  const fastPath = createFastPath({ ...shared, findHit });
  // With CORS an answer's headers depend on who asks from where, which is the application's business; so are traces.
  const leavesAll = config.corsOrigins.length > 0 || parts.tracing !== undefined;
  return (request, response) => {
    if (isDraining() || leavesAll || !fastPath(request, response)) app(request, response);
  };
}

function createLog({ logger, execution: { metrics }, requestLog, disks, clock }: ListenerParts): AccessLog {
  return new AccessLog(
    logger,
    (...answered) => {
      metrics.requestCompleted(...answered);
    },
    {
      onLimit: ({ subject, counted }) => {
        metrics.limitRejected(subject.kind, counted);
      },
      onFailure: (failure) => {
        metrics.failures.note({ time: clock().toISOString(), ...failure });
        if (DISK_FAILURES.has(failure.code)) void disks.hasFullDisk();
      },
      ...(requestLog && { onCompleted: requestLog.note }),
    },
  );
}
