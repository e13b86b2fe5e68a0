import type { ServerResponse } from 'node:http';

import { scopeOf } from '../../auth/pinned-parameters.js';
import type { Principal } from '../../auth/principal.js';
import { Failure } from '../../errors.js';
import type { Cancellable } from './running-calls.js';

/** Milliseconds between two checks. */
const CHECK_MS = 500;

/** A response whose rows are sent as they arrive, and the principal with which the request began. */
export interface AcceptedRequest {
  readonly response: ServerResponse;
  readonly principal: Principal;
  /** Authenticates the request again. @throws Failure */
  readonly authenticate: () => Promise<Principal>;
  /** Whether a principal with the same pins may still read the rows. */
  readonly isAllowed: (now: Principal) => boolean;
}

/** Aborts a request that would no longer be accepted, because its key was removed, has expired, or has other rights now. */
export function whileAccepted(wait: Cancellable, accepted: AcceptedRequest): Cancellable {
  const { response } = accepted;
  if (response.closed) return wait;
  const timer = setInterval(() => {
    requireAccepted(accepted).catch((error: unknown) => {
      // A check that fails for another reason does not abort, such as an unreachable issuer of a token.
      if (error instanceof Failure && error.status < 500) wait.abort(error);
    });
  }, CHECK_MS);
  response.once('close', () => {
    clearInterval(timer);
  });
  return wait;
}

/** @throws Failure */
async function requireAccepted({ principal, authenticate, isAllowed }: AcceptedRequest): Promise<void> {
  const now = await authenticate();
  if (isAllowed(now) && scopeOf(now) === scopeOf(principal)) return;
  throw new Failure('FORBIDDEN', 'The key of this request has other rights now.');
}
