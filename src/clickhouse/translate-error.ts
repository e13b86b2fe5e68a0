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
  CANNOT_COMPILE_REGEXP: {
    code: 'BAD_REGULAR_EXPRESSION',
    message: 'A regular expression of the request does not compile.',
  },
  TIMEOUT_EXCEEDED: TIMEOUT,
  TOO_SLOW: TIMEOUT,
  MEMORY_LIMIT_EXCEEDED: TOO_EXPENSIVE,
  TOO_MANY_ROWS: TOO_EXPENSIVE,
  TOO_MANY_BYTES: TOO_EXPENSIVE,
  TOO_MANY_ROWS_OR_BYTES: TOO_EXPENSIVE,
  TOO_MANY_SIMULTANEOUS_QUERIES: BUSY,
};

/** What an operator can do about the errors that a wrong set-up gives. */
const HINTS: Readonly<Record<string, string>> = {
  UNKNOWN_TABLE: 'has the schema been applied (npm run migrate)?',
  UNKNOWN_DATABASE: 'has the schema been applied (npm run migrate), and is CLICKHOUSE_DATABASE right?',
  AUTHENTICATION_FAILED: 'are CLICKHOUSE_USER and CLICKHOUSE_PASSWORD right?',
  REQUIRED_PASSWORD: 'is CLICKHOUSE_PASSWORD set?',
  ACCESS_DENIED: 'may the ClickHouse user SELECT from the log tables?',
  READONLY: 'the ClickHouse user needs readonly = 2; with 1 no limit can be set for a query',
  SETTING_CONSTRAINT_VIOLATION:
    'is QUERY_TIMEOUT_SECONDS above what the profile of the ClickHouse user allows?',
};

/** The failure that a caller sees for an error of ClickHouse or of the way to it; the error itself is its cause. */
export function translateClickHouseError(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const { code, message, retryAfterSeconds } = translationOf(error);
  return new Failure(code, message, {
    cause: error,
    diagnosis: diagnosisOf(error),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

function translationOf(error: unknown): Translation {
  if (error instanceof ClickHouseError) return BY_TYPE[error.type ?? ''] ?? FAILED;
  return isConnectionError(error) ? UNREACHABLE : FAILED;
}

function diagnosisOf(error: unknown): string {
  if (error instanceof ClickHouseError) {
    const type = error.type ?? 'an unknown error';
    const hint = HINTS[type];
    return `ClickHouse: ${type} (code ${error.code})${hint === undefined ? '' : `; ${hint}`}`;
  }
  return error instanceof Error ? error.message : 'unknown';
}

/** Errors of Node's sockets, name resolution and TLS have a code; those of the client itself are known by name. */
function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return 'code' in error || /socket hang up|aborted|timeout error/i.test(error.message);
}
