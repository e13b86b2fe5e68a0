import type { RequestHandler } from 'express';

import { Failure } from '../../errors.js';

/** The state that readiness depends on. ClickHouse is contacted only when readiness is requested. */
export interface ReadyParts {
  /** Whether ClickHouse responds. */
  readonly isClickHouseUp: () => Promise<boolean>;
  /** Why the gateway cannot serve although ClickHouse responds, and what to do: one sentence each, shown to anybody. */
  readonly whyNotReady?: (() => Promise<readonly string[]>) | undefined;
  /** Whether the disk of a ClickHouse server is full; absent where it is not monitored. */
  readonly hasFullDisk?: (() => Promise<boolean>) | undefined;
  /** Seconds by which the gateway's clock is ahead of ClickHouse's, where that is a fault, else 0; read after a ping. */
  readonly aheadSeconds?: (() => number) | undefined;
  readonly isDraining: () => boolean;
}

const FULL_DISK = 'The disk of ClickHouse is full: it serves queries, but cannot write.';

/** `GET /health/live`: responds while the process runs. */
export function respondLive(): RequestHandler {
  return (_request, response) => {
    response.set('Cache-Control', 'no-store').json({ status: 'live' });
  };
}

/** `GET /health/ready` and `GET /health`: the gateway can serve requests. A full disk is a warning, because ClickHouse still serves reads. */
export function respondReady({
  isClickHouseUp,
  whyNotReady = () => Promise.resolve([]),
  hasFullDisk = () => Promise.resolve(false),
  aheadSeconds = () => 0,
  isDraining,
}: ReadyParts): RequestHandler {
  return async (_request, response) => {
    if (isDraining())
      throw new Failure('SHUTTING_DOWN', 'The gateway is shutting down.', { retryAfterSeconds: 1 });
    const [isUp, isFull] = await Promise.all([isClickHouseUp(), hasFullDisk()]);
    const reasons = await whyNotReady();
    if (reasons.length > 0) throw new Failure('NOT_READY', reasons.join(' '), { retryAfterSeconds: 5 });
    if (!isUp) {
      const disk = isFull ? ' Its disk was full when it last responded.' : '';
      throw new Failure('CLICKHOUSE_UNREACHABLE', `ClickHouse does not respond.${disk}`, {
        retryAfterSeconds: 1,
      });
    }
    const warnings = [...(isFull ? [FULL_DISK] : []), ...clockWarnings(aheadSeconds())];
    response
      .set('Cache-Control', 'no-store')
      .json({ status: 'ready', ...(warnings.length > 0 && { warnings }) });
  };
}

function clockWarnings(seconds: number): readonly string[] {
  if (seconds === 0) return [];
  const difference = `${Math.abs(seconds)} seconds ${seconds > 0 ? 'ahead of' : 'behind'}`;
  return [
    `The clock of the gateway is ${difference} that of ClickHouse, so that relative times are wrong. Set the clock.`,
  ];
}
