import type { Request, Response } from 'express';

/** What is known of a request while it is answered; most of it ends up in its line of the log. */
export interface RequestContext {
  readonly requestId: string;
  /** Of `performance.now()`. */
  readonly startedAt: number;
  keyName?: string;
  endpoint?: string;
  rows?: number;
  cache?: string;
  clickhouseMs?: number;
  failure?: unknown;
}

const contexts = new WeakMap<Request, RequestContext>();

/** Opens the context of a request; the first thing that happens to it. */
export function openContext(request: Request, context: RequestContext): void {
  contexts.set(request, context);
}

/** The context of a request. */
export function contextOf(request: Request | Response['req']): RequestContext {
  const context = contexts.get(request);
  if (!context) throw new Error('the request has no context: openContext comes first');
  return context;
}
