import { ClickHouseError } from '@clickhouse/client';

import { Failure, type ErrorCode } from '../errors.js';

interface Translation {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryAfterSeconds?: number;
}

const TOO_EXPENSIVE: Translation = {
  code: 'QUERY_TOO_EXPENSIVE',
  message:
    'The query needs more memory, or reads or returns more, than one request may. Narrow it with its parameters.',
};
const TIMEOUT: Translation = {
  code: 'QUERY_TIMEOUT',
  message:
    'The query was stopped at its time limit. Narrow it with its parameters, or try again when it is quieter.',
};
const BUSY: Translation = {
  code: 'CLICKHOUSE_BUSY',
  message: 'ClickHouse runs as many queries as it may. Try again shortly.',
  retryAfterSeconds: 1,
};
const FAILED: Translation = {
  code: 'CLICKHOUSE_FAILED',
  message:
    'ClickHouse could not run the query. The cause is in the log of the gateway, under this request id.',
};
const UNREACHABLE: Translation = {
  code: 'CLICKHOUSE_UNREACHABLE',
  message:
    'ClickHouse can’t be reached, or ended the connection before the answer was complete. Try again shortly.',
  retryAfterSeconds: 1,
};

/** ClickHouse's error types (the names in its `system.errors`) that are not simply its failure. */
const BY_TYPE: Readonly<Record<string, Translation>> = {
  TIMEOUT_EXCEEDED: TIMEOUT,
  TOO_SLOW: TIMEOUT,
  MEMORY_LIMIT_EXCEEDED: TOO_EXPENSIVE,
  TOO_MANY_ROWS: TOO_EXPENSIVE,
  TOO_MANY_BYTES: TOO_EXPENSIVE,
  TOO_MANY_ROWS_OR_BYTES: TOO_EXPENSIVE,
  TOO_MANY_SIMULTANEOUS_QUERIES: BUSY,
};

/** Whether ClickHouse refused a regular expression (RE2) that the caller sent. */
export function isRegularExpressionError(error: unknown): boolean {
  return error instanceof ClickHouseError && error.type === 'CANNOT_COMPILE_REGEXP';
}

/** The failure that a caller sees for an error of ClickHouse or of the way to it; the error itself is its cause. */
export function translateClickHouseError(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const { code, message, retryAfterSeconds } = translationOf(error);
  return new Failure(code, message, {
    cause: error,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

function translationOf(error: unknown): Translation {
  if (error instanceof ClickHouseError) return BY_TYPE[error.type ?? ''] ?? FAILED;
  return isConnectionError(error) ? UNREACHABLE : FAILED;
}

/** Errors of Node's sockets, name resolution and TLS have a code; those of the client's own have none. */
function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return 'code' in error || /socket hang up|aborted|timeout error/i.test(error.message);
}
