import type { Endpoint, Row, Values } from './model/endpoint.js';
import { callPath } from './snippets/request.js';

/** What went wrong, as a problem document says it (RFC 9457). */
export interface Problem {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly code: string;
  readonly requestId: string;
  readonly problems: readonly { readonly param: string; readonly problem: string }[];
  /** Seconds. */
  readonly retryAfter?: number;
}

/** A request that failed in a way that can be told to a person. */
export class ProblemError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail);
  }
}

/** Rows, and what the answer's headers say of them. */
export interface Result {
  readonly rows: readonly Row[];
  readonly truncated: boolean;
  /** Whether a part of ClickHouse was away, and its rows are missing. */
  readonly partial: boolean;
  readonly cache: string;
  readonly cacheStatus: string;
  /** Seconds; undefined where the answer says none. */
  readonly age?: number;
  readonly requestId: string;
  readonly serverTiming: string;
  readonly rateLimit: string;
  /** From the request to the last byte, as measured here. */
  readonly ms: number;
}

/** Where the gateway is, with a slash at its end. */
export const BASE = new URL('.', document.baseURI).href;

/** The endpoints that a key may call. @throws ProblemError */
export async function fetchEndpoints(key: string, signal: AbortSignal): Promise<readonly Endpoint[]> {
  const response = await ask('api/endpoints', key, signal);
  return ((await response.json()) as { result: readonly Endpoint[] }).result;
}

/** What is asked of an endpoint. */
export interface Question {
  readonly endpoint: string;
  readonly values: Values;
}

/** Runs an endpoint. @throws ProblemError */
export async function run(question: Question, key: string, signal: AbortSignal): Promise<Result> {
  const startedAt = performance.now();
  const response = await ask(targetOf(question), key, signal);
  const { result } = (await response.json()) as { result: readonly Row[] };
  const ms = performance.now() - startedAt;
  const header = (name: string): string => response.headers.get(name) ?? '';
  return {
    rows: result,
    truncated: header('x-truncated') === 'true',
    partial: header('x-partial') === 'true',
    cache: header('x-cache'),
    cacheStatus: header('cache-status'),
    ...(header('age') !== '' && { age: Number(header('age')) }),
    requestId: header('x-request-id'),
    serverTiming: header('server-timing'),
    rateLimit: header('ratelimit'),
    ms,
  };
}

/** A result as a file. @throws ProblemError */
export async function download(
  question: Question,
  format: { readonly name: string; readonly extension: string },
  key: string,
): Promise<{ readonly blob: Blob; readonly fileName: string }> {
  const values = { ...question.values, format: format.name, download: '1' };
  const response = await ask(targetOf({ ...question, values }), key, new AbortController().signal);
  const named = /filename="?([^";]+)"?/i.exec(response.headers.get('content-disposition') ?? '')?.[1];
  return { blob: await response.blob(), fileName: named ?? `${question.endpoint}.${format.extension}` };
}

function targetOf({ endpoint, values }: Question): string {
  const query = new URLSearchParams(values).toString();
  return `${callPath(endpoint)}${query === '' ? '' : `?${query}`}`;
}

async function ask(target: string, key: string, signal: AbortSignal): Promise<Response> {
  // What the browser has cached is confirmed by the gateway, so that what is shown of the answer is of now.
  const request = { headers: headersOf(key), signal, cache: 'no-cache', credentials: 'omit' } as const;
  const response = await fetch(new URL(target, BASE), request).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw new ProblemError(unreachable());
  });
  if (!response.ok) throw new ProblemError(await problemOf(response));
  return response;
}

/** A header takes Latin-1 alone; a key with anything else is none that a gateway has made. */
function headersOf(key: string): Headers {
  try {
    return new Headers({ 'X-API-KEY': key });
  } catch {
    const detail = 'A key has none of the characters that were typed here.';
    throw new ProblemError({ ...unreachable(), status: 401, title: 'API key not accepted', detail });
  }
}

async function problemOf(response: Response): Promise<Problem> {
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  const body = (await response.json().catch(() => ({}))) as Partial<Problem>;
  return {
    status: response.status,
    title: body.title ?? 'The request failed',
    detail: body.detail ?? `Something on the way answered ${response.status}.`,
    code: body.code ?? '',
    requestId: body.requestId ?? '',
    problems: body.problems ?? [],
    ...(Number.isFinite(retryAfter) && { retryAfter }),
  };
}

const unreachable = (): Problem => ({
  status: 0,
  title: 'The gateway can’t be reached',
  detail: 'The request got no answer. Is the gateway running, and the network up?',
  code: '',
  requestId: '',
  problems: [],
});
