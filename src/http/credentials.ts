import type { IncomingMessage } from 'node:http';

import type { EndpointRegistry } from '../endpoint/registry.js';
import { Failure } from '../errors.js';
import type { Clock } from '../execution/ports.js';
import type { RawParameters } from '../execution/raw-parameters.js';
import { comesFromAllowed, type KeyHolder } from '../keys/key-holder.js';
import { hasLink, type OpenedLink } from '../keys/links.js';
import { TokenRefused } from '../keys/token-refused.js';

/** Where a caller's rights come from. */
export interface Credentials {
  /** The holder of a key, or of a token that was verified a short while ago; at once. */
  readonly find: (presented: string) => KeyHolder | undefined;
  /** The holder of a key alone. */
  readonly findKey: (key: string) => KeyHolder | undefined;
  /** Verifies what has the form of a token; undefined for anything else. @throws TokenRefused */
  readonly verify: (presented: string) => Promise<KeyHolder | undefined>;
  /** Opens a link to an endpoint; undefined where links are not in use. */
  readonly openLink: (endpoint: LinkedTo, sent: RawParameters) => OpenedLink | undefined;
  /** The caller's IP address, past proxies that are trusted. */
  readonly addressOf: (request: IncomingMessage) => string | undefined;
  /** Told of each caller that is let in; milliseconds since 1970. */
  readonly noteUse: (holder: KeyHolder, now: number) => void;
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
export function letIn(credentials: Credentials, holder: KeyHolder, request: IncomingMessage): KeyHolder {
  if (holder.addresses && !comesFromAllowed(holder, credentials.addressOf(request))) {
    throw new Failure('FORBIDDEN', 'This key may not be used from this address.');
  }
  credentials.noteUse(holder, credentials.clock().getTime());
  return holder;
}

/**
 * The holder of what a request presents in its headers.
 *
 * @throws Failure API_KEY_INVALID or TOKEN_ISSUER_UNREACHABLE
 */
export async function holderOfPresented(credentials: Credentials, presented: string): Promise<KeyHolder> {
  const known = credentials.find(presented);
  if (known) return known;
  try {
    const verified = await credentials.verify(presented);
    if (verified) return verified;
  } catch (error) {
    throw tokenFailure(error);
  }
  throw invalidKey();
}

/** What a request's query string presents, where its headers present nothing. */
export interface PresentedInQuery {
  readonly sent: RawParameters;
  /** The endpoint that is called, where there is one of that name. */
  readonly endpoint: LinkedTo | undefined;
}

/**
 * The holder by the query string: a key that may stand there, else a signed link.
 *
 * @throws Failure API_KEY_MISSING, API_KEY_INVALID or FORBIDDEN
 */
export function holderOfQuery(credentials: Credentials, { sent, endpoint }: PresentedInQuery): KeyHolder {
  const key = sent.get('api_key');
  if (key) return holderOfKeyInQuery(credentials, key);
  if (hasLink(sent)) return holderOfLink(credentials, { sent, endpoint });
  throw new Failure(
    'API_KEY_MISSING',
    'Send an API key in the header X-API-KEY, or as Authorization: Bearer.',
  );
}

function holderOfKeyInQuery(
  credentials: Credentials,
  { text, times }: { readonly text: string | undefined; readonly times: number },
): KeyHolder {
  const holder = text === undefined || times !== 1 ? undefined : credentials.findKey(text);
  // One that may not stand in a URL is answered like an unknown one: where it was found, others find it too.
  if (!holder?.mayUseQueryString) throw invalidKey();
  return holder;
}

function holderOfLink(credentials: Credentials, { sent, endpoint }: PresentedInQuery): KeyHolder {
  const opened = endpoint && credentials.openLink(endpoint, sent);
  if (!opened) throw new Failure('API_KEY_INVALID', 'This link is not good here.');
  if ('holder' in opened) return opened.holder;
  throw new Failure(opened.refused === 'forbidden' ? 'FORBIDDEN' : 'API_KEY_INVALID', opened.detail);
}

function tokenFailure(error: unknown): unknown {
  if (!(error instanceof TokenRefused)) return error;
  if (error.reason !== 'unreachable') return new Failure('API_KEY_INVALID', error.message, { cause: error });
  return new Failure('TOKEN_ISSUER_UNREACHABLE', error.message, { cause: error, retryAfterSeconds: 1 });
}

function invalidKey(): Failure {
  return new Failure('API_KEY_INVALID', 'This API key is not known here, or has expired.');
}
