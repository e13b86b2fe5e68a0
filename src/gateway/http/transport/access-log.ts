import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import { OPERATORS, type Figures } from '../../../endpoint/figures.js';
import type { QueryCost } from '../../../endpoint/limit-rules.js';
import { EXPECTED_BY_CALLER, Failure } from '../../errors.js';
import { LimitExceeded } from '../../limits/limit-state.js';
import type { Metrics } from '../../observability/metrics.js';
import { describeError, type Fields, type Logger } from '../../observability/logger.js';
import { factsOfFailed } from '../../observability/outcome-facts.js';
import type { ReportedFailure } from '../../observability/recent-failures.js';
import type { Clock } from '../../query/ports.js';
import type { RequestContext } from './request-context.js';

/** A request whose response has ended. */
export interface CompletedRequest {
  readonly context: RequestContext;
  readonly status: number;
  /** Milliseconds from the parsed request headers to the end of the response. */
  readonly totalMs: number;
  /** Bytes sent on the connection, including the headers. */
  readonly bytesSent: number;
}

/** The properties of an ended response that the log reads. */
export type EndedResponse = Pick<ServerResponse, 'writableEnded' | 'writableFinished' | 'statusCode'>;

/** The destinations of reports about finished requests. */
export interface AccessLogParts {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** Whether the log contains the text of each cause, with values of the request; in a development server only. */
  readonly showsCauses?: boolean;
  readonly onFailure?: (failure: ReportedFailure) => void;
  /** Called for each request except probes and the polls of a development server's console. */
  readonly onCompleted?: ((request: CompletedRequest) => void) | undefined;
}

/** Maximum characters of a logged path. */
const MAX_PATH = 200;

/** Milliseconds for which a busy gateway collects requests. */
const GATHER_MS = 10;
/** Number of requests in {@link GATHER_MS} from which a gateway counts as busy. */
const BUSY_REQUESTS = 16;

/** A request whose response has ended, or whose client has disconnected. */
interface FinishedRequest extends CompletedRequest {
  readonly method: string | undefined;
  readonly path: string;
}

/**
 * Reports each finished request to the log, the metrics and the request log. All requests that finish in one turn of the event loop
 * are reported together, after their responses are sent. A busy gateway reports the requests of 10 ms together: a turn has few
 * requests even then, and a report in each turn would cost a fourteenth of a hit's CPU time more. Times in the log are those of the
 * report.
 */
export class AccessLog {
  private finished: FinishedRequest[] = [];
  /** When the rate was last measured, and the number of requests reported since then. */
  private pace = { since: 0, reported: 0 };
  private isBusy = false;
  /** Bytes of the earlier responses on a connection. */
  private readonly sentBefore = new WeakMap<Socket, number>();

  constructor(private readonly parts: AccessLogParts) {}

  /**
   * Logs one line for a request, without parameters and without the key.
   *
   * @param target the request target as the caller sent it.
   */
  note(
    request: Pick<IncomingMessage, 'method' | 'socket'>,
    response: EndedResponse,
    target: string,
    context: RequestContext,
  ): void {
    const { method } = request;
    const totalMs = performance.now() - context.startedAt;
    const status = statusOf(response, context);
    const bytesSent = this.takeBytesSent(request.socket);
    this.finished.push({ context, method, path: pathOf(target), status, totalMs, bytesSent });
    if (this.finished.length > 1) return;
    if (this.isBusy) setTimeout(this.reportAll, GATHER_MS);
    else setImmediate(this.reportAll);
  }

  private takeBytesSent(socket: Socket): number {
    const { bytesWritten } = socket;
    const before = this.sentBefore.get(socket) ?? 0;
    this.sentBefore.set(socket, bytesWritten);
    return bytesWritten - before;
  }

  /** Reports the requests that are finished but not reported yet. */
  readonly reportAll = (): void => {
    const { finished } = this;
    this.finished = [];
    this.measurePace(finished.length);
    for (const request of finished) this.report(request);
  };

  private measurePace(reported: number): void {
    const now = performance.now();
    this.pace.reported += reported;
    if (now - this.pace.since < GATHER_MS) return;
    this.isBusy = this.pace.reported >= BUSY_REQUESTS;
    this.pace = { since: now, reported: 0 };
  }

  private report(request: FinishedRequest): void {
    const { logger, onCompleted } = this.parts;
    const { context, status, path, totalMs } = request;
    const { failure } = context;
    const failed = failure instanceof Failure ? failure.details.cost : undefined;
    if (failed) context.outcome ??= factsOfFailed(failed);
    const { caused, awaited } = context.outcome ?? {};
    const clickhouseMs = millisecondsOf(caused?.cost);
    // Of a query that others share, it may have waited for the end only.
    const gatewayMs = Math.max(0, totalMs - (millisecondsOf(awaited) ?? 0));
    const code = failureCode(failure, status);
    this.count(request, code, gatewayMs, clickhouseMs);
    const routine = isRoutine(path, status);
    if (!routine) onCompleted?.(request);
    const fields = fieldsOf(request, gatewayMs, clickhouseMs);
    if (failure === undefined) logger.request(routine ? 'debug' : 'info', fields);
    else this.reportFailure(request, code, fields);
    if (status >= 400) this.noteFailure(reportedFailure(context, status));
  }

