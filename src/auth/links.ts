import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';

import type { EndpointIdentity } from './endpoint-pattern.js';
import { applyPinned, type DeclaredNames, type SentParameters } from './pinned-parameters.js';
import { isActive, mayCall, type Principal } from './principal.js';
import { secretBytes } from './secret.js';

/** The endpoint that a link is for. */
export interface LinkedEndpoint extends EndpointIdentity {
  readonly parameters: DeclaredNames;
  readonly settings?: { readonly sandboxing: 'enabled' | 'disabled' };
}

export interface LinkOrder {
  readonly endpoint: LinkedEndpoint;
  /** By name; fixed parameters of the key are added. */
  readonly parameters: ReadonlyMap<string, string>;
  /** Whose rights and limits the link has. */
  readonly key: Principal;
  /** Milliseconds since 1970; cut to whole seconds. */
  readonly expiresAtMs: number;
  readonly nowMs: number;
}

/** A link that was opened, or why it was not: `forbidden` where it is genuine but its key may not do this any more. */
export type OpenedLink =
  | { readonly principal: Principal }
  | { readonly rejected: 'invalid' | 'expired' | 'forbidden'; readonly detail: string };

/** First in what is signed: what is signed in another way some day is no signature of this one. */
const VERSION = 'querygate-link-1';

const [KEY, EXPIRES, SIGNATURE] = ['link_key', 'link_expires', 'link_signature'] as const;

/** The parameters that make a URL a link. */
export const LINK_PARAMETERS: readonly string[] = [KEY, EXPIRES, SIGNATURE];

/** The caller's own SQL, which no endpoint declares. */
const SQL = 'sql';

const DAY_MS = 86_400_000;

const INVALID = {
  rejected: 'invalid',
  detail: 'This link’s signature does not fit: it was changed, or its key is not in force.',
} as const;

/** Whether a request carries a link. */
export function hasLink(sent: SentParameters): boolean {
  return sent.has(SIGNATURE);
}

/** Makes and opens signed links: expiring URLs of one endpoint with one set of parameters. */
export class Links {
  readonly #secret: KeyObject;
  readonly #maxLifetimeMs: number;

  /** @throws Error where the secret, of `LINK_SECRET`, is too short. */
  constructor(secret: string, { maxLifetimeMs = 90 * DAY_MS } = {}) {
    this.#secret = createSecretKey(secretBytes('LINK_SECRET', secret));
    this.#maxLifetimeMs = maxLifetimeMs;
  }

  /**
   * The path and query of a link.
   *
   * @throws Error with a text for the operator, where the key may not do what the link is for, a parameter is none of
   * the endpoint's, or the expiry is past or too far away. Values of parameters are not checked.
   */
  sign({ endpoint, parameters, key, expiresAtMs, nowMs }: LinkOrder): string {
    this.checkLifetime(expiresAtMs, nowMs);
    if (!isActive(key, nowMs)) throw new Error(`The key ${key.name} has expired.`);
    if (!mayCall(key, endpoint)) throw new Error(`The key ${key.name} may not call ${endpoint.name}.`);
    checkParameters(endpoint, parameters);
    const sent = new Map([...parameters].map(([name, text]) => [name, { text, times: 1 }]));
    const applied = applyPinned(key, endpoint.parameters, sent);
    if ('conflict' in applied) throw new Error(applied.conflict.detail);
    const pairs = signedPairs(endpoint, applied.parameters) ?? [];
    const expires = String(Math.floor(expiresAtMs / 1000));
    const signature = this.signatureOf(endpoint, pairs, key, expires);
    const own: readonly Pair[] = [
      [KEY, key.name],
      [EXPIRES, expires],
      [SIGNATURE, signature],
    ];
    const query = new URLSearchParams([...pairs, ...own]);
    return `/api/endpoints/query/${endpoint.name}?${query.toString()}`;
  }

