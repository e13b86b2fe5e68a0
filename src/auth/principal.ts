import type { LimitRules } from '../limits/limit-rules.js';
import type { AddressSet } from './address-set.js';
import { isAboutCallers, meansEndpoint, type EndpointIdentity } from './endpoint-pattern.js';

/**
 * Who holds a key, and what it may do. Holders live as long as their key is in force unchanged (a reload of the keys'
 * file makes new ones), so what is derived from one is worked out once and remembered beside it.
 */
export interface Principal {
  /** What limits count on. A token's is `jwt:` and its subject; a link's is that of the key that signed it. */
  readonly name: string;
  /** Whether it can force a fresh result, or ask for a cached one only. */
  readonly mayBypassCache: boolean;
  /** Whether the key may stand in the query string, as `api_key`. */
  readonly mayUseQueryString?: boolean;
  /** Names, ids or patterns (`logs.*`) of the endpoints that it may call; absent for all. */
  readonly endpoints?: readonly string[];
  /** Whether it is the gateway's own key, with every right: what others ask is told to it too. */
  readonly isAdmin?: boolean;
  /** Parameters that have one value for this holder, by name. */
  readonly pinned?: ReadonlyMap<string, string>;
  /** Milliseconds since 1970 at which the key is good no more. */
  readonly expiresAt?: number;
  /** Where it may be used from; absent for anywhere. */
  readonly addresses?: AddressSet;
  readonly limits?: LimitRules;
  /** When the key was made, as the keys' file has it; links of a removed key don't come back with a namesake. */
  readonly created?: string;
  /** How the holder came in, where not with a key of its own. */
  readonly via?: 'token' | 'link';
  /** Of a link: the holder of the key that signed it. */
  readonly linkOf?: Principal;
}

const rights = new WeakMap<Principal, Map<string, boolean>>();

/** Whether the holder may call an endpoint. */
export function mayCall(principal: Principal, endpoint: EndpointIdentity): boolean {
  const { endpoints } = principal;
  if (!endpoints) return principal.isAdmin === true || !isAboutCallers(endpoint);
  const known = rights.get(principal) ?? new Map<string, boolean>();
  const before = known.get(endpoint.id);
  if (before !== undefined) return before;
  const may = endpoints.some((pattern) => meansEndpoint(pattern, endpoint));
  rights.set(principal, known.set(endpoint.id, may));
  return may;
}

/** Whether the key is good at a time, in milliseconds since 1970. */
export function isActive({ expiresAt }: Principal, nowMs: number): boolean {
  return expiresAt === undefined || nowMs < expiresAt;
}

/** Whether the key may be used from an IP address; from an unknown one only where it may be used from anywhere. */
export function allowsAddress({ addresses }: Principal, address: string | undefined): boolean {
  return addresses === undefined || (address !== undefined && addresses.allows(address));
}
