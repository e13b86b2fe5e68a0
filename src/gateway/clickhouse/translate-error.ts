import { ClickHouseError } from '@clickhouse/client';

import { Failure, type ErrorCode } from '../errors.js';

interface Translation {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryAfterSeconds?: number;
}

/** An error of ClickHouse with its name in `system.errors`. */
interface KnownError {
  readonly name: string;
  /** Failure to report. Absent: CLICKHOUSE_FAILED. */
  readonly translation?: Translation;
  /** A hint for the operator. */
  readonly hint?: string;
}

const BAD_REGULAR_EXPRESSION: Translation = {
  code: 'BAD_REGULAR_EXPRESSION',
  message: 'A regular expression in the request is invalid: RE2 cannot compile it.',
};
const READS_TOO_MUCH: Translation = {
  code: 'QUERY_READS_TOO_MUCH',
  message: 'The query would read more data than one request may read. Narrow it with its parameters.',
};
const TOO_MUCH_MEMORY: Translation = {
  code: 'QUERY_NEEDS_TOO_MUCH_MEMORY',
  message: 'The query needs more memory than one request may use. Narrow it with its parameters.',
};
const RESULT_TOO_LARGE: Translation = {
  code: 'RESULT_TOO_LARGE',
  message: 'The result is larger than one response may be. Narrow the query with its parameters.',
};
const TIMEOUT: Translation = {
  code: 'QUERY_TIMEOUT',
  message:
    'The query was stopped at its time limit. Narrow it with its parameters, or try again when ClickHouse is less busy.',
};
const BUSY: Translation = {
  code: 'CLICKHOUSE_BUSY',
  message: 'ClickHouse is running the maximum number of queries. Try again shortly.',
  retryAfterSeconds: 1,
};
const SHARD_UNREACHABLE: Translation = {
  code: 'SHARD_UNREACHABLE',
  message: 'A ClickHouse shard with rows of this result is unreachable. Try again shortly.',
  retryAfterSeconds: 1,
};
const FAILED: Translation = {
  code: 'CLICKHOUSE_FAILED',
  message: 'ClickHouse could not run the query. The gateway’s log has the cause under this request id.',
};
const UNREACHABLE: Translation = {
  code: 'CLICKHOUSE_UNREACHABLE',
  message:
    'ClickHouse is unreachable, or closed the connection before the response was complete. Try again shortly.',
  retryAfterSeconds: 1,
};

/**
 * Errors by ClickHouse's code, which is at the start of every exception's text. The name is at the end, where the client can mistake a part
 * of the query, or of a caller's regular expression, for it.
 */
