import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';

import { Failure } from '../../errors.js';

/** Why the head of a request is rejected before anything else: a header is too long, or the Host is invalid; undefined where neither is. */
export function problemOfHead(request: HostHeaders): Failure | undefined {
  const tooLong = problemOfHeaders(request);
  if (tooLong !== undefined) return new Failure('HEADERS_TOO_LARGE', tooLong);
  const ofHost = problemOfHost(request);
  return ofHost === undefined ? undefined : new Failure('BAD_REQUEST', ofHost);
}

/** @throws Failure {@link problemOfHead} */
export function requireWellFormed(request: HostHeaders): void {
  const problem = problemOfHead(request);
  if (problem) throw problem;
}

/** A registered name, an IPv4 address, or an IPv6 address in brackets, and an optional port (RFC 3986, section 3.2). */
const HOST = /^(?:(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})+|\[([\da-f:.]+)\])(?::(\d*))?$/i;
const MAX_PORT = 65_535;

type HostHeaders = Pick<IncomingMessage, 'httpVersion' | 'headers' | 'rawHeaders'>;

/**
 * The problem of a request's Host (RFC 9112, section 3.2); undefined where it is valid. Only HTTP/1.0 may omit it. An empty Host
 * is invalid: it is for targets without a host, and all targets here are HTTP's.
 */
export function problemOfHost({
  httpVersion,
  headers: { host },
  rawHeaders,
}: HostHeaders): string | undefined {
  if (host === undefined)
    return httpVersion === '1.1' ? 'The request has no Host header, which HTTP/1.1 requires.' : undefined;
  if (!isHost(host))
    return 'The Host header is no host. Send a name or an IP address, and perhaps a port, such as gateway.example.com:8080.';
  return hasTwoHosts(rawHeaders) ? 'The request has several Host headers. Send one.' : undefined;
}

/** The last valid Host. Most requests have the same one, and the pattern takes longer than the rest of the check. */
let lastHost: string | undefined;

function isHost(text: string): boolean {
  if (text === lastHost) return true;
  if (!matchesHost(text)) return false;
  lastHost = text;
  return true;
}

function matchesHost(text: string): boolean {
  const match = HOST.exec(text);
  if (!match) return false;
  const [, address, port] = match;
  return (address === undefined || isIPv6(address)) && Number(port ?? 0) <= MAX_PORT;
}

/** Whether a request has several Host headers. Node drops all but the first from `headers`. */
function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}

/** Headers whose items are read one by one; some of them cost more than a millisecond per 8 KiB. */
const LISTS = [
  'accept',
  'accept-encoding',
  'cache-control',
  'if-match',
  'if-none-match',
  'prefer',
  'x-forwarded-for',
] as const;
/** Maximum bytes of such a header: enough for one tag per format and encoding of a URL, or for 90 proxies with IPv6 addresses. */
const MAX_LIST_BYTES = 4096;

/** Describes the header that is too long; undefined where none is. */
function problemOfHeaders({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  const long = LISTS.find((name) => (headers[name]?.length ?? 0) > MAX_LIST_BYTES);
  return long && `The header ${long} has more than ${MAX_LIST_BYTES} bytes. Send a shorter value.`;
}
