import type { IncomingMessage, ServerResponse } from 'node:http';

import { Failure } from '../errors.js';
import type { CacheStatus } from '../execution/call.js';
import { LimitExceeded, type LimitState } from '../limits/limit-state.js';
import { describeError, type Fields, type Logger } from '../log/logger.js';
import type { RequestContext } from './request-context.js';

/** Counts what was answered. Milliseconds; those in ClickHouse only where this request caused a query. */
export type CountAnswer = (
  endpoint: string,
  status: number,
  cache: CacheStatus | '',
  gatewayMs: number,
  clickhouseMs?: number,
) => void;

/** Characters of a path that are logged. */
const MAX_PATH = 200;

/** Tells the log and the metrics of each request that is over. */
export class RequestLog {
  constructor(
    private readonly logger: Logger,
    private readonly count: CountAnswer = () => undefined,
    private readonly onLimit: (exceeded: LimitState) => void = () => undefined,
  ) {}

  /**
   * One line for a request: no parameters, no key.
   *
   * @param target the request target, as the caller sent it.
   */
  note(request: IncomingMessage, response: ServerResponse, target: string, context: RequestContext): void {
    const status = response.writableEnded || response.writableFinished ? response.statusCode : 499;
    const { clickhouseMs, endpoint = '', cache = '' } = context;
    const gatewayMs = performance.now() - context.startedAt - (clickhouseMs ?? 0);
    this.count(endpoint, status, cache, gatewayMs, clickhouseMs);
    const path = target.split('?', 1)[0]?.slice(0, MAX_PATH) ?? '';
    const fields = fieldsOf(request, context, { status, path, gatewayMs });
    if (status >= 500) this.logger.error('request', fields);
    // Probes come every few seconds, and say something only when they fail.
    else if (path.startsWith('/health/')) this.logger.debug('request', fields);
    else this.logger.info('request', fields);
    this.explain(context);
  }

  private explain({ failure, requestId }: RequestContext): void {
    if (failure instanceof LimitExceeded) this.onLimit(failure.exceeded);
    if (failure instanceof Failure && failure.details.cause !== undefined) {
      this.logger.debug('cause of the failure', { requestId, ...describeError(failure.details.cause) });
    }
  }
}

function fieldsOf(
  { method }: IncomingMessage,
  { requestId, keyHolder, endpoint, rows, cache, clickhouseMs, failure }: RequestContext,
  { status, path, gatewayMs }: { readonly status: number; readonly path: string; readonly gatewayMs: number },
): Fields {
  return {
    requestId,
    method,
    path,
    key: keyHolder?.name,
    endpoint,
    status,
    rows,
    cache,
    ms: rounded(gatewayMs),
    clickhouseMs: clickhouseMs === undefined ? undefined : rounded(clickhouseMs),
    ...failureFields(failure),
  };
}

function failureFields(failure: unknown): Fields {
  if (failure === undefined) return {};
  if (!(failure instanceof Failure)) return { ...describeError(failure), code: 'INTERNAL' };
  return { code: failure.code, diagnosis: failure.details.diagnosis };
}

const rounded = (ms: number): number => Math.round(ms * 100) / 100;
