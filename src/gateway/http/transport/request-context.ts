import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

import type { Principal } from '../../auth/principal.js';
import type { KnownTarget } from '../call/known-targets.js';
import type { LimitState } from '../../limits/limit-state.js';
import type { OutcomeFacts } from '../../observability/outcome-facts.js';

/** The facts of a request, mostly for its line in the log and its row in the request log. */
export interface RequestContext {
  readonly requestId: string;
  /** `performance.now()` when the request's headers were parsed. */
  readonly startedAt: number;
  principal?: Principal;
  /** Name of the endpoint. */
  endpoint?: string;
  /** States of the request limits after this request was counted. */
  limits?: readonly LimitState[];
  /** The valid call, and its cache key once it is computed. */
  called?: Partial<KnownTarget>;
  /** User-Agent of the client that sent a statement. */
  tool?: string | undefined;
  /** Names of the endpoints that a statement reads. */
  tables?: readonly string[];
  outcome?: OutcomeFacts;
  failure?: unknown;
  /** Set where a response with status 200 has the failure in its body. */
  isFailureInBody?: true;
  /** Set where the response waits for a change for as long as the client wants, so that its disconnection is not a failure. */
  endsWithClient?: true;
}

const contexts = new WeakMap<IncomingMessage, RequestContext>();

/** Creates the context of a request; the first handler calls it. */
export function openContext(request: IncomingMessage, context: RequestContext): void {
  contexts.set(request, context);
}

/** The context of a request. */
export function contextOf(request: IncomingMessage): RequestContext {
  const context = contexts.get(request);
  if (!context) throw new Error('the request has no context: call openContext first');
  return context;
}

/** The principal of an authenticated request. */
export function principalOf({ principal }: RequestContext): Principal {
  if (!principal) throw new Error('the request was not authenticated');
  return principal;
}

/** Ids that need no escape in a header, a log line or a query id. */
const PLAIN = /^[\w.:@=+/~-]{1,128}$/;

/** The caller's id where it needs no escape, else a new UUID. */
export function requestIdOf(header: string | undefined): string {
  return header !== undefined && PLAIN.test(header) ? header : randomUUID();
}
