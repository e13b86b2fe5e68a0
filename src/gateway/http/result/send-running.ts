import type { Request, Response } from 'express';

import type { StillRunning } from '../../scheduler/deferred-calls.js';
import { withoutKey } from '../call/target-without-key.js';

/** The state of a running call, for its caller. */
export interface RunningState {
  readonly status: 'running';
  /** Seconds since the request that started the call. */
  readonly elapsedSeconds: number;
  /** Seconds in ClickHouse after which the call fails. */
  readonly timeLimitSeconds: number;
  /** Seconds after which the caller should repeat the request. */
  readonly retryAfterSeconds: number;
}

/** Maximum advice, because with a longer one the caller would learn late of the result. */
const MAX_RETRY_SECONDS = 10;

export function runningState({ since, timeLimitSeconds }: StillRunning, now: Date): RunningState {
  const elapsedSeconds = Math.max(0, Math.round((now.getTime() - since) / 1000));
  const retryAfterSeconds = Math.min(MAX_RETRY_SECONDS, Math.max(1, Math.round(elapsedSeconds / 4)));
  return { status: 'running', elapsedSeconds, timeLimitSeconds, retryAfterSeconds };
}

export interface RunningResponse {
  readonly running: StillRunning;
  /** Whether the request target is the whole call, and has no secret value. */
  readonly isWhole: boolean;
  /** The other applied preferences, for `Preference-Applied`. */
  readonly applied: string;
  /** `PUBLIC_URL` */
  readonly publicUrl: string | undefined;
  readonly now: Date;
}

/** Sends 202: a repeated request joins the query or gets its result. Without `isWhole`, the response has no `Location`. */
export function sendRunning(
  { originalUrl }: Request,
  response: Response,
  { running, isWhole, applied, publicUrl, now }: RunningResponse,
): void {
  const { retryAfterSeconds, ...body } = runningState(running, now);
  const prefix = publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');
  if (isWhole) response.set('Location', prefix + withoutKey(originalUrl));
  response
    .status(202)
    .set({
      'Retry-After': String(retryAfterSeconds),
      'Preference-Applied': `respond-async${applied === '' ? '' : `, ${applied}`}`,
      'Cache-Control': 'no-store',
    })
    .json(body);
}
