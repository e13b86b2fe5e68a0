import { FORMATS, type FormatName } from '../../../gateway/formats/formats.js';
import { isOwnParameter } from '../../../gateway/http/call/undeclared-parameters.js';
import { requestGateway, type Gateway } from '../gateway.js';
import { patientFetch } from './patient-fetch.js';

/** A call of an endpoint of a running gateway. */
export interface EndpointCall {
  readonly endpoint: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly format: FormatName | undefined;
  /** Whether the parameters travel in the body of a POST; the gateway’s own are in the URL all the same. */
  readonly post?: boolean;
}

/** The URL of the call. */
export function urlOf(base: string, { endpoint, parameters, post = false }: EndpointCall): string {
  const inUrl = [...parameters].filter(([name]) => !post || isOwnParameter(name));
  const query = new URLSearchParams(inUrl).toString();
  const path = `${base}/api/endpoints/query/${encodeURIComponent(endpoint)}`;
  return query === '' ? path : `${path}?${query}`;
}

/**
 * Sends the call and returns the response when its headers have arrived; the body is still to be read.
 *
 * @throws CommandError where the gateway is unreachable.
 */
export function requestEndpoint(
  gateway: Gateway,
  call: EndpointCall,
  signal: AbortSignal,
): Promise<Response> {
  const { format, parameters, post } = call;
  const headers = {
    'User-Agent': 'querygate-cli',
    Accept: FORMATS[format ?? 'json'].mediaType,
    // A person who misspells a parameter must not take other rows for the result.
    Prefer: 'handling=strict',
  };
  const send = parameters.has('export') ? patientFetch : fetch;
  if (!post) return requestGateway(gateway, urlOf(gateway.url, call), { headers, signal }, send);
  const inBody = [...parameters].filter(([name]) => !isOwnParameter(name));
  return requestGateway(
    gateway,
    urlOf(gateway.url, call),
    {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify(Object.fromEntries(inBody)),
      signal,
    },
    send,
  );
}
