import { connectClickHouse, type ClickHouseConnection } from '../clickhouse/connection.js';
import { inTurn } from '../clickhouse/in-turn.js';
import { translateClickHouseError } from '../clickhouse/translate-error.js';
import type { CompletedRequest } from '../http/access-log.js';
import { recordOf } from '../http/request-record.js';
import { describeError, type Logger } from '../observability/logger.js';
import { RequestLog } from '../observability/request-log.js';
import type { Clock } from '../query/ports.js';

const FLUSH_MS = 5000;
const INSERT_TIMEOUT_MS = 10_000;
const TABLE = 'gateway_requests';

/** Where requests are written down. */
export interface OpenRequestLog {
  readonly note: (over: CompletedRequest) => void;
  readonly requestLog: RequestLog;
  readonly close: () => Promise<void>;
}

/**
 * Opens the log of requests in ClickHouse; undefined where there is no server to write it to.
 *
 * @param connections of a user that may insert into `gateway_requests`, one a server; a batch goes to one of them.
 */
export function openRequestLog(
  connections: readonly ClickHouseConnection[],
  { logger, clock }: { readonly logger: Logger; readonly clock: Clock },
): OpenRequestLog | undefined {
  if (connections.length === 0) return undefined;
  const clients = connections.map((connection) =>
    connectClickHouse(connection, { maxOpenConnections: 1, requestTimeoutMs: INSERT_TIMEOUT_MS }),
  );
  const onServer = inTurn(clients);
  const requestLog = new RequestLog({
    insert: async (values) => {
      await onServer((client) =>
        client.insert({
          table: TABLE,
          values,
          format: 'JSONEachRow',
          // ClickHouse gathers the batches of several gateways into parts of a reasonable size.
          clickhouse_settings: {
            async_insert: 1,
            wait_for_async_insert: 0,
            // On a cluster nothing of them waits in a server's folder for a shard to come back.
            distributed_foreground_insert: 1,
            date_time_input_format: 'best_effort',
          },
        }),
      );
    },
    onSkipped: (requests) => {
      logger.info('not every request without a key was written to ClickHouse', { skipped: requests });
    },
    onChange: (state, error) => {
      if (state === 'writing') logger.info('requests are written to ClickHouse again');
      else if (state === 'full') logger.warn('more requests come than ClickHouse takes down; some are lost');
      else {
        const { diagnosis } = translateClickHouseError(error).details;
        const fields = { diagnosis, ...describeError(error) };
        logger.warn('requests can’t be written to ClickHouse, and are lost', fields);
      }
    },
  });
  const timer = setInterval(() => void requestLog.flush(), FLUSH_MS);
  timer.unref();
  return {
    requestLog,
    note: (over) => {
      requestLog.note(recordOf(over, clock()));
    },
    close: async () => {
      clearInterval(timer);
      await requestLog.flush();
      await Promise.all(clients.map((client) => client.close()));
    },
  };
}
