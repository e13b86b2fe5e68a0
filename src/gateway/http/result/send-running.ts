import type { Request, Response } from 'express';

import type { StillRunning } from '../../scheduler/deferred-calls.js';
import { withoutKey } from '../call/target-without-key.js';

/** A call that has no result yet, for its caller. */
export interface RunningState {
  readonly status: 'running';
  /** Since the request that started it. */
  readonly elapsedSeconds: number;
  /** After so many seconds in ClickHouse it fails. */
  readonly timeLimitSeconds: number;
  /** When the caller should repeat the request. */
  readonly retryAfterSeconds: number;
}

/** The longest advice: a caller learns of the result late. */
const MAX_RETRY_SECONDS = 10;

export function runningState({ since, timeLimitSeconds }: StillRunning, now: Date): RunningState {
  const elapsedSeconds = Math.max(0, Math.round((now.getTime() - since) / 1000));
  const retryAfterSeconds = Math.min(MAX_RETRY_SECONDS, Math.max(1, Math.round(elapsedSeconds / 4)));
  return { status: 'running', elapsedSeconds, timeLimitSeconds, retryAfterSeconds };
}

export interface RunningResponse {
  readonly running: StillRunning;
  /** Whether the target is all of the call, and has no secret value. */
  readonly isWhole: boolean;
  /** The other preferences that were applied. */
  readonly applied: string;
  /** `PUBLIC_URL` */
  readonly publicUrl: string | undefined;
  readonly now: Date;
}

/** Sends 202: the same request joins the query or gets its result. Where its URL is not all of it, that URL is another call. */
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
