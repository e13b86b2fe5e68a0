import { parse, type ParseOptions } from 'lossless-json';

import type { DevelopmentEndpoint, DevelopmentState } from './model/development.js';
import type { Endpoint, Row, Values } from './model/endpoint.js';
import type { Format } from './model/formats.js';
import { pageOf, type EndpointRequest } from './model/request.js';
import { callPath } from './snippets/request.js';

/** A problem document (RFC 9457). */
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

/** A failed request, with a problem to show. */
export class ProblemError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail);
  }
}

/** Rows with numbers as `LosslessNumber`, and what the headers of the response say about them. */
export interface Result {
  readonly rows: readonly Row[];
  readonly truncated: boolean;
  /** The cursor of the next page, where there is one. */
  readonly next?: string;
  /** Whether rows are missing because a part of ClickHouse was unreachable. */
  readonly partial: boolean;
  readonly cache: string;
  readonly cacheStatus: string;
  /** Age in seconds; undefined where the response has no age. */
  readonly age?: number;
  readonly requestId: string;
  readonly serverTiming: string;
  readonly rateLimit: string;
  /** Milliseconds from the request to the last byte, measured in the browser. */
  readonly ms: number;
  /** When it arrived, in milliseconds since 1970. */
  readonly at: number;
}

/** Base URL of the gateway, with a slash at its end. */
export const BASE = new URL('.', document.baseURI).href;

/** The endpoints that a key may call. @throws ProblemError */
export async function fetchEndpoints(key: string, signal: AbortSignal): Promise<readonly Endpoint[]> {
  const response = await send('api/endpoints', key, signal);
  const { result, sqlPort } = (await response.json()) as { result: readonly Endpoint[]; sqlPort?: number };
  if (!sqlPort) return result;
  return result.map((endpoint) => (endpoint.tables ? { ...endpoint, sqlPort } : endpoint));
}

/**
 * The state of a gateway that runs in development. Any other gateway has no such resource.
 *
 * @param after a revision: the response waits until the revision is another one, at most for half a minute.
 * @throws ProblemError
 */
export async function fetchDevelopment(
  key: string,
  after: string,
  signal: AbortSignal,
): Promise<DevelopmentState> {
  const query = after === '' ? '' : `?${new URLSearchParams({ after }).toString()}`;
  const response = await send(`api/dev${query}`, key, signal);
  if (response.status === 204) throw new ProblemError(noDevelopment());
  return (await response.json()) as DevelopmentState;
}

/** An endpoint of a gateway in development, for the values in a query string. @throws ProblemError */
export async function fetchDevelopmentEndpoint(
  name: string,
  query: string,
  key: string,
  signal: AbortSignal,
): Promise<DevelopmentEndpoint> {
  const target = `api/dev/endpoints/${encodeURIComponent(name)}${query === '' ? '' : `?${query}`}`;
  return (await (await send(target, key, signal)).json()) as DevelopmentEndpoint;
}

/** Whether a key may sign links, and for how many seconds at most. @throws ProblemError */
export async function fetchLinking(
  key: string,
  signal: AbortSignal,
): Promise<{ readonly mayLink: boolean; readonly maxExpiresIn: number }> {
  const response = await send('api/links', key, signal);
  return (await response.json()) as { mayLink: boolean; maxExpiresIn: number };
}

/** A signed link to the rows of a call. @param spec its `expiresIn` is in seconds. @throws ProblemError */
export async function makeLink(
  spec: { readonly endpoint: string; readonly parameters: Values; readonly expiresIn: number },
  key: string,
): Promise<string> {
  const { signal } = new AbortController();
  const response = await send('api/links', key, signal, { body: JSON.stringify(spec) });
  const { link } = (await response.json()) as { readonly link: string };
  // A path is one of the gateway, which can be below a path itself.
  return new URL(link.replace(/^\//, ''), BASE).href;
}

/** Runs an endpoint. @throws ProblemError */
export async function run(request: EndpointRequest, key: string, signal: AbortSignal): Promise<Result> {
  const startedAt = performance.now();
  const cursor: Values = request.cursor === undefined ? {} : { cursor: request.cursor };
  // The page reads numbers of any length, and shows and adds them as numbers.
  const response = await call(request, cursor, key, signal, 'handling=strict, numbers=plain');
  const { result } = parse(await response.text(), null, JSON_OF_CLICKHOUSE) as { result: readonly Row[] };
  const ms = performance.now() - startedAt;
  const header = (name: string): string => response.headers.get(name) ?? '';
  return {
    rows: result,
    truncated: header('x-truncated') === 'true',
    ...(header('x-next-cursor') !== '' && { next: header('x-next-cursor') }),
    partial: header('x-partial') === 'true',
    cache: header('x-cache'),
    cacheStatus: header('cache-status'),
    ...(header('age') !== '' && { age: Number(header('age')) }),
    requestId: header('x-request-id'),
    serverTiming: header('server-timing'),
    rateLimit: header('ratelimit'),
    ms,
    at: Date.now(),
  };
}

/** ClickHouse writes a Map as an object, also one that has a key twice: the last one is shown, as by any JSON parser. */
const JSON_OF_CLICKHOUSE: ParseOptions = { onDuplicateKey: ({ newValue }) => newValue };

/** A file to save. */
export interface SavedFile {
  readonly blob: Blob;
  readonly fileName: string;
}

/** How a file is fetched. */
export interface DownloadOptions {
  /** Whether the result has all rows, beyond the row cap. */
  readonly isExport: boolean;
  readonly signal: AbortSignal;
  /** Called with the bytes that have come so far. */
  readonly onBytes: (bytes: number) => void;
}

/** A result as a file. @throws ProblemError, also where the transfer ends early; the reason of an aborted signal */
export async function download(
  request: EndpointRequest,
  format: Format,
  key: string,
  { isExport, signal, onBytes }: DownloadOptions,
): Promise<SavedFile> {
  // A file of CSV is opened in a spreadsheet, which would run formulas.
  const safe: Values = format.name === 'csv' ? { csv_safe: '1' } : {};
  const page = isExport ? undefined : pageOf(request);
  const presentation = {
    ...{ format: format.name, download: '1', ...safe },
    ...(isExport && { export: '1' }),
    ...(page && { cursor: page.cursor }),
  };
  const response = await call(request, presentation, key, signal);
  const named = /filename="?([^";]+)"?/i.exec(response.headers.get('content-disposition') ?? '')?.[1];
  const fileName = named ?? `${request.endpoint}.${format.extension}`;
  return {
    blob: await bytesOf(response, signal, onBytes),
    fileName: page ? fileName.replace(/(?=\.[^.]+$)/, `-page-${page.number}`) : fileName,
  };
}

