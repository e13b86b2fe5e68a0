import { ABOUT_LEADER, ERRORS, Failure, type ErrorCode, type FailureDetails } from '../errors.js';

/** The public part of a failure, which followers in other processes receive. */
export interface SharedFailure extends Pick<FailureDetails, 'retryAfterSeconds' | 'problems'> {
  readonly code: ErrorCode;
  readonly message: string;
}

/** Public part of an error. Undefined if it does not concern the query, so that a follower runs the query itself. */
export function sharedFailureOf(error: unknown): SharedFailure | undefined {
  if (!(error instanceof Failure) || ABOUT_LEADER.has(error.code)) return undefined;
  const { code, message, details } = error;
  const { retryAfterSeconds, problems } = details;
  return {
    code,
    message,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(problems && { problems }),
  };
}

/** Failure that another gateway published as JSON. Undefined where there is none, or where this version does not know its code. */
export function readFailure(published: string | null | undefined): Failure | undefined {
  if (typeof published !== 'string') return undefined;
  try {
    const { code, message, ...details } = JSON.parse(published) as SharedFailure;
    if (!Object.hasOwn(ERRORS, code)) return undefined;
    return new Failure(code, message, { ...details, diagnosis: 'another gateway ran the query' });
  } catch {
    return undefined;
  }
}
