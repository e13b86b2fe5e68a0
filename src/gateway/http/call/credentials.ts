import type { IncomingMessage } from 'node:http';

import type { RequestHandler } from 'express';

import { hasLink, LINK_PARAMETERS, type OpenedLink } from '../../auth/links.js';
import { allowsAddress, type Principal } from '../../auth/principal.js';
import { TokenRejected } from '../../auth/token-rejected.js';
import type { Endpoints } from '../../../endpoint/registry.js';
import { Failure, type FailureDetails } from '../../errors.js';
import type { Clock } from '../../query/ports.js';
import type { RawParameters } from '../../query/raw-parameters.js';
import { findInQueryString, parseQueryString } from './query-string.js';
import { noteAuthenticated } from '../transport/connections.js';
import { endpointOfPath } from './find-endpoint.js';
import { contextOf } from '../transport/request-context.js';

/** How callers are authenticated. */
export interface Credentials {
  /** The principal of a key or of a recently verified token, without I/O. */
  readonly find: (presented: string) => Principal | undefined;
  /** The principal of a key; undefined for a token. */
  readonly findKey: (key: string) => Principal | undefined;
  /** Verifies a token; undefined for a text without the form of a token. @throws TokenRejected */
  readonly verify: (presented: string) => Promise<Principal | undefined>;
  /** Opens a signed link to an endpoint; undefined where signed links are disabled. */
  readonly openLink: (endpoint: LinkedEndpoint, sent: RawParameters) => OpenedLink | undefined;
  /** The caller's IP address, as reported by trusted proxies. */
  readonly addressOf: (request: IncomingMessage) => string | undefined;
  /** Called for each authenticated request; `now` is milliseconds since 1970. */
  readonly noteUse: (principal: Principal, now: number) => void;
  readonly clock: Clock;
}

type LinkedEndpoint = NonNullable<ReturnType<Endpoints['find']>>;

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
 * Authorizes a principal for a request.
 *
 * @throws Failure FORBIDDEN where its key may not be used from the caller's address.
 */
export function authorize(
  credentials: Credentials,
  principal: Principal,
  request: IncomingMessage,
): Principal {
  if (principal.addresses && !allowsAddress(principal, credentials.addressOf(request))) {
    throw new Failure('FORBIDDEN', 'This key may not be used from your IP address.');
  }
  noteAuthenticated(request.socket);
  credentials.noteUse(principal, credentials.clock().getTime());
  return principal;
}

/**
 * The principal of a request. Credentials in headers take precedence: the query string is ignored even where they are invalid.
 *
 * @throws Failure
 */
export async function principalOfRequest(
  credentials: Credentials,
  { headers, originalUrl: target }: IncomingMessage & { readonly originalUrl: string },
  findEndpoint: WithoutHeader['findEndpoint'],
): Promise<Principal> {
  const presented = presentedKey(headers);
  if (presented === undefined) return principalOfQueryString(credentials, { target, findEndpoint });
  return await principalOfPresented(credentials, presented, headers);
}

/**
 * The principal of the key or token in a request's headers.
 *
 * @param presented result of {@link presentedKey} for these headers.
 * @throws Failure API_KEY_INVALID or TOKEN_ISSUER_UNREACHABLE
 */
export async function principalOfPresented(
  credentials: Credentials,
  presented: string,
  headers: IncomingMessage['headers'],
): Promise<Principal> {
  const known = credentials.find(presented);
  if (known) return known;
  const isBearerInvalid = presented !== headers['x-api-key'];
  try {
    const verified = await credentials.verify(presented);
    if (verified) return verified;
  } catch (error) {
    throw tokenFailure(error, isBearerInvalid);
  }
  throw invalidKey({ isBearerInvalid });
}

/** A request without credentials in its headers. */
export interface WithoutHeader {
  /** The request target: path and query string. */
  readonly target: string;
  /** The endpoint that the request calls; undefined where it does not exist. */
  readonly findEndpoint: () => LinkedEndpoint | undefined;
}

/** Credentials in a query string. No name of a key, expiry or signature of a link, and no sensible key, has more than `maxBytes`. */
const IN_QUERY = { names: new Set(['api_key', ...LINK_PARAMETERS]), maxBytes: 4096 };

/**
 * The principal of a query string: of a key that may be sent there, else of a signed link. The whole query string is decoded only
 * for a link, because the signature covers every parameter.
 *
 * @throws Failure API_KEY_MISSING, API_KEY_INVALID or FORBIDDEN
 */
function principalOfQueryString(credentials: Credentials, request: WithoutHeader): Principal {
  const found = findInQueryString(request.target, IN_QUERY);
  const key = found.get('api_key');
  if (key) return principalOfKeyInQueryString(credentials, key);
  if (hasLink(found)) return principalOfLink(credentials, request);
  throw new Failure(
    'API_KEY_MISSING',
    'The request has no API key. Send it in the header X-API-KEY, or as Authorization: Bearer.',
  );
}

function principalOfKeyInQueryString(
  credentials: Credentials,
  { text, times }: { readonly text: string | undefined; readonly times: number },
): Principal {
  const principal = text === undefined || times !== 1 ? undefined : credentials.findKey(text);
  // A key that must not be in a URL is rejected like an unknown key: a reader of the URL must not learn that the key is valid.
  if (!principal?.mayUseQueryString) throw invalidKey();
  return principal;
}

function principalOfLink(credentials: Credentials, { target, findEndpoint }: WithoutHeader): Principal {
  const endpoint = findEndpoint();
  const opened = endpoint && credentials.openLink(endpoint, parseQueryString(target, endpoint.parameters));
  if (!opened)
    throw new Failure(
      'API_KEY_INVALID',
      'This link is invalid. Check that it is complete, or request a new link.',
    );
  if ('principal' in opened) return opened.principal;
  throw new Failure(opened.rejected === 'forbidden' ? 'FORBIDDEN' : 'API_KEY_INVALID', opened.detail);
}

function tokenFailure(error: unknown, isBearerInvalid: boolean): unknown {
  if (!(error instanceof TokenRejected)) return error;
  if (error.reason !== 'unreachable')
    return new Failure('API_KEY_INVALID', error.message, { cause: error, isBearerInvalid });
  return new Failure('TOKEN_ISSUER_UNREACHABLE', error.message, { cause: error, retryAfterSeconds: 1 });
}

function invalidKey(details: FailureDetails = {}): Failure {
  return new Failure('API_KEY_INVALID', 'This API key is unknown or has expired.', details);
}

/** Rejects requests without a valid key, token or signed link. */
export function authenticate(credentials: Credentials, endpoints: Endpoints): RequestHandler {
  return async (request, _response, next) => {
    const { path } = request;
    const principal = await principalOfRequest(credentials, request, () => endpointOfPath(endpoints, path));
    contextOf(request).principal = authorize(credentials, principal, request);
    next();
  };
}
