import { setTimeout as delay } from 'node:timers/promises';

import { FORMATS, type FormatName } from '../../../gateway/formats/formats.js';
import { isOwnParameter } from '../../../gateway/http/call/undeclared-parameters.js';
import { incomplete, requestGateway, type Gateway } from '../gateway.js';
import { patientFetch } from './patient-fetch.js';

/** A call of an endpoint of a running gateway. */
export interface EndpointCall {
  readonly endpoint: string;
  /** Texts, and lists of them, which are repeated in a URL. */
  readonly parameters: ReadonlyMap<string, string | readonly string[]>;
  readonly format: FormatName | undefined;
  /** Whether the parameters are sent in the body of a POST. The gateway’s own parameters stay in the URL. */
  readonly post?: boolean;
}

/** Seconds without a result after which the gateway responds that the query is running, before a proxy ends the request. */
const WAIT_SECONDS = 10;

/** The URL of the call. */
export function urlOf(
  base: string,
  { endpoint, parameters, post = false }: Omit<EndpointCall, 'format'>,
): string {
  const inUrl = [...parameters].filter(([name]) => !post || isOwnParameter(name));
  const pairs = inUrl.flatMap(([name, value]) =>
    [value].flat().map((text): [string, string] => [name, text]),
  );
  const query = new URLSearchParams(pairs).toString();
  const path = `${base}/api/endpoints/query/${encodeURIComponent(endpoint)}`;
  return query === '' ? path : `${path}?${query}`;
}

/** The body of the call by POST. */
export function bodyOf({ parameters }: Pick<EndpointCall, 'parameters'>): string {
  return JSON.stringify(Object.fromEntries([...parameters].filter(([name]) => !isOwnParameter(name))));
}

/**
 * Sends the call and returns the response when its headers have arrived; the body is still to be read.
 *
 * @throws CommandError where the gateway is unreachable.
 */
function requestEndpoint(gateway: Gateway, call: EndpointCall, signal: AbortSignal): Promise<Response> {
  const { format, parameters, post = false } = call;
  const isExport = parameters.has('export');
  const headers = {
    'User-Agent': 'querygate-cli',
    Accept: FORMATS[format ?? 'json'].mediaType,
    ...(post && { 'Content-Type': 'application/json' }),
    // An undeclared parameter is an error, because a person who misspells one must not take other rows for the result.
    Prefer: `handling=strict${isExport ? '' : `, respond-async, wait=${WAIT_SECONDS}`}`,
  };
  const request = { headers, signal, ...(post && { method: 'POST', body: bodyOf(call) }) };
  return requestGateway(gateway, urlOf(gateway.url, call), request, isExport ? patientFetch : fetch);
}

/** What `querygate call` shows of a query that takes longer than a request. */
interface Running {
  readonly elapsedSeconds: number;
  readonly timeLimitSeconds: number;
}

/** Minimum pause between two requests, because the response of a server that is not a gateway may demand none. */
const LEAST_PAUSE_SECONDS = 0.1;

/** @throws CommandError where the response does not describe a running call */
async function readRunning(gateway: Gateway, response: Response): Promise<Running> {
  return response.json().then(
    (running) => running as Running,
    (cause: unknown) => {
      throw incomplete(gateway, cause);
    },
  );
}

/**
 * Sends the call until it has a result or an error, and returns that response.
 *
 * @throws CommandError where the gateway is unreachable; the signal's reason where it is aborted.
 */
export async function requestResult(
  gateway: Gateway,
  call: EndpointCall,
  signal: AbortSignal,
): Promise<Response> {
  const { stderr } = process;
  for (;;) {
    const response = await requestEndpoint(gateway, call, signal);
    const { status, headers } = response;
    if (status !== 202) return response;
    const { elapsedSeconds, timeLimitSeconds } = await readRunning(gateway, response);
    const line = `the query is running: ${elapsedSeconds} s of at most ${timeLimitSeconds} s`;
    if (stderr.isTTY) stderr.write(`\r${line}`);
    const seconds = Math.max(LEAST_PAUSE_SECONDS, Number(headers.get('retry-after') ?? 1) || 0);
    await delay(seconds * 1000, undefined, { signal }).catch(() => {
      signal.throwIfAborted();
    });
    if (stderr.isTTY) stderr.write(`\r${' '.repeat(line.length)}\r`);
  }
}
