import { ABOUT_LEADER, ERRORS, Failure, type ErrorCode, type FailureDetails } from '../errors.js';

/** The public part of a failure, which followers in other processes receive. */
export interface SharedFailure extends Pick<FailureDetails, 'retryAfterSeconds' | 'problems'> {
  readonly code: ErrorCode;
  readonly message: string;
}

/** The public part of an error; undefined if it does not concern the query: a follower then runs the query itself. */
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

/** The failure that another gateway published as JSON; undefined where there is none, or one that this version does not know. */
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