  private count(
    { context, status, totalMs: ms }: FinishedRequest,
    code: string,
    gatewayMs: number,
    clickhouseMs: number | undefined,
  ): void {
    const { metrics } = this.parts;
    const { endpoint = '', called, outcome: { cache = '', rows = 0, exportedBytes: bytes } = {} } = context;
    metrics.requestCompleted(endpoint, { status, code }, cache, gatewayMs, clickhouseMs);
    // A statement counts as no export, although its bytes are known.
    if (called && bytes !== undefined) metrics.exported({ endpoint, rows, bytes, ms });
  }

  private reportFailure({ context, status, path }: FinishedRequest, code: string, fields: Fields): void {
    // A statement has ClickHouse's statuses: most of its errors are 500, even where the caller caused them.
    const isOfCaller = context.failure instanceof Failure && context.failure.status < 500;
    const isFault = status >= 500 && !isOfCaller && !EXPECTED_BY_CALLER.has(code);
    const level = isFault ? 'error' : isRoutine(path, status) ? 'debug' : 'info';
    this.parts.logger.request(level, { ...fields, ...failureFields(context.failure) });
    this.explain(context);
  }

  private explain({ failure, requestId }: RequestContext): void {
    const { logger, metrics, showsCauses } = this.parts;
    if (failure instanceof LimitExceeded) {
      const { subject, counted } = failure.exceeded;
      metrics.count('limit_rejections_total', { kind: subject.kind, counted });
    }
    if (failure instanceof Failure && failure.details.cause !== undefined) {
      const log = showsCauses ? logger.info : logger.debug;
      log('cause of the failure', { requestId, ...describeError(failure.details.cause) });
    }
  }

  private noteFailure(failure: ReportedFailure): void {
    const { metrics, clock, onFailure } = this.parts;
    metrics.failures.note({ time: clock().toISOString(), ...failure });
    onFailure?.(failure);
  }
}

/** The path of a request target, without the query string, and cut to `MAX_PATH`. */
function pathOf(target: string): string {
  const end = target.indexOf('?');
  return target.slice(0, Math.min(end < 0 ? target.length : end, MAX_PATH));
}

const ROUTINE = /^\/(?:api\/dev(?:\/|$)|ping$)/;

/** Whether a request repeats every few seconds: a probe, also of a ClickHouse client, or a poll of a development server's console. */
function isRoutine(path: string, status: number): boolean {
  return /^\/health(?:\/|$)/.test(path) || (status < 400 && ROUTINE.test(path));
}

/**
 * Status of the response. For an aborted response or a failure in the body, status of the failure; 499 where the client
 * disconnected, unless it only waited for a change.
 */
export function statusOf(
  { writableEnded, writableFinished, statusCode }: EndedResponse,
  { failure, isFailureInBody, endsWithClient }: RequestContext,
): number {
  if ((writableEnded || writableFinished) && !isFailureInBody) return statusCode;
  if (failure === undefined) return endsWithClient ? statusCode : 499;
  return failure instanceof Failure ? failure.status : 500;
}

/** Code of a request's failure; empty for a request that did not fail. */
function failureCode(failure: unknown, status: number): string {
  if (failure instanceof Failure) return failure.code;
  if (failure !== undefined) return 'INTERNAL';
  return status === 499 ? 'CALLER_GONE' : '';
}

/** @param gatewayMs `totalMs` without the time in ClickHouse. */
function fieldsOf(
  { context, method, path, status, totalMs }: FinishedRequest,
  gatewayMs: number,
  clickhouseMs: number | undefined,
): Fields {
  const { requestId, principal, endpoint, called, tool, tables, outcome = {} } = context;
  const { rows, exportedBytes, partial, cache, caused } = outcome;
  return {
    requestId,
    method,
    path,
    key: principal?.name,
    endpoint,
    tool,
    tables,
    ignored: called?.call?.ignored,
    status,
    rows,
    exportedBytes,
    partial,
    cache,
    totalMs: rounded(totalMs),
    gatewayMs: rounded(gatewayMs),
    clickhouseMs: rounded(clickhouseMs),
    waitingMs: rounded(caused?.waitingMs),
  };
}

function reportedFailure(
  { requestId, endpoint, principal, failure }: RequestContext,
  status: number,
): ReportedFailure {
  const shared = { requestId, endpoint, status, key: principal?.name };
  if (failure instanceof Failure) {
    const { diagnosis, cause } = failure.details;
    const text = cause instanceof Error ? cause.message : undefined;
    return { code: failure.code, diagnosis, cause: text, ...shared };
  }
  // The text of an internal error can contain values. So only the log has it, under the request id.
  const fault = failure instanceof Error ? failure.name : undefined;
  const code = status === 499 ? 'CALLER_GONE' : 'INTERNAL';
  return { code, diagnosis: fault, cause: undefined, ...shared };
}

function failureFields(failure: unknown): Fields {
  if (!(failure instanceof Failure)) return Object.assign({}, describeError(failure), { code: 'INTERNAL' });
  return { code: failure.code, diagnosis: failure.details.diagnosis };
}

const millisecondsOf = (cost: Figures<QueryCost> | undefined): number | undefined =>
  cost?.readBy(OPERATORS).clickhouseMs;

const rounded = (ms: number | undefined): number | undefined => ms && Math.round(ms * 100) / 100;
