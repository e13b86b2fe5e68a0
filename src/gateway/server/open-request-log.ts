import { Readable } from 'node:stream';

import { connectClickHouse } from '../clickhouse/connect-clickhouse.js';
import type { Config } from '../config/config.js';
import type { ClickHouseConnection } from '../clickhouse/connection.js';
import { withFailover } from '../clickhouse/failover.js';
import { translateClickHouseError } from '../clickhouse/translate-error.js';
import type { CompletedRequest } from '../http/transport/access-log.js';
import { openCallRecorder } from './open-call-recorder.js';
import { describeError, type Logger } from '../observability/logger.js';
import { RequestLog, type RequestLogOptions } from '../observability/request-log.js';
import { REQUEST_LOG_COLUMNS, type LogEntry } from '../observability/request-log-columns.js';
import type { OnBackgroundQuery, BackgroundQuery } from '../query/ports.js';
import { Failure, type ErrorCode } from '../errors.js';
import type { RequestContext } from '../http/transport/request-context.js';
import type { SharedParts } from './shared-parts.js';

const FLUSH_MS = 5000;
const INSERT_TIMEOUT_MS = 10_000;
const TABLE = 'gateway_requests';

/** An open request log. */
export interface OpenRequestLog {
  readonly note: (completed: CompletedRequest) => void;
  readonly noteBackground: OnBackgroundQuery;
  readonly requestLog: RequestLog;
  readonly close: () => Promise<void>;
}

/**
 * Opens the request log, the table `gateway_requests` in ClickHouse; undefined without connections.
 *
 * @param connections one for each server, of the user that inserts into the table; a batch goes to one of them.
 */
export function openRequestLog(
  connections: readonly ClickHouseConnection[],
  { recordsCalls }: Pick<Config, 'recordsCalls'>,
  { logger, clock }: Pick<SharedParts, 'logger' | 'clock'>,
): OpenRequestLog | undefined {
  if (connections.length === 0) return undefined;
  const clients = connections.map((connection) =>
    connectClickHouse(connection, { maxOpenConnections: 1, requestTimeoutMs: INSERT_TIMEOUT_MS }),
  );
  const onServer = withFailover(clients);
  const requestLog = new RequestLog({
    insert: async (lines) => {
      await onServer((client) =>
        client.insert({
          table: TABLE,
          columns: REQUEST_LOG_COLUMNS.map(({ name }) => name) as [string, ...string[]],
          values: Readable.from([lines], { objectMode: false }),
          format: 'TabSeparated',
          // ClickHouse merges the batches of several gateways into parts of a reasonable size.
          clickhouse_settings: {
            async_insert: 1,
            wait_for_async_insert: 0,
            // On a cluster, no rows are queued on a server's disk while a shard is unreachable.
            distributed_foreground_insert: 1,
            date_time_input_format: 'best_effort',
          },
        }),
      );
    },
    onSkipped: (requests) => {
      logger.info('the request log contains only a sample of the requests without a key', {
        skipped: requests,
      });
    },
    onChange: reporting(logger),
  });
  const recorder = recordsCalls ? openCallRecorder(onServer, logger) : undefined;
  const timer = setInterval(() => void requestLog.flush(), FLUSH_MS);
  timer.unref();
  return {
    requestLog,
    note: (completed) => {
      const entry = entryOf(completed, clock());
      requestLog.note(entry);
      recorder?.note(entry, completed.context.called?.call);
    },
    noteBackground: (query) => {
      requestLog.note(backgroundEntryOf(query, clock()));
    },
    close: async () => {
      clearInterval(timer);
      await Promise.all([requestLog.flush(), recorder?.close()]);
      await Promise.all(clients.map((client) => client.close()));
    },
  };
}

const reporting =
  (logger: Logger): RequestLogOptions['onChange'] =>
  (state, error) => {
    if (state === 'writing') logger.info('the request log is complete again');
    else if (state === 'full')
      logger.warn('ClickHouse is too slow for the request log; some requests are missing in it');
    else {
      const { diagnosis } = translateClickHouseError(error).details;
      logger.warn('ClickHouse does not accept the request log; requests are missing in it', {
        ...{ diagnosis, ...describeError(error) },
        advice: `run querygate migrate of this version, and grant the user of the request log INSERT ON ${TABLE}`,
      });
    }
  };

/** The entry of a finished request in the request log. It contains neither the parameters nor the caller's key. */
export function entryOf({ context, status, totalMs, bytesSent }: CompletedRequest, now: Date): LogEntry {
  const { requestId, endpoint, tool, tables, principal, called, outcome } = context;
  const { key: { hash } = {}, call } = called ?? {};
  return {
    at: now.getTime(),
    purpose: 'call',
    requestId,
    ...{ endpoint, tool, tables },
    key: principal?.name,
    digest: hash && call?.query.endpoint.digest,
    hash,
    status,
    code: codeOf(context),
    totalMs,
    bytesSent,
    ...outcome,
  };
}

/** The entry of a background query in the request log. It is not a request: no caller waited for it alone. */
export function backgroundEntryOf(
  { purpose, endpoint, queryId = '', cost, callers = 1, caller = '' }: BackgroundQuery,
  now: Date,
): LogEntry {
  return {
    at: now.getTime(),
    ...{ purpose, endpoint, requestId: '', key: caller, status: 0, code: '', totalMs: 0, bytesSent: 0 },
    ...{ caused: { queryId, cost, waitingMs: 0 }, charged: { cost, callers } },
  };
}

/** Code of the failure; for a partial result with status 200, code of its cause. */
function codeOf({ failure, outcome }: RequestContext): string {
  if (failure === undefined) return outcome?.partial ? ('SHARD_UNREACHABLE' satisfies ErrorCode) : '';
  return failure instanceof Failure ? failure.code : 'INTERNAL';
}
