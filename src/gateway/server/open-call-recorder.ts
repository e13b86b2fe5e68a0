import type { QueryClient } from '../clickhouse/connect-clickhouse.js';
import type { withFailover } from '../clickhouse/failover.js';
import { translateClickHouseError } from '../clickhouse/translate-error.js';
import { recordableCall } from '../http/call/recordable-call.js';
import type { ReadCall } from '../http/call/read-call.js';
import { CallRecorder } from '../observability/call-recorder.js';
import { describeError, type Logger } from '../observability/logger.js';
import { isOwnEndpoint } from '../observability/own-endpoints.js';
import type { LogEntry } from '../observability/request-log-columns.js';

const RECORD_MS = 60_000;
const TABLE = 'querygate_calls';

/** An open recorder of distinct calls. */
export interface OpenCallRecorder {
  /** Records a request if it is a call with a result. */
  readonly note: (entry: LogEntry, call: ReadCall | undefined) => void;
  readonly close: () => Promise<void>;
}

/** Opens the recorder of distinct calls, which writes to ClickHouse every minute. */
export function openCallRecorder(
  onServer: ReturnType<typeof withFailover<QueryClient>>,
  logger: Logger,
): OpenCallRecorder {
  const recorder = new CallRecorder({
    insert: async (rows) => {
      await onServer((client) => client.insert({ table: TABLE, values: [...rows], format: 'JSONEachRow' }));
    },
    onLost: (error) => {
      const { diagnosis } = translateClickHouseError(error).details;
      logger.warn('ClickHouse does not accept the recorded calls of a minute; they are lost', {
        ...{ diagnosis, ...describeError(error) },
        advice: `run querygate migrate, and grant the user of the request log INSERT ON ${TABLE}`,
      });
    },
  });
  const timer = setInterval(() => void recorder.flush(), RECORD_MS);
  timer.unref();
  return {
    note: (entry, call) => {
      const { cache, endpoint = '' } = entry;
      if (call && cache !== undefined && entry.status < 400 && !isOwnEndpoint(endpoint))
        recorder.note(entry, recordableCall(call));
    },
    close: () => {
      clearInterval(timer);
      return recorder.flush();
    },
  };
}
