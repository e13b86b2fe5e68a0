import type { RequestHandler } from 'express';

import { Failure } from '../errors.js';

/** Whether ClickHouse answers; asked only when somebody asks for readiness. */
export type IsClickHouseUp = () => Promise<boolean>;

/** `GET /health/live`: the process answers. */
export function answerLive(): RequestHandler {
  return (_request, response) => {
    response.set('Cache-Control', 'no-store').json({ status: 'live' });
  };
}

/** `GET /health/ready`: requests can be answered. */
export function answerReady(isUp: IsClickHouseUp, isDraining: () => boolean): RequestHandler {
  return async (_request, response) => {
    if (isDraining())
      throw new Failure('SHUTTING_DOWN', 'The gateway is shutting down.', { retryAfterSeconds: 1 });
    if (!(await isUp())) {
      throw new Failure('CLICKHOUSE_UNREACHABLE', 'ClickHouse does not answer.', { retryAfterSeconds: 1 });
    }
    response.set('Cache-Control', 'no-store').json({ status: 'ready' });
  };
}
