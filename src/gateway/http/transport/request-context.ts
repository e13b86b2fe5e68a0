import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

import type { Principal } from '../../auth/principal.js';
import type { Figures } from '../../../endpoint/figures.js';
import type { QueryCost } from '../../../endpoint/limit-rules.js';
import type { ReadCall } from '../call/read-call.js';
import type { LimitState } from '../../limits/limit-state.js';
import type { CacheStatus } from '../../query/call.js';

/** Facts about a request that handlers collect, mostly for its line in the access log. */
export interface RequestContext {
  readonly requestId: string;
  /** `performance.now()` when the request's headers were parsed. */
  readonly startedAt: number;
  principal?: Principal;
  /** Whether the key or token came in a header, not in the URL. */
  isPresentedInHeaders?: boolean;
  endpoint?: string;
  /** Names of parameters that were ignored, percent-encoded. */
  ignored?: string | undefined;
  /** States of the request limits after this request was counted. */
  limits?: readonly LimitState[];
  rows?: number;
  /** Bytes of a complete export, before any compression. */
  exportedBytes?: number;
  /** Set where the rows of a shard are missing from the response. */
  partial?: true;
  cache?: CacheStatus;
  /** Digest of the endpoint's definition, and hash of the endpoint query. */
  query?: { readonly digest: string; readonly hash: string; readonly call: ReadCall };
  /** The query that this request caused. */
  caused?: {
    readonly queryId: string;
    readonly cost: Figures<QueryCost>;
    /** Milliseconds in the query queue. */
    readonly waitingMs: number;
  };
  /** What the query cost that this request caused or waited for, and how many callers share it. */
  charged?: { readonly cost: Figures<QueryCost>; readonly callers: number };
  /** What the queries of kept pieces had cost, where this request composed its result. */
  saved?: Figures<QueryCost>;
  failure?: unknown;
  /** Set where the failure is in the body of a response whose status is 200. */
  isFailureInBody?: true;
  /** Set where the response waits for a change as long as the client wants, so that its disconnection is no failure. */
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

/** Ids that need no escaping in a header, a log line or a query id. */
const PLAIN = /^[\w.:@=+/~-]{1,128}$/;

/** The caller's id where it needs no escaping, else a new UUID. */
export function requestIdOf(header: string | undefined): string {
  return header !== undefined && PLAIN.test(header) ? header : randomUUID();
}
