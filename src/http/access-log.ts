import type { IncomingMessage, ServerResponse } from 'node:http';

import { EXPECTED_BY_CALLER, Failure } from '../errors.js';
import { LimitExceeded, type LimitState } from '../limits/limit-state.js';
import { describeError, type Fields, type Logger } from '../observability/logger.js';
import type { CacheStatus } from '../query/call.js';
import type { RequestContext } from './request-context.js';

/** What a caller got; `code` is one of the table of errors, or empty where nothing failed. */
export interface Outcome {
  readonly status: number;
  readonly code: string;
}

/** Counts what was answered. Milliseconds; those in ClickHouse only where this request caused a query. */
export type CountRequest = (
  endpoint: string,
  outcome: Outcome,
  cache: CacheStatus | '',
  gatewayMs: number,
  clickhouseMs?: number,
) => void;

/** A request that is over. */
export interface CompletedRequest {
  readonly context: RequestContext;
  readonly status: number;
  /** Milliseconds from its first byte on. */
  readonly totalMs: number;
}

/** A request that failed; of its cause no more than a code and what the failure says for the operator. */
export interface ReportedFailure {
  readonly requestId: string;
  readonly endpoint: string | undefined;
  readonly status: number;
  readonly code: string;
  /** The name of the key. */
  readonly key: string | undefined;
  readonly diagnosis: string | undefined;
}

/** Who else is told of requests. */
export interface RequestListeners {
  readonly onLimit?: (exceeded: LimitState) => void;
  readonly onFailure?: (failure: ReportedFailure) => void;
  /** Told of each request but the probes. */
  readonly onCompleted?: (over: CompletedRequest) => void;
}

/** Characters of a path that are logged. */
const MAX_PATH = 200;

/** Tells the log and the metrics of each request that is over. */
export class AccessLog {
  constructor(
    private readonly logger: Logger,
    private readonly count: CountRequest = () => undefined,
    private readonly listeners: RequestListeners = {},
  ) {}

  /**
   * One line for a request: no parameters, no key.
   *
   * @param target the request target, as the caller sent it.
   */
  note(request: IncomingMessage, response: ServerResponse, target: string, context: RequestContext): void {
    const status = statusOf(response);
    const { clickhouseMs, endpoint = '', cache = '' } = context;
    const totalMs = performance.now() - context.startedAt;
    const gatewayMs = totalMs - (clickhouseMs ?? 0);
    const code = failureCode(context.failure, status);
    this.count(endpoint, { status, code }, cache, gatewayMs, clickhouseMs);
    const path = target.split('?', 1)[0]?.slice(0, MAX_PATH) ?? '';
    if (!path.startsWith('/health/')) this.listeners.onCompleted?.({ context, status, totalMs });
    const fields = fieldsOf(request, context, { status, path, gatewayMs });
    this.logger[levelOf({ status, code }, path)]('request', fields);
    this.explain(context);
    if (status >= 400) this.listeners.onFailure?.(reportedFailure(context, status));
  }

  private explain({ failure, requestId }: RequestContext): void {
    if (failure instanceof LimitExceeded) this.listeners.onLimit?.(failure.exceeded);
    if (failure instanceof Failure && failure.details.cause !== undefined) {
      this.logger.debug('cause of the failure', { requestId, ...describeError(failure.details.cause) });
    }
  }
}

function levelOf({ status, code }: Outcome, path: string): 'error' | 'info' | 'debug' {
  if (status >= 500 && !EXPECTED_BY_CALLER.has(code)) return 'error';
  // Probes come every few seconds, and say something only when they fail.
  return path.startsWith('/health/') ? 'debug' : 'info';
}

/** What a caller got; 499 where it had gone before. */
function statusOf({ writableEnded, writableFinished, statusCode }: ServerResponse): number {
  return writableEnded || writableFinished ? statusCode : 499;
}

/** What a request's failure is called; empty where it did not fail. */
function failureCode(failure: unknown, status: number): string {
  if (failure instanceof Failure) return failure.code;
  if (failure !== undefined) return 'INTERNAL';
  return status === 499 ? 'CALLER_GONE' : '';
}

function fieldsOf(
  { method }: IncomingMessage,
  { requestId, principal, endpoint, rows, partial, cache, clickhouseMs, failure }: RequestContext,
  { status, path, gatewayMs }: { readonly status: number; readonly path: string; readonly gatewayMs: number },
): Fields {
  return {
    requestId,
    method,
    path,
    key: principal?.name,
    endpoint,
    status,
    rows,
    partial,
    cache,
    ms: rounded(gatewayMs),
    clickhouseMs: clickhouseMs === undefined ? undefined : rounded(clickhouseMs),
    ...failureFields(failure),
  };
}

function reportedFailure(
  { requestId, endpoint, principal, failure }: RequestContext,
  status: number,
): ReportedFailure {
  const shared = { requestId, endpoint, status, key: principal?.name };
  if (failure instanceof Failure) {
    return { ...shared, code: failure.code, diagnosis: failure.details.diagnosis };
  }
  // Of a fault the text may hold values; the log has it, under the request's id.
  const fault = failure instanceof Error ? failure.name : undefined;
  return { ...shared, code: status === 499 ? 'CALLER_GONE' : 'INTERNAL', diagnosis: fault };
}

function failureFields(failure: unknown): Fields {
  if (failure === undefined) return {};
  if (!(failure instanceof Failure)) return { ...describeError(failure), code: 'INTERNAL' };
  return { code: failure.code, diagnosis: failure.details.diagnosis };
}

const rounded = (ms: number): number => Math.round(ms * 100) / 100;