const BY_NUMBER: Readonly<Partial<Record<string, KnownError>>> = {
  32: {
    name: 'ATTEMPT_TO_READ_AFTER_EOF',
    translation: SHARD_UNREACHABLE,
    hint: 'has a shard of the cluster ended in the middle of a query?',
  },
  60: { name: 'UNKNOWN_TABLE', hint: 'has the schema been applied (querygate migrate)?' },
  75: { name: 'CANNOT_WRITE_TO_FILE_DESCRIPTOR', hint: 'is the disk of ClickHouse full?' },
  76: { name: 'CANNOT_OPEN_FILE', hint: 'is the disk of ClickHouse full, or broken?' },
  81: {
    name: 'UNKNOWN_DATABASE',
    hint: 'has the schema been applied (querygate migrate), and is CLICKHOUSE_DATABASE right?',
  },
  115: {
    name: 'UNKNOWN_SETTING',
    hint: 'is this ClickHouse too old for ALLOW_PARTIAL=on (max_skip_unavailable_shards_ratio), or for sandboxing (25.9)?',
  },
  158: { name: 'TOO_MANY_ROWS', translation: READS_TOO_MUCH },
  159: { name: 'TIMEOUT_EXCEEDED', translation: TIMEOUT },
  160: { name: 'TOO_SLOW', translation: TIMEOUT },
  164: {
    name: 'READONLY',
    hint: 'the ClickHouse user needs readonly = 2; with 1 no limit can be set for a query',
  },
  194: { name: 'REQUIRED_PASSWORD', hint: 'is CLICKHOUSE_PASSWORD set?' },
  198: { name: 'DNS_ERROR', translation: SHARD_UNREACHABLE, hint: 'are the hosts in remote_servers right?' },
  201: { name: 'QUOTA_EXCEEDED', hint: 'the quota of the ClickHouse user is used up' },
  202: { name: 'TOO_MANY_SIMULTANEOUS_QUERIES', translation: BUSY },
  209: { name: 'SOCKET_TIMEOUT', translation: SHARD_UNREACHABLE },
  210: { name: 'NETWORK_ERROR', translation: SHARD_UNREACHABLE },
  241: { name: 'MEMORY_LIMIT_EXCEEDED', translation: TOO_MUCH_MEMORY },
  243: { name: 'NOT_ENOUGH_SPACE', hint: 'the disk of ClickHouse is full' },
  279: { name: 'ALL_CONNECTION_TRIES_FAILED', translation: SHARD_UNREACHABLE },
  307: { name: 'TOO_MANY_BYTES', translation: READS_TOO_MUCH },
  369: { name: 'ALL_REPLICAS_ARE_STALE', translation: SHARD_UNREACHABLE },
  396: { name: 'TOO_MANY_ROWS_OR_BYTES', translation: RESULT_TOO_LARGE },
  427: { name: 'CANNOT_COMPILE_REGEXP', translation: BAD_REGULAR_EXPRESSION },
  452: {
    name: 'SETTING_CONSTRAINT_VIOLATION',
    hint: 'is QUERY_TIMEOUT_SECONDS, another limit of queries or an export above what the profile of the ClickHouse user allows (querygate grants)?',
  },
  497: {
    name: 'ACCESS_DENIED',
    hint: 'does the ClickHouse user have every right that querygate grants prints?',
  },
  516: { name: 'AUTHENTICATION_FAILED', hint: 'are CLICKHOUSE_USER and CLICKHOUSE_PASSWORD right?' },
  904: { name: 'TOO_MANY_UNAVAILABLE_SHARDS', translation: SHARD_UNREACHABLE },
};

/** Whether the server or its configuration causes an error, regardless of the text of the query. */
export function isErrorOfServer({ code }: ClickHouseError): boolean {
  return BY_NUMBER[code] !== undefined;
}

/** Whether the values of a request can be the cause. Errors of the server are not, except for text that ends too early. */
export const mayBeOfValues = (error: ClickHouseError): boolean =>
  error.code === '32' || !isErrorOfServer(error);

/** Failure of a query whose result exceeds a limit of the gateway itself. */
export function resultTooLarge(diagnosis: string): Failure {
  return new Failure(RESULT_TOO_LARGE.code, RESULT_TOO_LARGE.message, { diagnosis });
}

/** Translates an error of ClickHouse, or of the connection to it, into a failure with the error as its cause. */
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
  if (error instanceof ClickHouseError) return BY_NUMBER[error.code]?.translation ?? FAILED;
  return connectionProblem(error) === undefined ? FAILED : UNREACHABLE;
}

/** Diagnosis of an error. It contains no text of ClickHouse, because that can contain values of the request. */
function diagnosisOf(error: unknown): string {
  if (!(error instanceof ClickHouseError)) {
    return connectionProblem(error) ?? 'a response that is neither a result nor an exception of ClickHouse';
  }
  return describeKnownError(error);
}

/** Name and code of a ClickHouse error, with a hint for the operator if there is one. @param name name that ClickHouse gives */
export function describeKnownError({ code }: ClickHouseError, name = 'an error'): string {
  const known = BY_NUMBER[code];
  return `ClickHouse: ${known?.name ?? name} (code ${code})${known?.hint === undefined ? '' : `; ${known.hint}`}`;
}

/** Name of an error from its message. For a syntax error it is fixed, because the client can mistake a word of the query for the name. */
export const nameIn = ({ code, type }: ClickHouseError): string | undefined =>
  code === '62' ? 'SYNTAX_ERROR' : type;

/** Message of an error with a code (of Node's sockets, name resolution or TLS), or of the client's own timeout. */
function connectionProblem(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('message' in error)) return undefined;
  const message = String(error.message);
  return 'code' in error || message === 'Timeout error.' ? message : undefined;
}
