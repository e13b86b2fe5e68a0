import type { RequestListener } from 'node:http';

import type { DiskWatch } from '../scheduler/disk-watch.js';
import type { Config } from '../config/config.js';
import type { EndpointRegistry } from '../endpoint/registry.js';
import type { ErrorCode } from '../errors.js';
import { createHitFinder } from '../query/execute-call.js';
import type { Clock } from '../query/ports.js';
import type { JudgeSql } from '../query/sandboxed-select.js';
import { createHitAnswerer } from '../http/fast-path.js';
import { createApp } from '../http/app.js';
import type { Credentials } from '../http/credentials.js';
import { KnownTargets } from '../http/known-targets.js';
import { RequestLog } from '../http/access-log.js';
import type { Logger } from '../observability/logger.js';
import type { Tracing } from '../observability/tracing.js';
import type { Ping } from './open-scheduler.js';
import type { Execution } from './open-query-execution.js';
import type { OpenJournal } from './open-request-log.js';
import { CONSOLE_FOLDER } from '../project-files.js';
import { readVersion } from '../read-version.js';

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
  readonly execution: Execution;
  readonly journal: OpenJournal | undefined;
  readonly tracing: Tracing | undefined;
  readonly judgeSql: JudgeSql;
  /** Whether any ClickHouse server answers; never rejects. */
  readonly ping: Ping;
  readonly disks: DiskWatch;
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
    answerCall: execution.answerCall,
    judgeSql: parts.judgeSql,
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
    peek: (hash) => execution.cache.memory.peek(hash),
    clock,
    onAnswered: execution.onAnswered,
  });
  const answerHit = createHitAnswerer({ ...shared, findHit });
  // With CORS an answer's headers depend on who asks from where, which is the application's business; so are traces.
  const leavesAll = config.corsOrigins.length > 0 || parts.tracing !== undefined;
  return (request, response) => {
    if (isDraining() || leavesAll || !answerHit(request, response)) app(request, response);
  };
}

function createLog({ logger, execution: { metrics }, journal, disks, clock }: ListenerParts): RequestLog {
  return new RequestLog(
    logger,
    (...answered) => {
      metrics.answered(...answered);
    },
    {
      onLimit: ({ subject, counted }) => {
        metrics.limitRefused(subject.kind, counted);
      },
      onFailure: (failure) => {
        metrics.failures.note({ time: clock().toISOString(), ...failure });
        if (DISK_FAILURES.has(failure.code)) void disks.hasFullDisk();
      },
      ...(journal && { onOver: journal.note }),
    },
  );
}
