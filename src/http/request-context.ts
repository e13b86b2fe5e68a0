import type { IncomingMessage } from 'node:http';

import type { Principal } from '../auth/principal.js';
import type { LimitState } from '../limits/limit-state.js';
import type { CacheStatus } from '../query/call.js';

/** What is known of a request while it is answered; most of it ends up in its line of the log. */
export interface RequestContext {
  readonly requestId: string;
  /** Of `performance.now()`. */
  readonly startedAt: number;
  principal?: Principal;
  /** Whether the key came in a header, and not as a part of the URL. */
  isPresentedInHeaders?: boolean;
  endpoint?: string;
  /** How the limits on requests stood when this one was counted. */
  limits?: readonly LimitState[];
  rows?: number;
  /** Set where the answer lacks the rows of a shard. */
  partial?: true;
  cache?: CacheStatus;
  clickhouseMs?: number;
  /** What was asked: digest of the endpoint's definition, and hash of the whole question. */
  query?: { readonly digest: string; readonly hash: string };
  /** What the query cost that the request caused. */
  cost?: {
    readonly queryId: string;
    readonly rowsRead: number;
    readonly bytesRead: number;
    readonly waitingMs: number;
  };
  failure?: unknown;
}

const contexts = new WeakMap<IncomingMessage, RequestContext>();

/** Opens the context of a request; the first thing that happens to it. */
export function openContext(request: IncomingMessage, context: RequestContext): void {
  contexts.set(request, context);
}

/** The context of a request. */
export function contextOf(request: IncomingMessage): RequestContext {
  const context = contexts.get(request);
  if (!context) throw new Error('the request has no context: openContext comes first');
  return context;
}
