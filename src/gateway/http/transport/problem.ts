import type { ErrorRequestHandler } from 'express';

import { budgetReaderOf } from '../../auth/pinned-parameters.js';
import type { Principal } from '../../auth/principal.js';
import { ERRORS, Failure } from '../../errors.js';
import { LimitExceeded } from '../../limits/limit-state.js';
import { rateLimitHeaders } from '../../limits/rate-limit-headers.js';
import { breakOff } from './break-off.js';
import { contextOf } from './request-context.js';

/** The body of an error response (RFC 9457), with `error` for clients written for Logflare. */
export function problemDocument(failure: Failure, requestId: string): Readonly<Record<string, unknown>> {
  const { problems, fileProblems } = failure.details;
  return {
    type: `urn:querygate:problem:${failure.code.toLowerCase().replaceAll('_', '-')}`,
    title: ERRORS[failure.code].title,
    status: failure.status,
    detail: failure.message,
    code: failure.code,
    requestId,
    ...(failure.status === 400 && { problems: problems ?? [] }),
    ...(fileProblems && { problems: fileProblems }),
    error: failure.message,
  };
}

/** The headers of an error response. */
export function problemHeaders(failure: Failure, principal?: Principal): Readonly<Record<string, string>> {
  const { status, details } = failure;
  return {
    'Content-Type': 'application/problem+json; charset=utf-8',
    'Cache-Control': 'no-store',
    ...(status === 401 && { 'WWW-Authenticate': challenge(failure) }),
    ...(details.completeBytes !== undefined && { 'Content-Range': `bytes */${details.completeBytes}` }),
    ...(details.allow && { Allow: details.allow.join(', ') }),
    ...retryHeaders(failure, principal),
  };
}

/** The headers of an error response with the time of the next attempt, and what is left of each limit. */
export function retryHeaders(failure: Failure, principal?: Principal): Readonly<Record<string, string>> {
  const { retryAfterSeconds } = failure.details;
  return {
    ...(failure instanceof LimitExceeded &&
      principal &&
      rateLimitHeaders(failure.states, budgetReaderOf(principal))),
    ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
  };
}

/** The challenge of a 401 (RFC 6750, 3.1): only a client that sent a bearer token learns that the token is the reason. */
function challenge({ details: { isBearerInvalid, resourceMetadata } }: Failure): string {
  const parameters = [
    'realm="querygate"',
    ...(isBearerInvalid ? ['error="invalid_token"'] : []),
    ...(resourceMetadata === undefined ? [] : [`resource_metadata="${resourceMetadata}"`]),
  ];
  return `Bearer ${parameters.join(', ')}`;
}

/** Responds to every error with a problem document, which never contains the cause. */
export function sendProblem(): ErrorRequestHandler {
  // Express recognizes an error handler by its four parameters.
  // eslint-disable-next-line @typescript-eslint/no-unused-vars
  return (error: unknown, request, response, _next) => {
    const context = contextOf(request);
    context.failure = error;
    // The caller has a part of the body. The closed connection shows that it is incomplete.
    if (response.headersSent) {
      breakOff(response);
      return;
    }
    const failure = asFailure(error);
    response
      .status(failure.status)
      .set(problemHeaders(failure, context.principal))
      .end(JSON.stringify(problemDocument(failure, context.requestId)));
  };
}

/** The failure that represents an error for the caller. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  // Express throws a URIError for a path with broken percent-encoding.
  if (error instanceof URIError) {
    return new Failure('BAD_REQUEST', 'The path of the URL is not valid percent-encoded UTF-8.');
  }
  return new Failure(
    'INTERNAL',
    'The gateway failed to process this request. Its log has the cause under this request id.',
  );
}
