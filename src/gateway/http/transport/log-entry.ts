import { Failure, type ErrorCode } from '../../errors.js';
import type { LogEntry } from '../../observability/request-log-columns.js';
import type { BackgroundQuery } from '../../query/ports.js';
import type { CompletedRequest } from './access-log.js';
import type { RequestContext } from './request-context.js';

/** A finished request for the request log, which has neither its parameters nor its key. */
export function entryOf({ context, status, totalMs, bytesSent }: CompletedRequest, now: Date): LogEntry {
  const { requestId, endpoint, tool, tables, principal, called, outcome } = context;
  const { key: { hash } = {}, call } = called ?? {};
  return {
    at: now.getTime(),
    purpose: 'call',
    requestId,
    ...{ endpoint, tool, tables },
    key: principal?.name,
    digest: hash && call?.query.endpoint.digest,
    hash,
    status,
    code: codeOf(context),
    totalMs,
    bytesSent,
    ...outcome,
  };
}

/** A query for which no caller waited alone, for the request log: it is no request. */
export function backgroundEntryOf(
  { purpose, endpoint, queryId = '', cost, callers = 1, caller = '' }: BackgroundQuery,
  now: Date,
): LogEntry {
  return {
    at: now.getTime(),
    ...{ purpose, endpoint, requestId: '', key: caller, status: 0, code: '', totalMs: 0, bytesSent: 0 },
    ...{ caused: { queryId, cost, waitingMs: 0 }, charged: { cost, callers } },
  };
}

/** The failure's code; for a partial 200, the code of what made it partial. */
function codeOf({ failure, outcome }: RequestContext): string {
  if (failure === undefined) return outcome?.partial ? ('SHARD_UNREACHABLE' satisfies ErrorCode) : '';
  return failure instanceof Failure ? failure.code : 'INTERNAL';
}
