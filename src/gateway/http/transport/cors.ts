import type { RequestHandler } from 'express';
import cors from 'cors';

import { SESSION_HEADER } from '../mcp/running-calls.js';
import { RESPONSE_HEADERS } from '../describe/openapi/headers.js';

/** Headers that let the page of an origin read a response: names and values alternate. */
export interface CorsHeaders {
  /** Without `Vary`. */
  readonly list: readonly string[];
  /** What of the request decided them, for `Vary`. */
  readonly vary: string | undefined;
}

const NONE: CorsHeaders = { list: [], vary: undefined };

/** Answers preflight requests, and sets the headers of responses for the pages of these origins. */
export function allowOrigins(origins: readonly string[]): RequestHandler {
  return cors({
    origin: [...origins],
    methods: ['GET', 'HEAD', 'POST'],
    exposedHeaders: [...Object.keys(RESPONSE_HEADERS), SESSION_HEADER],
    maxAge: 600,
  });
}

/**
 * The headers that {@link allowOrigins} sets for a request with an origin, computed once for each origin.
 *
 * @param origins without any, no response has such headers.
 */
export function corsHeadersOf(origins: readonly string[]): (origin: string | undefined) => CorsHeaders {
  if (origins.length === 0) return () => NONE;
  const handle = allowOrigins(origins);
  const byOrigin = new Map(origins.map((origin) => [origin, headersSetBy(handle, origin)]));
  const forOthers = headersSetBy(handle, undefined);
  return (origin) => byOrigin.get(origin ?? '') ?? forOthers;
}

function headersSetBy(handle: RequestHandler, origin: string | undefined): CorsHeaders {
  const headers = new Map<string, string>();
  const response = {
    getHeader: (name: string) => headers.get(name),
    setHeader: (name: string, value: string) => headers.set(name, value),
  };
  void handle({ method: 'GET', headers: { origin } } as never, response as never, (error?: unknown) => {
    if (error instanceof Error) throw error;
  });
  const list = [...headers].filter(([name]) => name !== 'Vary').flat();
  return { list, vary: headers.get('Vary') };
}