  /**
   * Opens the link that a request carries, for its endpoint and exactly its parameters: one more, one fewer or one
   * changed is another link. Names that the endpoint does not declare are no part of it.
   *
   * @param named the holder of that name whose key is in force.
   * @returns a holder with the name, limits, addresses and fixed parameters of the key, for this endpoint alone.
   */
  open(
    endpoint: LinkedEndpoint,
    sent: SentParameters,
    named: (name: string) => Principal | undefined,
    nowMs: number,
  ): OpenedLink {
    const [name, expires, signature] = [KEY, EXPIRES, SIGNATURE].map((part) => onceSent(sent, part));
    const pairs = signedPairs(endpoint, sent);
    if (name === undefined || expires === undefined || signature === undefined || !pairs) return INVALID;
    const key = named(name);
    if (!key || !isEqual(signature, this.signatureOf(endpoint, pairs, key, expires))) return INVALID;
    const expiresAt = Number(expires) * 1000;
    if (nowMs >= expiresAt) return { rejected: 'expired', detail: 'This link has expired.' };
    if (!mayCall(key, endpoint)) {
      return { rejected: 'forbidden', detail: 'The key of this link may not call this endpoint any more.' };
    }
    return { principal: principalOfLink(key, endpoint, expiresAt) };
  }

  private signatureOf(
    endpoint: LinkedEndpoint,
    pairs: readonly Pair[],
    { name, created = '' }: Principal,
    expires: string,
  ): string {
    // JSON, so that no two different lists of texts are signed as the same text.
    return createHmac('sha256', this.#secret)
      .update(JSON.stringify([VERSION, endpoint.id, pairs, name, created, expires]))
      .digest('base64url');
  }

  private checkLifetime(expiresAtMs: number, nowMs: number): void {
    const lifetimeMs = expiresAtMs - nowMs;
    if (!(lifetimeMs >= 1000)) throw new Error('The link would have expired already.');
    if (lifetimeMs > this.#maxLifetimeMs) {
      throw new Error(`A link lasts ${this.#maxLifetimeMs / DAY_MS} days at most.`);
    }
  }
}

type Pair = [name: string, value: string];

function checkParameters(endpoint: LinkedEndpoint, parameters: ReadonlyMap<string, string>): void {
  for (const [name, value] of parameters) {
    if (!isSigned(endpoint, name) || (name === SQL && !takesSql(endpoint))) {
      throw new Error(`${endpoint.name} has no parameter ${JSON.stringify(name)}.`);
    }
    // Half a surrogate pair has no UTF-8, and would come back from the URL as another character.
    if (Buffer.from(value).toString() !== value) throw new Error(`The value of ${name} is no Unicode text.`);
  }
}

/** Sorted by name; undefined where one can't be read or was sent twice. */
function signedPairs(endpoint: LinkedEndpoint, sent: SentParameters): readonly Pair[] | undefined {
  const pairs: Pair[] = [];
  for (const [name, { text, times }] of sent) {
    if (!isSigned(endpoint, name)) continue;
    if (text === undefined || times !== 1) return undefined;
    pairs.push([name, text]);
  }
  return pairs.sort(([a], [b]) => (a < b ? -1 : 1));
}

/** `sql` counts everywhere: no link is good for SQL that was not signed, whatever the endpoint's settings become. */
function isSigned({ parameters }: LinkedEndpoint, name: string): boolean {
  return name === SQL || parameters.has(name);
}

function takesSql({ settings, parameters }: LinkedEndpoint): boolean {
  return settings?.sandboxing === 'enabled' || parameters.has(SQL);
}

function onceSent(sent: SentParameters, name: string): string | undefined {
  const parameter = sent.get(name);
  return parameter?.times === 1 ? parameter.text : undefined;
}

/** As texts: several texts decode to the same bytes of base64url. */
function isEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function principalOfLink(key: Principal, { id }: LinkedEndpoint, expiresAt: number): Principal {
  return {
    ...key,
    mayBypassCache: false,
    mayUseQueryString: false,
    endpoints: [id],
    expiresAt: Math.min(expiresAt, key.expiresAt ?? Infinity),
    via: 'link',
    linkOf: key,
  };
}
