import type { Response } from 'express';

import type { Principal } from '../../auth/principal.js';
import type { Failure } from '../../errors.js';
import type { Preferences } from '../call/sent-call.js';
import type { Cancellable } from '../call/running-calls.js';
import type { RequestContext } from '../transport/request-context.js';

/** The sender of a message, and the parts of the HTTP request that affect the response. */
export interface McpCaller {
  readonly context: RequestContext;
  readonly principal: Principal;
  /** Aborted when the client disconnects. */
  readonly wait: Cancellable;
  /** Preferences in the `Prefer` header of the HTTP request. */
  readonly preferences: Preferences;
  /** Only endpoints with one of these tags are listed; undefined: all. */
  readonly tags: ReadonlySet<string> | undefined;
  /** The arguments of the tool, with numbers as `LosslessNumber`; undefined for other methods than `tools/call`. */
  readonly arguments: unknown;
  /** Why the call is rejected before it runs; undefined unless the caller exceeds a request limit. */
  readonly rejected: Failure | undefined;
  /** The HTTP response, for headers that depend on the call. */
  readonly response: Response;
}
