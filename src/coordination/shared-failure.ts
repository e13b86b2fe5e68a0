import { ABOUT_LEADER, ERRORS, Failure, type ErrorCode, type FailureDetails } from '../errors.js';

/** The public half of a failure, for those who wait for its query in other processes. */
export interface SharedFailure extends Pick<FailureDetails, 'retryAfterSeconds' | 'problems'> {
  readonly code: ErrorCode;
  readonly message: string;
}

/** What of an error is told to others; undefined where it is not about the query, and one of them asks instead. */
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

/** The failure as it is told to a caller who waited; undefined where it is none that this version knows. */
export function failureFrom({ code, message, ...details }: SharedFailure): Failure | undefined {
  if (!Object.hasOwn(ERRORS, code)) return undefined;
  return new Failure(code, message, { ...details, diagnosis: 'the query was asked by another gateway' });
}
