/** A thing that is wrong with one parameter of a request. */
export interface Problem {
  readonly param: string;
  readonly problem: string;
}

/** Every failure that a caller can see: its HTTP status and what the failure is called. */
export const ERRORS = {
  INVALID_PARAMETERS: { status: 400, title: 'Invalid parameters' },
  BAD_REGULAR_EXPRESSION: { status: 400, title: 'Regular expression not accepted' },
  BAD_REQUEST: { status: 400, title: 'Bad request' },
  API_KEY_MISSING: { status: 401, title: 'API key missing' },
  API_KEY_INVALID: { status: 401, title: 'API key not accepted' },
  FORBIDDEN: { status: 403, title: 'Not allowed with this key' },
  ENDPOINT_NOT_FOUND: { status: 404, title: 'No such endpoint' },
  NOT_FOUND: { status: 404, title: 'Nothing here' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'Method not allowed' },
  NOT_ACCEPTABLE: { status: 406, title: 'No such representation' },
  REQUEST_TIMEOUT: { status: 408, title: 'Request not sent in time' },
  HEADERS_TOO_LARGE: { status: 431, title: 'URL and headers too large' },
  CALLER_GONE: { status: 499, title: 'Caller has gone' },
  LIMIT_EXCEEDED: { status: 429, title: 'Limit exceeded' },
  INTERNAL: { status: 500, title: 'Fault in the gateway' },
  CLICKHOUSE_FAILED: { status: 502, title: 'ClickHouse failed' },
  CLICKHOUSE_ANSWER_BROKEN: { status: 502, title: 'Answer of ClickHouse incomplete' },
  CLICKHOUSE_UNREACHABLE: { status: 503, title: 'ClickHouse not reachable' },
  SHARD_UNREACHABLE: { status: 503, title: 'A shard of ClickHouse not reachable' },
  CLICKHOUSE_BUSY: { status: 503, title: 'ClickHouse busy' },
  GATEWAY_BUSY: { status: 503, title: 'Gateway busy' },
  TOKEN_ISSUER_UNREACHABLE: { status: 503, title: 'Token can’t be checked now' },
  PURGE_INCOMPLETE: { status: 503, title: 'Other gateways may not have purged' },
  SHUTTING_DOWN: { status: 503, title: 'Shutting down' },
  QUERY_READS_TOO_MUCH: { status: 422, title: 'Query reads too much' },
  QUERY_NEEDS_TOO_MUCH_MEMORY: { status: 422, title: 'Query needs too much memory' },
  RESULT_TOO_LARGE: { status: 422, title: 'Result too large' },
  NOT_CACHED: { status: 504, title: 'Not cached' },
  WAIT_OVER: { status: 504, title: 'Not within the time asked for' },
  QUERY_TIMEOUT: { status: 504, title: 'Query took too long' },
} as const;

export type ErrorCode = keyof typeof ERRORS;

/** What has status 5xx by the caller's own wish, with nothing wrong in the gateway or behind it. */
export const EXPECTED_BY_CALLER: ReadonlySet<string> = new Set<ErrorCode>(['NOT_CACHED', 'WAIT_OVER']);

/**
 * Failures that are about one caller's limits or one gateway's queue, not about the query: whoever shares the query in
 * another lane, or on another gateway, runs it as itself instead.
 */
export const ABOUT_LEADER: ReadonlySet<string> = new Set<ErrorCode>(['LIMIT_EXCEEDED', 'GATEWAY_BUSY']);

/** What goes with a failure, beside its code and its public text. */
export interface FailureDetails {
  /** Listed to the caller on a 400. */
  readonly problems?: readonly Problem[];
  /** Answered as `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** Answered as `Allow`. */
  readonly allow?: readonly string[];
  /** For the operator: logged at every level, never sent. Without values of the request. */
  readonly diagnosis?: string;
  /** Logged at level debug, since it can hold SQL and values; never sent. */
  readonly cause?: unknown;
}

/** A failure with a public text: no SQL, no text of ClickHouse, no stack in `message`; those are in `cause`. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly details: FailureDetails;

  constructor(
    readonly code: ErrorCode,
    message: string,
    details: FailureDetails = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.details = details;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}
