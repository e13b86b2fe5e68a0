import { CommandError, EXIT } from './exit-codes.js';

/** The error of a connection that failed or broke. */
export function unreachable(problem: string, cause: unknown): CommandError {
  const reason = reasonOf(cause);
  return new CommandError(`${problem}${reason === '' ? '' : ` (${reason})`}.`, EXIT.unreachable, { cause });
}

/** The text of the innermost cause: fetch wraps the reason, which can be one error for each IP address that was tried. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  if (error.cause !== undefined) return reasonOf(error.cause);
  return 'code' in error && typeof error.code === 'string' && error.message === ''
    ? error.code
    : error.message;
}
