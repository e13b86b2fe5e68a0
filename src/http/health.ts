import type { RequestHandler } from 'express';

import { Failure } from '../errors.js';

/** What readiness depends on; ClickHouse is contacted only when somebody requests readiness. */
export interface ReadyParts {
  /** Whether ClickHouse answers. */
  readonly isClickHouseUp: () => Promise<boolean>;
  /** Whether the disk of a ClickHouse server is full; absent where nobody watches it. */
  readonly hasFullDisk?: (() => Promise<boolean>) | undefined;
  readonly isDraining: () => boolean;
}

const FULL_DISK = 'The disk of ClickHouse is full: it serves queries, but cannot write.';

/** `GET /health/live`: the process answers. */
export function respondLive(): RequestHandler {
  return (_request, response) => {
    response.set('Cache-Control', 'no-store').json({ status: 'live' });
  };
}

/**
 * `GET /health/ready`: requests can be answered. A full disk is a warning and no reason to be out of service, because reads
 * go on.
 */
export function respondReady({
  isClickHouseUp,
  hasFullDisk = () => Promise.resolve(false),
  isDraining,
}: ReadyParts): RequestHandler {
  return async (_request, response) => {
    if (isDraining())
      throw new Failure('SHUTTING_DOWN', 'The gateway is shutting down.', { retryAfterSeconds: 1 });
    const [isUp, isFull] = await Promise.all([isClickHouseUp(), hasFullDisk()]);
    if (!isUp) {
      const disk = isFull ? ' Its disk was full when it last did.' : '';
      throw new Failure('CLICKHOUSE_UNREACHABLE', `ClickHouse does not answer.${disk}`, {
        retryAfterSeconds: 1,
      });
    }
    response
      .set('Cache-Control', 'no-store')
      .json({ status: 'ready', ...(isFull && { warnings: [FULL_DISK] }) });
  };
}
