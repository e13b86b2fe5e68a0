import { ClickHouseError, parseError } from '@clickhouse/client';
import type { IncomingHttpHeaders } from 'node:http';

import { Failure } from '../errors.js';

/** Header that signals an exception, whatever the status. */
export const EXCEPTION_HEADER = 'x-clickhouse-exception-code';

/** Error of a response without rows. It comes from ClickHouse or from a proxy, such as a load balancer without a backend. */
export function errorOfResponse(
  status: number | undefined,
  headers: IncomingHttpHeaders,
  text: string,
): Error {
  const error = parseError(text);
  if (error instanceof ClickHouseError || headers[EXCEPTION_HEADER] !== undefined) return error;
  if (status !== 503 && status !== 429) return error;
  return new Failure('CLICKHOUSE_UNAVAILABLE', 'ClickHouse is starting, or too busy. Try again later.', {
    retryAfterSeconds: secondsOf(headers['retry-after']),
    diagnosis: `a response with status ${status} of what stands before ClickHouse`,
    cause: error,
  });
}

/** Seconds to wait, at least 1. @param retryAfter seconds or a date (RFC 9110, section 10.2.3) */
function secondsOf(retryAfter = ''): number {
  const seconds = /^\d{1,9}$/.test(retryAfter)
    ? Number(retryAfter)
    : Math.ceil((Date.parse(retryAfter) - Date.now()) / 1000);
  return seconds > 1 ? seconds : 1;
}
