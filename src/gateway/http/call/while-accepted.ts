import type { IncomingMessage, ServerResponse } from 'node:http';

import { scopeOf } from '../../auth/pinned-parameters.js';
import { allowsAddress, mayCall, type Principal } from '../../auth/principal.js';
import type { Endpoint } from '../../../endpoint/endpoint.js';
import { Failure } from '../../errors.js';
import { principalOfRequest, type Credentials } from './credentials.js';
import type { Cancellable } from './running-calls.js';

/** Milliseconds between two checks. */
const CHECK_MS = 500;

/** An export that runs, and by whose key it began. */
export interface AcceptedExport {
  readonly request: IncomingMessage & { readonly originalUrl: string };
  readonly response: ServerResponse;
  readonly endpoint: Endpoint;
  readonly principal: Principal;
}

/** Aborts an export whose request would no longer be accepted: its key was removed, has expired, or has other rights now. */
export function whileAccepted(
  wait: Cancellable,
  credentials: Credentials,
  accepted: AcceptedExport,
): Cancellable {
  const { response } = accepted;
  if (response.closed) return wait;
  const timer = setInterval(() => {
    requireAccepted(credentials, accepted).catch((error: unknown) => {
      // What cannot be checked now is not rejected: the issuer of a token does not respond.
      if (error instanceof Failure && error.status < 500) wait.abort(error);
    });
  }, CHECK_MS);
  response.once('close', () => {
    clearInterval(timer);
  });
  return wait;
}

/** @throws Failure */
async function requireAccepted(
  credentials: Credentials,
  { request, endpoint, principal }: AcceptedExport,
): Promise<void> {
  const now = await principalOfRequest(credentials, request, () => endpoint);
  const isAllowed =
    mayCall(now, endpoint) && now.mayExport && allowsAddress(now, credentials.addressOf(request));
  if (isAllowed && scopeOf(now) === scopeOf(principal)) return;
  throw new Failure('FORBIDDEN', 'The key of this export has other rights now.');
}
