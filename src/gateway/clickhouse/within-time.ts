import { hasSecretValue } from '../../endpoint/bind.js';
import { callerGone, Failure } from '../errors.js';
import { LinkedAbort, type Signal } from '../query/signal.js';
import type { QueryRequest } from '../query/ports.js';
import { QueryMeter } from './query-meter.js';
import { LEAST_LIMIT_MS } from './query-settings.js';
import type { ExplainFailure } from './rejected-values.js';
import { translateClickHouseError } from './translate-error.js';
import { translateSqlError } from './translate-sql-error.js';

/** Time that ClickHouse has after its own limit before the gateway ends a query, in milliseconds. That limit is at least a second. */
const REPORT_MS = 500;

/**
 * Runs work on a query within its time limit, and translates its errors. ClickHouse has the same limit, and a moment more to report the
 * cost of the query so far.
 *
 * @param timeoutMs time limit, part of which an earlier attempt may have used
 * @param work gets the rest of the limit, and a signal that aborts when the limit ends or the caller no longer waits
 * @throws Failure with the cost of the queries
 */
export async function withinTime<T>(
  request: QueryRequest,
  timeoutMs: number,
  explain: ExplainFailure,
  work: (remainingMs: number, signal: Signal, meter: QueryMeter) => Promise<T>,
): Promise<T> {
  const remainingMs = Math.max(1, timeoutMs - (request.spentMs ?? 0));
  const endsAfterMs = remainingMs < LEAST_LIMIT_MS ? remainingMs : remainingMs + REPORT_MS;
  const limited = new LinkedAbort(request.signal).after(endsAfterMs, () => new Error('time limit'));
  const meter = new QueryMeter();
  try {
    // The client notices an abort only after the call.
    limited.throwIfAborted();
    return await work(remainingMs, limited, meter);
  } catch (error) {
    const cause = hasSecretValue(request.query) ? undefined : error;
    if (request.signal.aborted) throw meter.charged(cancelled(request.signal, cause));
    if (limited.aborted) throw meter.charged(timedOut(timeoutMs, cause));
    const translate = request.columns === 'unknown' ? translateSqlError : translateClickHouseError;
    const failure = await explain(translate(error), request, limited);
    throw meter.charged(hasSecretValue(request.query) ? withoutCause(failure) : failure);
  } finally {
    limited.end();
  }
}

/** Removes the cause. ClickHouse's text can quote a value, so the cause of a query with a secret value must not reach a log. */
function withoutCause({ code, message, details }: Failure): Failure {
  return new Failure(code, message, { ...details, cause: undefined });
}

/** Reason why a query was cancelled: a Failure such as the caller's deadline, or else a disconnected client. */
export function cancelled({ reason }: Signal, cause: unknown): Failure {
  return reason instanceof Failure ? reason : callerGone({ cause });
}

function timedOut(timeoutMs: number, cause: unknown): Failure {
  return new Failure(
    'QUERY_TIMEOUT',
    `The query was stopped at its time limit of ${timeoutMs / 1000} seconds. Narrow it with its parameters.`,
    { cause },
  );
}
