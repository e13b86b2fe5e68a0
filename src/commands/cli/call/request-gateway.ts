import { FORMATS, type FormatName } from '../../../gateway/formats/formats.js';
import { isOwnParameter } from '../../../gateway/http/call/undeclared-parameters.js';
import type { Gateway } from '../gateway-options.js';
import { unreachable } from '../unreachable.js';

/** A call of an endpoint of a running gateway. */
export interface GatewayCall extends Gateway {
  readonly endpoint: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly format: FormatName | undefined;
  /** Whether the parameters travel in the body of a POST; the gateway’s own are in the URL all the same. */
  readonly post?: boolean;
}

/** The URL of the call. */
export function urlOf({ url, endpoint, parameters, post = false }: GatewayCall): string {
  const inUrl = [...parameters].filter(([name]) => !post || isOwnParameter(name));
  const query = new URLSearchParams(inUrl).toString();
  const path = `${url}/api/endpoints/query/${encodeURIComponent(endpoint)}`;
  return query === '' ? path : `${path}?${query}`;
}

/**
 * Sends the call and returns the response when its headers have arrived; the body is still to be read.
 *
 * @throws CommandError where the gateway is unreachable.
 */
export async function requestGateway(call: GatewayCall, signal: AbortSignal): Promise<Response> {
  const { headers: ofBody, ...body } = bodyOf(call);
  const headers = { ...headersOf(call), ...ofBody };
  try {
    // Following a redirect would send the key to another server.
    return await fetch(urlOf(call), { ...body, headers, signal, redirect: 'manual' });
  } catch (error) {
    throw unreachable(`The gateway at ${call.url} is unreachable`, error);
  }
}

/** The method and the body of the call. */
function bodyOf({ post, parameters }: GatewayCall): Pick<RequestInit, 'method' | 'body'> & {
  readonly headers?: Readonly<Record<string, string>>;
} {
  if (!post) return {};
  return {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(Object.fromEntries([...parameters].filter(([name]) => !isOwnParameter(name)))),
  };
}

function headersOf({ format, apiKey }: GatewayCall): Readonly<Record<string, string>> {
  return {
    'User-Agent': 'querygate-cli',
    Accept: FORMATS[format ?? 'json'].mediaType,
    // A person who misspells a parameter must not take other rows for the result.
    Prefer: 'handling=strict',
    ...(apiKey !== undefined && { 'X-API-KEY': apiKey }),
  };
}
