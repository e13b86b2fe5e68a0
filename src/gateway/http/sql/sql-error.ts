import type { ServerResponse } from 'node:http';

import { Failure } from '../../errors.js';
import { errorBody, toldError } from '../../tables/error-response.js';
import { breakOff } from '../transport/break-off.js';
import { retryHeaders } from '../transport/problem.js';
import type { RequestContext } from '../transport/request-context.js';

/** Sends an error in ClickHouse's form. Where a part of the rows was sent, the body has it already, and the connection breaks. */
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
    // Not at once: the last bytes are the text of the error.
    if (isUnread) breakOff(response);
    else response.socket?.destroySoon();
    return;
  }
  const told = toldError(error, words, version);
  const body = errorBody(told, isFramed);
  response.writeHead(told.status, {
    'Content-Type': isFramed ? 'application/octet-stream' : 'text/plain; charset=UTF-8',
    'Content-Length': body.length,
    'X-ClickHouse-Exception-Code': told.code,
    ...(told.status === 401 && { 'WWW-Authenticate': 'Basic realm="querygate"' }),
    ...(error instanceof Failure && retryHeaders(error, context.principal)),
  });
  response.end(body);
}

/** What an error is written with. */
export interface SqlErrorOptions {
  /** Of the client's own statement; absent where an error may repeat none. */
  readonly words?: ReadonlySet<string> | undefined;
  readonly isFramed: boolean;
  /** Of ClickHouse. */
  readonly version: string;
}
