import type { Request, RequestHandler, Response } from 'express';

import { Failure } from '../errors.js';
import { describeError, type Fields, type Logger } from '../log/logger.js';
import { contextOf } from './request-context.js';

/** Writes one line for each request when its answer is out, or its caller gone: no parameters, no key. */
export function logAccess(logger: Logger): RequestHandler {
  return (request, response, next) => {
    response.once('close', () => {
      log(logger, request, response);
    });
    next();
  };
}

function log(logger: Logger, request: Request, response: Response): void {
  const context = contextOf(request);
  const { failure } = context;
  const status = response.writableFinished ? response.statusCode : 499;
  const ms = performance.now() - context.startedAt;
  const { requestId, keyName, endpoint, rows, cache, clickhouseMs } = context;
  const fields: Fields = {
    requestId,
    method: request.method,
    path: request.path.slice(0, 200),
    key: keyName,
    endpoint,
    status,
    rows,
    cache,
    ms: rounded(ms - (clickhouseMs ?? 0)),
    clickhouseMs: clickhouseMs === undefined ? undefined : rounded(clickhouseMs),
    ...failureFields(failure),
  };
  if (status >= 500) logger.error('request', fields);
  else logger.info('request', fields);
  if (failure instanceof Failure && failure.details.cause !== undefined) {
    logger.debug('cause of the failure', { requestId, ...describeError(failure.details.cause) });
  }
}

function failureFields(failure: unknown): Fields {
  if (failure === undefined) return {};
  if (!(failure instanceof Failure)) return { code: 'INTERNAL', ...describeError(failure) };
  return { code: failure.code, diagnosis: failure.details.diagnosis };
}

const rounded = (ms: number): number => Math.round(ms * 100) / 100;
