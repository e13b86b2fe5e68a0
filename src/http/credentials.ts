import type { IncomingMessage } from 'node:http';

import { hasLink, LINK_PARAMETERS, type OpenedLink } from '../auth/links.js';
import { allowsAddress, type Principal } from '../auth/principal.js';
import { TokenRejected } from '../auth/token-rejected.js';
import type { EndpointRegistry } from '../endpoint/registry.js';
import { Failure } from '../errors.js';
import type { Clock } from '../query/ports.js';
import type { RawParameters } from '../query/raw-parameters.js';
import { MAX_HEADER_VALUE_BYTES } from './header-limits.js';
import { findInQueryString, parseQueryString } from './query-string.js';
import { noteAuthenticated } from './unauthenticated-peers.js';

/** Where a caller's rights come from. */
export interface Credentials {
  /** The holder of a key, or of a token that was verified a short while ago; at once. */
  readonly find: (presented: string) => Principal | undefined;
  /** The holder of a key alone. */
  readonly findKey: (key: string) => Principal | undefined;
  /** Verifies what has the form of a token; undefined for anything else. @throws TokenRefused */
  readonly verify: (presented: string) => Promise<Principal | undefined>;
  /** Opens a link to an endpoint; undefined where links are not in use. */
  readonly openLink: (endpoint: LinkedTo, sent: RawParameters) => OpenedLink | undefined;
  /** The caller's IP address, past proxies that are trusted. */
  readonly addressOf: (request: IncomingMessage) => string | undefined;
  /** Told of each caller that is let in; milliseconds since 1970. */
  readonly noteUse: (principal: Principal, now: number) => void;
  readonly clock: Clock;
}

type LinkedTo = NonNullable<ReturnType<EndpointRegistry['find']>>;

/** The key or token that a request carries: `X-API-KEY`, else `Authorization: Bearer`. */
export function presentedKey(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): string | undefined {
  const header = headers['x-api-key'];
  if (typeof header === 'string' && header !== '') return header;
  const bearer = /^Bearer +(\S+) *$/i.exec(String(headers['authorization'] ?? ''));
  return bearer?.[1];
}

/**
 * Lets a holder in.
 *
 * @throws Failure FORBIDDEN where its key may not be used from the caller's address.
 */
export function authorize(
  credentials: Credentials,
  principal: Principal,
  request: IncomingMessage,
): Principal {
  if (principal.addresses && !allowsAddress(principal, credentials.addressOf(request))) {
    throw new Failure('FORBIDDEN', 'This key may not be used from this address.');
  }
  noteAuthenticated(request.socket);
  credentials.noteUse(principal, credentials.clock().getTime());
  return principal;
}

/**
 * The holder of a presented key, or of a token that was verified a short while ago; at once. One that is longer than a
 * header may be is unknown: it is neither hashed nor verified.
 */
export function findPrincipal(credentials: Credentials, presented: string): Principal | undefined {
  return presented.length > MAX_HEADER_VALUE_BYTES ? undefined : credentials.find(presented);
}

/**
 * The holder of what a request presents in its headers.
 *
 * @throws Failure API_KEY_INVALID or TOKEN_ISSUER_UNREACHABLE
 */
export async function principalOfPresented(credentials: Credentials, presented: string): Promise<Principal> {
  const known = findPrincipal(credentials, presented);
  if (known) return known;
  if (presented.length > MAX_HEADER_VALUE_BYTES) throw invalidKey();
  try {
    const verified = await credentials.verify(presented);
    if (verified) return verified;
  } catch (error) {
    throw tokenFailure(error);
  }
  throw invalidKey();
}

/** A request whose headers present nothing. */
export interface WithoutHeader {
  /** The request target: path and query string. */
  readonly target: string;
  /** The endpoint that is called, where there is one of that name. */
  readonly findEndpoint: () => LinkedTo | undefined;
}

/** What a query string presents; no name, expiry or signature of a link is longer, and no sensible key. */
const IN_QUERY = { names: new Set(['api_key', ...LINK_PARAMETERS]), maxBytes: 4096 };

/**
 * The holder by the query string: a key that may stand there, else a signed link. Only a link is decoded as a whole, since
 * its signature is over every parameter.
 *
 * @throws Failure API_KEY_MISSING, API_KEY_INVALID or FORBIDDEN
 */
export function principalOfQueryString(credentials: Credentials, request: WithoutHeader): Principal {
  const found = findInQueryString(request.target, IN_QUERY);
  const key = found.get('api_key');
  if (key) return principalOfKeyInQueryString(credentials, key);
  if (hasLink(found)) return principalOfLink(credentials, request);
  throw new Failure(
    'API_KEY_MISSING',
    'Send an API key in the header X-API-KEY, or as Authorization: Bearer.',
  );
}

function principalOfKeyInQueryString(
  credentials: Credentials,
  { text, times }: { readonly text: string | undefined; readonly times: number },
): Principal {
  const principal = text === undefined || times !== 1 ? undefined : credentials.findKey(text);
  // One that may not stand in a URL is answered like an unknown one: where it was found, others find it too.
  if (!principal?.mayUseQueryString) throw invalidKey();
  return principal;
}

function principalOfLink(credentials: Credentials, { target, findEndpoint }: WithoutHeader): Principal {
  const endpoint = findEndpoint();
  const opened = endpoint && credentials.openLink(endpoint, parseQueryString(target));
  if (!opened) throw new Failure('API_KEY_INVALID', 'This link is not good here.');
  if ('principal' in opened) return opened.principal;
  throw new Failure(opened.rejected === 'forbidden' ? 'FORBIDDEN' : 'API_KEY_INVALID', opened.detail);
}

function tokenFailure(error: unknown): unknown {
  if (!(error instanceof TokenRejected)) return error;
  if (error.reason !== 'unreachable') return new Failure('API_KEY_INVALID', error.message, { cause: error });
  return new Failure('TOKEN_ISSUER_UNREACHABLE', error.message, { cause: error, retryAfterSeconds: 1 });
}

function invalidKey(): Failure {
  return new Failure('API_KEY_INVALID', 'This API key is not known here, or has expired.');
}
