import { EVERY_ROW_READER, OWN_ROWS_READER, type Reader } from '../../endpoint/figures.js';
import type { EndpointIdentity } from './endpoint-pattern.js';
import { mayCall, type Principal } from './principal.js';

/** The sent parameters by name: `text` is undefined if it cannot be decoded, `times` is how often the name was sent. */
export type SentParameters = ReadonlyMap<
  string,
  { readonly text: string | undefined; readonly times: number }
>;

/** The names that an endpoint declares: a set, or a map by name. */
export interface DeclaredNames {
  readonly has: (name: string) => boolean;
}

/** The parameters that a call runs with, or why the call is rejected. */
export type PinnedCall =
  | { readonly parameters: SentParameters }
  | {
      readonly conflict: {
        readonly param: string;
        /** Text for the caller; names the parameter, never its pinned value. */
        readonly detail: string;
      };
    };

/**
 * Applies the principal's pinned parameters to the sent ones: adds those that are omitted. Rejects a different value,
 * a repeated parameter, and an endpoint that does not declare a pinned parameter, because the pin could not be
 * enforced there.
 */
export function applyPinned(principal: Principal, declared: DeclaredNames, sent: SentParameters): PinnedCall {
  const { pinned } = principal;
  if (!pinned || pinned.size === 0) return { parameters: sent };
  const parameters = new Map(sent);
  for (const [param, value] of pinned) {
    const detail = conflictOf(param, value, declared, sent);
    if (detail !== undefined) return { conflict: { param, detail } };
    parameters.set(param, { text: value, times: 1 });
  }
  return { parameters };
}

function conflictOf(
  param: string,
  value: string,
  declared: DeclaredNames,
  sent: SentParameters,
): string | undefined {
  if (!declared.has(param)) return outsidePin(param);
  const parameter = sent.get(param);
  if (!parameter) return undefined;
  if (parameter.times > 1) return `This key is restricted to one ${param}: omit it, or send it once.`;
  if (parameter.text !== value) return `This key is restricted to another ${param}: omit it.`;
  return undefined;
}

const outsidePin = (param: string): string =>
  `This key is restricted to one ${param}, and this endpoint has no parameter ${param}: call another endpoint.`;

type CalledEndpoint = EndpointIdentity & { readonly parameters: DeclaredNames };

/** Whether the principal may call an endpoint, and the endpoint declares every pinned parameter. */
export function mayCallWithPins(principal: Principal, endpoint: CalledEndpoint): boolean {
  return refusalOf(principal, endpoint) === undefined;
}

/** Why a principal may not call an endpoint, for the caller; undefined where it may. */
export function refusalOf(principal: Principal, endpoint: CalledEndpoint): string | undefined {
  if (!mayCall(principal, endpoint))
    return 'This key may not call this endpoint. GET /api/endpoints lists the endpoints that it may call.';
  for (const param of principal.pinned?.keys() ?? [])
    if (!endpoint.parameters.has(param)) return outsidePin(param);
  return undefined;
}

const scopes = new WeakMap<Principal, string>();

/**
 * The row scope of a principal, as a part of cache keys: JSON of `[[name, value], …]` sorted by name, empty without
 * pinned parameters. A signed link has the scope of its key.
 */
export function scopeOf(principal: Principal): string {
  const owner = principal.signedBy ?? principal;
  if (!owner.pinned || owner.pinned.size === 0) return '';
  let scope = scopes.get(owner);
  if (scope === undefined) {
    scope = JSON.stringify([...owner.pinned].sort(([a], [b]) => (a < b ? -1 : 1)));
    scopes.set(owner, scope);
  }
  return scope;
}

/** The reader that a caller is for figures of cost: one with pinned parameters may only read those of its own rows. */
export function budgetReaderOf(principal: Principal): Reader {
  return scopeOf(principal) === '' ? EVERY_ROW_READER : OWN_ROWS_READER;
}
