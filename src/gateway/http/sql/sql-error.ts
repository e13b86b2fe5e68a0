import type { ServerResponse } from 'node:http';

import { Failure } from '../../errors.js';
import { errorBody, errorForClient } from '../../tables/error-response.js';
import { breakOff } from '../transport/break-off.js';
import { retryHeaders } from '../transport/problem.js';
import type { RequestContext } from '../transport/request-context.js';

/** Sends an error in ClickHouse's form. Where rows were sent before, the body already contains the error, and the connection closes. */
export function sendSqlError(
  response: ServerResponse,
  context: RequestContext,
  error: unknown,
  { words, isFramed, version }: SqlErrorOptions,
): void {
  context.failure ??= error;
  // The client has disconnected.
  if (response.destroyed) return;
  if (response.headersSent) {
    const isUnread = error instanceof Failure && error.code === 'EXPORT_TOO_SLOW';
    // Closed without a reset, because the last bytes are the text of the error.
    if (isUnread) breakOff(response);
    else response.socket?.destroySoon();
    return;
  }
  const sent = errorForClient(error, words, version);
  const body = errorBody(sent, isFramed);
  response.writeHead(sent.status, {
    'Content-Type': isFramed ? 'application/octet-stream' : 'text/plain; charset=UTF-8',
    'Content-Length': body.length,
    'X-ClickHouse-Exception-Code': sent.code,
    ...(sent.status === 401 && { 'WWW-Authenticate': 'Basic realm="querygate"' }),
    ...(error instanceof Failure && retryHeaders(error, context.principal)),
  });
  response.end(body);
}

/** How an error is written. */
export interface SqlErrorOptions {
  /** Words of the client's statement, which the error may repeat; absent where it may repeat none. */
  readonly words?: ReadonlySet<string> | undefined;
  readonly isFramed: boolean;
  /** Version of ClickHouse. */
  readonly version: string;
}
