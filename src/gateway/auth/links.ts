import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';

import { closestName } from '../../endpoint/closest-name.js';
import type { EndpointIdentity } from './endpoint-pattern.js';
import { applyPinned, type DeclaredNames, type SentParameters } from './pinned-parameters.js';
import { isActive, mayCall, type Principal } from './principal.js';
import { secretBytes } from './secret.js';

/** The endpoint of a link. */
export interface LinkedEndpoint extends EndpointIdentity {
  readonly parameters: DeclaredNames & {
    readonly get?: (name: string) => { readonly secret?: true } | undefined;
    readonly keys?: () => Iterable<string>;
  };
  readonly settings?: { readonly sandboxing: 'enabled' | 'disabled'; readonly exports?: object };
}

/** A link to sign. */
export interface LinkSpec {
  readonly endpoint: LinkedEndpoint;
  /** Values by parameter name. `sign` adds the pinned parameters of the key. */
  readonly parameters: ReadonlyMap<string, string>;
  /** The key whose rights and limits the link has. */
  readonly key: Principal;
  /** Milliseconds since 1970; truncated to whole seconds. */
  readonly expiresAtMs: number;
  readonly nowMs: number;
}

/** The principal of a valid link, or why the link is rejected; `forbidden`: its key may no longer call the endpoint. */
export type OpenedLink =
  | { readonly principal: Principal }
  | { readonly rejected: 'invalid' | 'expired' | 'forbidden'; readonly detail: string };

/** First part of the signed text: a signature of another version never matches. */
const VERSION = 'querygate-link-1';

const [KEY, EXPIRES, SIGNATURE] = ['link_key', 'link_expires', 'link_signature'] as const;

/** The parameters that make a URL a signed link. */
export const LINK_PARAMETERS: readonly string[] = [KEY, EXPIRES, SIGNATURE];

/** The parameter for a caller's own SQL; sandboxed endpoints take it without declaring it. */
const SQL_PARAMETER = 'sql';

/** The parameter that makes a call an export. A link exports only where the signature covers this parameter. */
const EXPORT_PARAMETER = 'export';

const DAY_MS = 86_400_000;

const INVALID = {
  rejected: 'invalid',
  detail:
    'The signature of this link is invalid: the link was changed, it was signed with another secret, or its key was ' +
    'removed, recreated or has expired.',
} as const;

/** Whether a request carries a signed link. */
export function hasLink(sent: SentParameters): boolean {
  return sent.has(SIGNATURE);
}

/** Signs and opens links: URLs, valid for a limited time, of one endpoint with one set of parameters. */
export class Links {
  readonly #secret: KeyObject;
  readonly #maxLifetimeMs: number;

  /** @throws Error when the secret (`LINK_SECRET`) is too short. */
  constructor(secret: string, { maxLifetimeMs = 90 * DAY_MS } = {}) {
    this.#secret = createSecretKey(secretBytes('LINK_SECRET', secret));
    this.#maxLifetimeMs = maxLifetimeMs;
  }

  get maxLifetimeSeconds(): number {
    return this.#maxLifetimeMs / 1000;
  }

