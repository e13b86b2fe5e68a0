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

/** The failure for a follower; undefined if this version does not know its code. */
export function failureFrom({ code, message, ...details }: SharedFailure): Failure | undefined {
  if (!Object.hasOwn(ERRORS, code)) return undefined;
  return new Failure(code, message, { ...details, diagnosis: 'another gateway ran the query' });
}
