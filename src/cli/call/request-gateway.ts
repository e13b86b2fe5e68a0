import { FORMATS, type FormatName } from '../../formats/formats.js';
import { isOwnParameter } from '../../http/reserved-parameters.js';
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

/**
 * Whether the endpoint of a call ignores `sql`, as its description says; a response does not tell. False where the gateway
 * does not describe the endpoint: a limit may reject this second request, and the call itself has succeeded.
 */
export async function ignoresSql(call: GatewayCall, signal: AbortSignal): Promise<boolean> {
  const url = `${call.url}/api/endpoints/${encodeURIComponent(call.endpoint)}`;
  try {
    const headers = { ...headersOf(call), Accept: 'application/json' };
    const response = await fetch(url, { headers, signal, redirect: 'manual' });
    if (!response.ok) return false;
    const { sandboxing } = (await response.json()) as { readonly sandboxing?: unknown };
    return sandboxing === 'disabled';
  } catch {
    return false;
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
    ...(apiKey !== undefined && { 'X-API-KEY': apiKey }),
  };
}
