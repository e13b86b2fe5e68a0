import type { LimitRules } from '../../endpoint/limit-rules.js';
import type { AddressSet } from './address-set.js';
import { isAboutCallers, matchesEndpoint, type EndpointIdentity } from './endpoint-pattern.js';

/**
 * Who a key, token or signed link authenticates, with its rights. The principal of a key is one object until the keys
 * file is reloaded, and that of a token until it is verified again, so it can be the key of a WeakMap. The principal
 * of a link is new for each request: use `signedBy` instead.
 */
export interface Principal {
  /** Name under which limits count: `jwt:` and the subject for a token, the name of the signing key for a link. */
  readonly name: string;
  /** Whether a request may force a fresh result, or accept a cached one only. */
  readonly mayBypassCache: boolean;
  /** Whether a request may export all rows of an endpoint that has exports. */
  readonly mayExport?: boolean | undefined;
  /** Whether a key may sign links itself. */
  readonly mayLink?: boolean | undefined;
  /** Whether the key is accepted in the query string, as `api_key`. */
  readonly mayUseQueryString?: boolean | undefined;
  /** Names, ids or patterns (`logs.*`) of the endpoints that it may call; absent: all except `gateway.*`. */
  readonly endpoints?: readonly string[] | undefined;
  /** Whether it may call endpoints that report on other callers (`gateway.*`) without `endpoints` that name them. */
  readonly mayCallGatewayEndpoints?: boolean | undefined;
  /** Pinned parameters: the only permitted value by name. */
  readonly pinned?: ReadonlyMap<string, string> | undefined;
  /** When the key expires, in milliseconds since 1970. */
  readonly expiresAt?: number | undefined;
  /** Addresses from which the key may be used; absent: any. */
  readonly addresses?: AddressSet | undefined;
  readonly limits?: LimitRules | undefined;
  /** When the key was created. A new key of the same name does not revive the links of a removed one. */
  readonly created?: string | undefined;
  /** How the principal was authenticated, unless by a key of its own. */
  readonly via?: 'token' | 'link' | undefined;
  /** The principal of the key that signed the link; absent unless the principal is of a signed link. */
  readonly signedBy?: Principal | undefined;
}

/** What a key may do in addition to calling endpoints, by its entry in the keys file and the options of `keys add`. */
export type Permissions = Partial<
  Pick<Principal, 'mayBypassCache' | 'mayExport' | 'mayLink' | 'mayUseQueryString'>
>;

/** Whether a principal may call an endpoint. The key is the endpoint, not its id: a reload can change the name that patterns match. */
const known = new WeakMap<Principal, WeakMap<EndpointIdentity, boolean>>();

/**
 * Whether the principal may call an endpoint. A principal with pinned parameters may not call endpoints that report on other
 * callers, because their figures reveal rows of those callers.
 */
export function mayCall(principal: Principal, endpoint: EndpointIdentity): boolean {
  const { endpoints, pinned } = principal;
  if (pinned && pinned.size > 0 && (endpoint.readsRequestLog || isAboutCallers(endpoint))) return false;
  if (!endpoints) return principal.mayCallGatewayEndpoints === true || !isAboutCallers(endpoint);
  const byEndpoint = known.get(principal) ?? new WeakMap<EndpointIdentity, boolean>();
  const cached = byEndpoint.get(endpoint);
  if (cached !== undefined) return cached;
  const may = endpoints.some((pattern) => matchesEndpoint(pattern, endpoint));
  known.set(principal, byEndpoint.set(endpoint, may));
  return may;
}

/** Whether the key is active at a time in milliseconds since 1970. */
export function isActive({ expiresAt }: Principal, nowMs: number): boolean {
  return expiresAt === undefined || nowMs < expiresAt;
}

/** Whether the key may be used from an IP address; an unknown address is accepted only by a key without addresses. */
export function allowsAddress({ addresses }: Principal, address: string | undefined): boolean {
  return addresses === undefined || (address !== undefined && addresses.allows(address));
}
