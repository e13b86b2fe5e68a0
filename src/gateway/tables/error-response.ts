import { ClickHouseError } from '@clickhouse/client';

import { errorText, sentenceOf, statusOf, clientCode } from '../clickhouse/clickhouse-error-text.js';
import { frameOf } from '../clickhouse/compressed-frames.js';
import { Failure, type ErrorCode } from '../errors.js';
import { StatementProblem } from './statement.js';

/** An error in the form that ClickHouse clients read. */
export interface ErrorForClient {
  /** ClickHouse's number of the error. */
  readonly code: string;
  readonly text: string;
  /** HTTP status, used where the response has not started. */
  readonly status: number;
}

/**
 * ClickHouse's codes for failures of the gateway. Drivers retry some codes at once and ignore Retry-After, so limits have a code that no
 * driver retries.
 */
const CODES: Readonly<Partial<Record<ErrorCode, number>>> = {
  API_KEY_MISSING: 194,
  API_KEY_INVALID: 516,
  FORBIDDEN: 497,
  NOT_FOUND: 36,
  BAD_REQUEST: 36,
  INVALID_PARAMETERS: 36,
  HEADERS_TOO_LARGE: 307,
  BODY_TOO_LARGE: 307,
  LIMIT_EXCEEDED: 201,
  GATEWAY_BUSY: 439,
  CLICKHOUSE_BUSY: 439,
  SHUTTING_DOWN: 439,
  QUERY_TIMEOUT: 159,
  CALLER_GONE: 394,
  CALL_CANCELLED: 394,
  QUERY_READS_TOO_MUCH: 158,
  QUERY_NEEDS_TOO_MUCH_MEMORY: 241,
  RESULT_TOO_LARGE: 396,
  BAD_REGULAR_EXPRESSION: 427,
  CLICKHOUSE_UNREACHABLE: 279,
  CLICKHOUSE_UNAVAILABLE: 279,
  SHARD_UNREACHABLE: 279,
  TOKEN_ISSUER_UNREACHABLE: 279,
  NOT_READY: 279,
  EXPORT_TOO_SLOW: 209,
};
const UNKNOWN_EXCEPTION = 1002;

/** HTTP statuses that clients expect, where ClickHouse would send 500. */
const STATUSES: Readonly<Partial<Record<ErrorCode, number>>> = {
  API_KEY_MISSING: 401,
  NOT_FOUND: 404,
  HEADERS_TOO_LARGE: 431,
  NOT_CACHED: 504,
};

/** Error for the client, without any word of ClickHouse's message about an endpoint's SQL. @param words see {@link sentenceOf} */
export function errorForClient(
  error: unknown,
  words: ReadonlySet<string> | undefined,
  version: string,
): ErrorForClient {
  if (error instanceof StatementProblem) return errorWith(error.number, error.message, version);
  const cause = error instanceof Failure ? error.details.cause : error;
  if (cause instanceof ClickHouseError) {
    const code = clientCode(cause.code);
    return errorWith(Number(code), sentenceOf(cause, words), version);
  }
  if (!(error instanceof Failure))
    return errorWith(
      UNKNOWN_EXCEPTION,
      'The gateway failed to run this statement. Its log has the cause',
      version,
    );
  const { code, message } = error;
  const { status, ...rest } = errorWith(CODES[code] ?? UNKNOWN_EXCEPTION, message, version);
  return { status: STATUSES[code] ?? status, ...rest };
}

/** Body of an error response. With `compress=1` clients expect a compressed frame. */
export const errorBody = ({ text }: ErrorForClient, isFramed: boolean): Buffer =>
  isFramed ? frameOf(Buffer.from(`${text}\n`)) : Buffer.from(`${text}\n`);

function errorWith(number: number, message: string, version: string): ErrorForClient {
  const code = String(number);
  return { code, text: errorText(code, message.replace(/\.$/, ''), version), status: statusOf(code) };
}
