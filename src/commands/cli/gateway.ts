import { CommandError, EXIT, usageError } from './exit-codes.js';
import { urlIn } from './option-values.js';

/** A running gateway and the key for it. */
export interface Gateway {
  /** URL without a trailing slash. */
  readonly url: string;
  readonly apiKey: string | undefined;
}

/**
 * The gateway that options and environment variables name. Commander reads variables too early, before the project's
 * .env is applied.
 *
 * @throws CommandError (invalid usage) where QUERYGATE_URL is not a URL, or the key contains invalid characters.
 */
export function gatewayOf({ url, key }: { readonly url?: string; readonly key?: string }): Gateway {
  const fromVariable = variable('QUERYGATE_URL');
  const target =
    url ?? (fromVariable === undefined ? 'http://127.0.0.1:8080' : urlIn('QUERYGATE_URL', fromVariable));
  const apiKey = key ?? variable('QUERYGATE_KEY') ?? variable('API_KEY');
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw usageError(
      'The API key contains characters that no key has, such as spaces or line breaks. Check --key or QUERYGATE_KEY.',
    );
  }
  return { url: target, apiKey };
}

/** The value of an environment variable; undefined where it is empty. */
function variable(name: string): string | undefined {
  const value = process.env[name];
  return value === '' ? undefined : value;
}

/** Sends a request, as `fetch` does. */
export type SendRequest = (target: string | URL, request: RequestInit) => Promise<Response>;

/**
 * Sends a request with the key of the gateway and returns the response when its headers have arrived; the body is still to be
 * read. Following a redirect would send the key to another server.
 *
 * @param target a URL of the gateway.
 * @throws CommandError where the gateway is unreachable; the signal's reason where it is aborted.
 */
export async function requestGateway(
  { url, apiKey }: Gateway,
  target: string | URL,
  request: RequestInit,
  send: SendRequest,
): Promise<Response> {
  const headers = new Headers(request.headers);
  if (apiKey !== undefined) headers.set('X-API-KEY', apiKey);
  try {
    return await send(target, { ...request, headers, redirect: 'manual' });
  } catch (error) {
    request.signal?.throwIfAborted();
    throw disconnected(
      `The gateway at ${url} is unreachable`,
      error,
      'Start it, or set --url to its address',
    );
  }
}

/** The error of an incomplete response. */
export function incomplete({ url }: Gateway, cause: unknown): CommandError {
  return disconnected(`The response of the gateway at ${url} is incomplete`, cause, 'Repeat the request');
}

function disconnected(problem: string, cause: unknown, advice: string): CommandError {
  return new CommandError(`${problem}: ${reasonOf(cause)}. ${advice}.`, EXIT.unreachable, { cause });
}

/** The text of the innermost cause: fetch wraps the reason, which can be one error for each IP address that was tried. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  if (error.cause !== undefined) return reasonOf(error.cause);
  return 'code' in error && typeof error.code === 'string' && error.message === ''
    ? error.code
    : error.message;
}
