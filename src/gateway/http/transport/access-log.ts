import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import { OPERATORS } from '../../../endpoint/figures.js';
import { EXPECTED_BY_CALLER, Failure } from '../../errors.js';
import { LimitExceeded } from '../../limits/limit-state.js';
import type { Metrics } from '../../observability/metrics.js';
import { describeError, type Fields, type Logger } from '../../observability/logger.js';
import type { ReportedFailure } from '../../observability/recent-failures.js';
import type { Clock } from '../../query/ports.js';
import type { RequestContext } from './request-context.js';

/** A request whose response has ended. */
export interface CompletedRequest {
  readonly context: RequestContext;
  readonly status: number;
  /** Milliseconds from the parsed request headers to the end of the response. */
  readonly totalMs: number;
  /** Bytes on the connection, with those of the headers. */
  readonly bytesSent: number;
}

/** What is read of a response that has ended. */
export type EndedResponse = Pick<ServerResponse, 'writableEnded' | 'writableFinished' | 'statusCode'>;

/** What finished requests are reported to. */
export interface AccessLogParts {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** Whether the log has the text of each cause, with values of the request: in a development server. */
  readonly showsCauses?: boolean;
  readonly onFailure?: (failure: ReportedFailure) => void;
  /** Called for each request except probes and those by which the console follows a development server. */
  readonly onCompleted?: ((request: CompletedRequest) => void) | undefined;
}

/** Characters of a path that are logged at most. */
const MAX_PATH = 200;

/** Milliseconds for which a busy gateway gathers requests. */
const GATHER_MS = 10;
/** Requests in {@link GATHER_MS} from which on a gateway is busy. */
const BUSY_REQUESTS = 16;

/** A request whose response has ended, or whose client has disconnected. */
interface FinishedRequest extends CompletedRequest {
  readonly method: string | undefined;
  readonly path: string;
}

/**
 * Reports each finished request to the log, the metrics and the request log: together with the others that finished in the same
 * turn of the event loop, when their responses are sent. While the gateway is busy, together with those of 10 ms: a turn has few
 * requests even then, and reporting them in each turn costs a fourteenth of a hit's CPU time more. Times in the log are those of
 * the report.
 */
export class AccessLog {
  private finished: FinishedRequest[] = [];
  /** When the pace was last measured, and how many requests were reported since. */
  private pace = { since: 0, reported: 0 };
  private isBusy = false;
  /** Bytes that earlier responses on a connection had. */
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
    const { failure, outcome } = context;
    const clickhouseMs = outcome?.caused?.cost.readBy(OPERATORS).clickhouseMs;
    const gatewayMs = totalMs - (clickhouseMs ?? 0);
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
    // A statement of a client is not an export.
    if (called && bytes !== undefined) metrics.exported({ endpoint, rows, bytes, ms });
  }

  private reportFailure({ context, status, path }: FinishedRequest, code: string, fields: Fields): void {
    // A statement of a client has ClickHouse's statuses: most of its errors are 500, whoever caused them.
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

/** The path of a request target, without what could be parameters. */
function pathOf(target: string): string {
  const end = target.indexOf('?');
  return target.slice(0, Math.min(end < 0 ? target.length : end, MAX_PATH));
}

const ROUTINE = /^\/(?:api\/dev(?:\/|$)|ping$)/;

/** Whether a request comes every few seconds by itself: a probe, also of a client of ClickHouse, or a page that follows a development server. */
function isRoutine(path: string, status: number): boolean {
  return /^\/health(?:\/|$)/.test(path) || (status < 400 && ROUTINE.test(path));
}

/**
 * The response's status; where it was broken off or its body has the failure, that of the failure; 499 where the client
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

/** The code of a request's failure; empty where it did not fail. */
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
  // The text of an internal error can hold values, so it is in the log only, under the request id.
  const fault = failure instanceof Error ? failure.name : undefined;
  const code = status === 499 ? 'CALLER_GONE' : 'INTERNAL';
  return { code, diagnosis: fault, cause: undefined, ...shared };
}

function failureFields(failure: unknown): Fields {
  if (!(failure instanceof Failure)) return Object.assign({}, describeError(failure), { code: 'INTERNAL' });
  return { code: failure.code, diagnosis: failure.details.diagnosis };
}

const rounded = (ms: number | undefined): number | undefined => ms && Math.round(ms * 100) / 100;