async function bytesOf(
  response: Response,
  signal: AbortSignal,
  onBytes: DownloadOptions['onBytes'],
): Promise<Blob> {
  const chunks: BlobPart[] = [];
  let bytes = 0;
  try {
    const reader = response.body?.getReader();
    for (let step = await reader?.read(); step && !step.done; step = await reader?.read()) {
      chunks.push(step.value);
      onBytes((bytes += step.value.byteLength));
    }
  } catch (error) {
    if (signal.aborted) throw error;
    const detail = 'The rows ended early, and no file was saved. Try again, or narrow the parameters.';
    throw new ProblemError({ ...unreachable(), title: 'The transfer broke off', detail });
  }
  return new Blob(chunks);
}

/** @param presentation parameters of the gateway's own, which are in the URL of a POST too. */
function call(
  { endpoint, values, body }: EndpointRequest,
  presentation: Values,
  key: string,
  signal: AbortSignal,
  prefer = 'handling=strict',
): Promise<Response> {
  const query = new URLSearchParams(body ? presentation : { ...values, ...presentation }).toString();
  const target = `${callPath(endpoint)}${query === '' ? '' : `?${query}`}`;
  return send(target, key, signal, { body: body && JSON.stringify(values), prefer });
}

interface SendOptions {
  /** JSON of a POST; without it the request is a GET. */
  readonly body?: string | undefined;
  readonly prefer?: string;
}

async function send(
  target: string,
  key: string,
  signal: AbortSignal,
  { body, prefer }: SendOptions = {},
): Promise<Response> {
  const headers = headersOf(key);
  if (prefer !== undefined) headers.set('Prefer', prefer);
  if (body !== undefined) headers.set('Content-Type', 'application/json');
  const method = body === undefined ? 'GET' : 'POST';
  // The browser revalidates what it has cached, so that the headers that the page shows are current.
  const request = {
    method,
    headers,
    body: body ?? null,
    signal,
    cache: 'no-cache',
    credentials: 'omit',
  } as const;
  const response = await fetch(new URL(target, BASE), request).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw new ProblemError(unreachable());
  });
  if (!response.ok) throw new ProblemError(await problemOf(response));
  return response;
}

/** A header can contain Latin-1 only, and so does every key of a gateway. */
function headersOf(key: string): Headers {
  try {
    return new Headers({ 'X-API-KEY': key });
  } catch {
    const detail = 'This text contains characters that no key contains. Copy the key again.';
    throw new ProblemError({ ...unreachable(), status: 401, title: 'API key not accepted', detail });
  }
}

async function problemOf(response: Response): Promise<Problem> {
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  const body = (await response.json().catch(() => ({}))) as Partial<Problem>;
  return {
    status: response.status,
    title: body.title ?? 'The request failed',
    detail:
      body.detail ??
      `The response has status ${response.status} and no problem document; a proxy may have sent it.`,
    code: body.code ?? '',
    requestId: body.requestId ?? '',
    problems: body.problems ?? [],
    ...(Number.isFinite(retryAfter) && { retryAfter }),
  };
}

const noDevelopment = (): Problem => ({
  ...unreachable(),
  status: 404,
  title: 'Not in development',
  detail: 'The gateway does not run in development.',
});

const unreachable = (): Problem => ({
  status: 0,
  title: 'The gateway is unreachable',
  detail: 'The request got no response. Check that the gateway runs and that the network works.',
  code: '',
  requestId: '',
  problems: [],
});