  /**
   * Signs a link and returns its path and query. Whether the endpoint accepts the values is not checked.
   *
   * @throws Error with a text for the person who signs, where the key has expired or may not make the call; where the expiry is less
   * than a second ahead or too late; or where a parameter is undeclared, secret, not valid Unicode, different from its pinned value,
   * or an export that the key or the endpoint does not allow.
   */
  sign({ endpoint, parameters, key, expiresAtMs, nowMs }: LinkSpec): string {
    this.checkLifetime(expiresAtMs, nowMs);
    if (!isActive(key, nowMs)) throw new Error(`The key ${key.name} has expired.`);
    if (!mayCall(key, endpoint)) throw new Error(`The key ${key.name} may not call ${endpoint.name}.`);
    checkParameters(endpoint, parameters, key);
    const sent = new Map([...parameters].map(([name, text]) => [name, { text, times: 1 }]));
    const applied = applyPinned(key, endpoint.parameters, sent);
    if ('conflict' in applied) throw new Error(applied.conflict.detail);
    rejectSecrets(endpoint, applied.parameters);
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
   * Verifies the signed link of a request. The signature covers the endpoint and exactly its parameters: one more,
   * one fewer or one changed makes it invalid. Undeclared parameters other than `sql` are ignored.
   *
   * @param findByName returns the principal of a name; undefined unless its key is active.
   * @returns a principal with the name, limits, addresses and pinned parameters of the key, for this endpoint alone.
   */
  open(
    endpoint: LinkedEndpoint,
    sent: SentParameters,
    findByName: (name: string) => Principal | undefined,
    nowMs: number,
  ): OpenedLink {
    const [name, expires, signature] = [KEY, EXPIRES, SIGNATURE].map((part) => onceSent(sent, part));
    const pairs = signedPairs(endpoint, sent);
    if (name === undefined || expires === undefined || signature === undefined || !pairs) return INVALID;
    const key = findByName(name);
    if (!key || !isEqual(signature, this.signatureOf(endpoint, pairs, key, expires))) return INVALID;
    const expiresAt = Number(expires) * 1000;
    if (nowMs >= expiresAt) return { rejected: 'expired', detail: 'This link has expired.' };
    if (!mayCall(key, endpoint)) {
      return { rejected: 'forbidden', detail: 'The key of this link may no longer call this endpoint.' };
    }
    const isExport = pairs.some(([one]) => one === EXPORT_PARAMETER);
    return { principal: principalOfLink(key, endpoint, { expiresAt, isExport }) };
  }

  private signatureOf(
    endpoint: LinkedEndpoint,
    pairs: readonly Pair[],
    { name, created = '' }: Principal,
    expires: string,
  ): string {
    // JSON, so that two different lists of texts never become the same signed text.
    return createHmac('sha256', this.#secret)
      .update(JSON.stringify([VERSION, endpoint.id, pairs, name, created, expires]))
      .digest('base64url');
  }

  private checkLifetime(expiresAtMs: number, nowMs: number): void {
    const lifetimeMs = expiresAtMs - nowMs;
    if (!(lifetimeMs >= 1000)) throw new Error('The expiry must be at least one second in the future.');
    if (lifetimeMs > this.#maxLifetimeMs) {
      throw new Error(`A link can last at most ${this.#maxLifetimeMs / DAY_MS} days.`);
    }
  }
}

type Pair = [name: string, value: string];

function checkParameters(
  endpoint: LinkedEndpoint,
  parameters: ReadonlyMap<string, string>,
  { name: keyName, mayExport }: Principal,
): void {
  if (parameters.has(EXPORT_PARAMETER)) {
    if (!endpoint.settings?.exports) throw new Error(`${endpoint.name} has no exports.`);
    if (!mayExport) throw new Error(`The key ${keyName} may not export.`);
  }
  for (const [name, value] of parameters) {
    if (!isSigned(endpoint, name) || (name === SQL_PARAMETER && !takesSql(endpoint))) {
      throw new Error(
        `${endpoint.name} has no parameter ${JSON.stringify(name)}${adviceFor(name, endpoint)}`,
      );
    }
    // A lone surrogate has no UTF-8 form: the URL would contain another character.
    if (Buffer.from(value).toString() !== value)
      throw new Error(`The value of ${name} is not valid Unicode.`);
  }
}

function adviceFor(name: string, { parameters }: LinkedEndpoint): string {
  const closest = closestName(name, parameters.keys?.() ?? []);
  return closest === undefined ? '.' : `; did you mean ${closest}?`;
}

/** @throws Error for a secret parameter, pinned ones included, because a link shows its values. */
function rejectSecrets(endpoint: LinkedEndpoint, parameters: SentParameters): void {
  for (const name of parameters.keys()) {
    if (!isSecret(endpoint, name)) continue;
    throw new Error(`The value of ${name} is secret: send it in the body of a POST, not in a link.`);
  }
}

const isSecret = ({ parameters }: LinkedEndpoint, name: string): boolean =>
  parameters.get?.(name)?.secret === true;

/** The parameters that the signature covers, sorted by name; undefined if one cannot be decoded, is repeated or is secret. */
function signedPairs(endpoint: LinkedEndpoint, sent: SentParameters): readonly Pair[] | undefined {
  const pairs: Pair[] = [];
  for (const [name, { text, times }] of sent) {
    if (!isSigned(endpoint, name)) continue;
    if (text === undefined || times !== 1 || isSecret(endpoint, name)) return undefined;
    pairs.push([name, text]);
  }
  return pairs.sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Whether the signature covers a parameter. `sql` and `export` always count: otherwise a later setting could permit them in old links. */
function isSigned({ parameters }: LinkedEndpoint, name: string): boolean {
  return name === SQL_PARAMETER || name === EXPORT_PARAMETER || parameters.has(name);
}

function takesSql({ settings, parameters }: LinkedEndpoint): boolean {
  return settings?.sandboxing === 'enabled' || parameters.has(SQL_PARAMETER);
}

function onceSent(sent: SentParameters, name: string): string | undefined {
  const parameter = sent.get(name);
  return parameter?.times === 1 ? parameter.text : undefined;
}

/** Compares texts, not bytes: several base64url texts decode to the same bytes. */
function isEqual(actual: string, expected: string): boolean {
  const [a, b] = [Buffer.from(actual), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function principalOfLink(
  key: Principal,
  { id }: LinkedEndpoint,
  { expiresAt, isExport }: { readonly expiresAt: number; readonly isExport: boolean },
): Principal {
  return {
    ...key,
    mayBypassCache: false,
    mayExport: isExport && key.mayExport === true,
    mayUseQueryString: false,
    endpoints: [id],
    expiresAt: Math.min(expiresAt, key.expiresAt ?? Infinity),
    via: 'link',
    signedBy: key,
  };
}
