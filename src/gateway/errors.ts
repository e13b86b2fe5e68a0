import type { Figures } from '../endpoint/figures.js';
import type { QueryCost } from '../endpoint/limit-rules.js';

/** What is wrong with one parameter of a request. */
export interface ParamProblem {
  readonly param: string;
  readonly problem: string;
}

/** Every failure that a caller can see: its code, HTTP status and title. Codes never change: callers depend on them. */
export const ERRORS = {
  INVALID_PARAMETERS: { status: 400, title: 'Invalid parameters' },
  INVALID_CURSOR: { status: 400, title: 'Invalid cursor' },
  BAD_REGULAR_EXPRESSION: { status: 400, title: 'Invalid regular expression' },
  VALUES_REJECTED: { status: 400, title: 'Values rejected' },
  BAD_REQUEST: { status: 400, title: 'Bad request' },
  MALFORMED_BODY: { status: 400, title: 'Malformed body' },
  API_KEY_MISSING: { status: 401, title: 'API key missing' },
  API_KEY_INVALID: { status: 401, title: 'Invalid API key' },
  FORBIDDEN: { status: 403, title: 'Not allowed with this key' },
  EXPORT_NOT_ALLOWED: { status: 403, title: 'Export not allowed' },
  ENDPOINT_NOT_FOUND: { status: 404, title: 'Endpoint not found' },
  NOT_FOUND: { status: 404, title: 'Not found' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'Method not allowed' },
  NOT_ACCEPTABLE: { status: 406, title: 'Representation not available' },
  EXPORT_TOO_SLOW: { status: 408, title: 'Export read too slowly' },
  REQUEST_TIMEOUT: { status: 408, title: 'Request timeout' },
  ENDPOINT_GONE: { status: 410, title: 'Endpoint gone' },
  PRECONDITION_FAILED: { status: 412, title: 'Precondition failed' },
  BODY_TOO_LARGE: { status: 413, title: 'Body too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'Unsupported media type' },
  RANGE_NOT_SATISFIABLE: { status: 416, title: 'Range not satisfiable' },
  HEADERS_TOO_LARGE: { status: 431, title: 'URL and headers too large' },
  CALLER_GONE: { status: 499, title: 'Client disconnected' },
  LIMIT_EXCEEDED: { status: 429, title: 'Limit exceeded' },
  INTERNAL: { status: 500, title: 'Internal error' },
  ENDPOINT_INVALID: { status: 500, title: 'Endpoint invalid' },
  PAGES_NOT_UNIQUE: { status: 500, title: 'Order of pages not unique' },
  CLICKHOUSE_FAILED: { status: 502, title: 'ClickHouse failed' },
  CLICKHOUSE_ANSWER_BROKEN: { status: 502, title: 'Incomplete response from ClickHouse' },
  CLICKHOUSE_UNREACHABLE: { status: 503, title: 'ClickHouse unreachable' },
  CLICKHOUSE_UNAVAILABLE: { status: 503, title: 'ClickHouse unavailable' },
  NOT_READY: { status: 503, title: 'Not ready' },
  SHARD_UNREACHABLE: { status: 503, title: 'ClickHouse shard unreachable' },
  CLICKHOUSE_BUSY: { status: 503, title: 'ClickHouse busy' },
  CALL_CANCELLED: { status: 503, title: 'Call cancelled' },
  GATEWAY_BUSY: { status: 503, title: 'Gateway busy' },
  TOKEN_ISSUER_UNREACHABLE: { status: 503, title: 'Token issuer unreachable' },
  PURGE_INCOMPLETE: { status: 503, title: 'Purge incomplete' },
  HTTP_VERSION_NOT_SUPPORTED: { status: 505, title: 'HTTP version not supported' },
  SHUTTING_DOWN: { status: 503, title: 'Shutting down' },
  ENDPOINTS_INVALID: { status: 422, title: 'Endpoints invalid' },
  QUERY_READS_TOO_MUCH: { status: 422, title: 'Query reads too much' },
  QUERY_NEEDS_TOO_MUCH_MEMORY: { status: 422, title: 'Query needs too much memory' },
  RESULT_TRUNCATED: { status: 422, title: 'Result truncated' },
  RESULT_TOO_LARGE: { status: 422, title: 'Result too large' },
  NOT_CACHED: { status: 504, title: 'Not cached' },
  WAIT_OVER: { status: 504, title: 'Requested deadline exceeded' },
  QUERY_TIMEOUT: { status: 504, title: 'Query took too long' },
} as const;

export type ErrorCode = keyof typeof ERRORS;

/** Failures with a 5xx status that the caller's request headers demand: neither gateway nor ClickHouse is at fault. */
export const EXPECTED_BY_CALLER: ReadonlySet<string> = new Set<ErrorCode>(['NOT_CACHED', 'WAIT_OVER']);

/**
 * Failures of one caller's limits or one gateway's queue, not of the query. A follower does not share such a failure:
 * it runs the query itself.
 */
export const ABOUT_LEADER: ReadonlySet<string> = new Set<ErrorCode>(['LIMIT_EXCEEDED', 'GATEWAY_BUSY']);

/** Details of a failure, besides its code and its public message. */
export interface FailureDetails {
  /** The problems that the body of a 400 response lists. */
  readonly problems?: readonly ParamProblem[];
  /** The problems of endpoint files that the response to a failed reload lists. */
  readonly fileProblems?: readonly object[];
  /** Whether the rejected credentials came as `Authorization: Bearer`; sent in `WWW-Authenticate`. */
  readonly isBearerInvalid?: boolean;
  /** URL of the metadata from which OAuth clients learn who issues tokens; sent in `WWW-Authenticate`. */
  readonly resourceMetadata?: string;
  /** Seconds to wait before the next attempt; sent as `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** Bytes of the whole body, where the requested range begins after its end; sent in `Content-Range`. */
  readonly completeBytes?: number;
  /** Methods that the resource allows; sent as `Allow`. */
  readonly allow?: readonly string[];
  /** Text for the operator: logged at every level, never sent. Contains no values of the request. */
  readonly diagnosis?: string;
  /** Cost of the query, which is charged to the caller's limits; never sent. */
  readonly cost?: Figures<QueryCost>;
  /** The original error. Logged at level `debug` only, because it can contain SQL and values; never sent. */
  readonly cause?: unknown;
}

/** A failure with a public `message` that contains no SQL, no text of ClickHouse and no stack; those are in `cause`. */
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

/** The failure of a call for which no client waits any more. */
export function callerGone(details?: FailureDetails): Failure {
  return new Failure('CALLER_GONE', 'The client disconnected.', details);
}

/** The failure of a call whose query ClickHouse rejects for any values. */
export function endpointInvalid(details: FailureDetails): Failure {
  return new Failure(
    'ENDPOINT_INVALID',
    'ClickHouse rejects the query of this endpoint. Its definition or its tables have to be corrected; the gateway’s log says ' +
      'where.',
    details,
  );
}
