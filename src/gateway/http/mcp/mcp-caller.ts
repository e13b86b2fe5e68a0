import type { Response } from 'express';

import type { Principal } from '../../auth/principal.js';
import type { Failure } from '../../errors.js';
import type { Preferences } from '../call/sent-call.js';
import type { Cancellable } from '../call/running-calls.js';
import type { RequestContext } from '../transport/request-context.js';

/** Who sent a message, and what of the HTTP request counts for it. */
export interface McpCaller {
  readonly context: RequestContext;
  readonly principal: Principal;
  /** Aborted when the client disconnects. */
  readonly wait: Cancellable;
  /** Of the HTTP request. */
  readonly preferences: Preferences;
  /** Only endpoints with one of these tags are listed; undefined: all. */
  readonly tags: ReadonlySet<string> | undefined;
  /** The arguments of the tool, with numbers as `LosslessNumber`; of `tools/call` only. */
  readonly arguments: unknown;
  /** Why the call is rejected before it runs, where a request limit of its caller is exceeded. */
  readonly rejected: Failure | undefined;
  /** For headers that only the call knows. */
  readonly response: Response;
}
