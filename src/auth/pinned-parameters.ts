import type { EndpointIdentity } from './endpoint-pattern.js';
import { mayCall, type Principal } from './principal.js';

/** What a caller sent under each name; `text` is undefined where it can't be decoded. */
export type SentParameters = ReadonlyMap<
  string,
  { readonly text: string | undefined; readonly times: number }
>;

/** The names that an endpoint declares: a set, or a map by name. */
export interface DeclaredNames {
  readonly has: (name: string) => boolean;
}

/** The parameters that a call runs with, or why it may not run. */
export type PinnedCall =
  | { readonly parameters: SentParameters }
  | {
      readonly conflict: {
        readonly param: string;
        /** For the caller; names the parameter, never its fixed value. */
        readonly detail: string;
      };
    };

/**
 * Applies the holder's fixed parameters to what a caller sent: what is omitted is supplied. Refused is another value,
 * the same one given twice, and an endpoint that does not declare a fixed parameter: it could not be enforced there.
 */
export function applyPinned(principal: Principal, declared: DeclaredNames, sent: SentParameters): PinnedCall {
  const { pinned: fixed } = principal;
  if (!fixed || fixed.size === 0) return { parameters: sent };
  const parameters = new Map(sent);
  for (const [param, value] of fixed) {
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
  if (!declared.has(param)) {
    return `This key is bound to one ${param}, and this endpoint does not tell one ${param} from another.`;
  }
  const given = sent.get(param);
  if (!given) return undefined;
  if (given.times > 1) return `This key is bound to one ${param}: leave it out, or send it once.`;
  if (given.text !== value) return `This key is bound to another ${param}: leave it out.`;
  return undefined;
}

/** Whether any call of an endpoint by the holder can succeed: it may call it, and its fixed parameters apply there. */
export function mayCallWithPins(
  principal: Principal,
  endpoint: EndpointIdentity & { readonly parameters: DeclaredNames },
): boolean {
  if (!mayCall(principal, endpoint)) return false;
  for (const param of principal.pinned?.keys() ?? []) {
    if (!endpoint.parameters.has(param)) return false;
  }
  return true;
}

const scopes = new WeakMap<Principal, string>();

/**
 * The rows that the holder can see, as part of the cache's key: empty where nothing is fixed, else JSON of
 * `[[name, value], …]` sorted by name. A link has the scope of its key.
 */
export function scopeOf(principal: Principal): string {
  const seer = principal.linkOf ?? principal;
  if (!seer.pinned || seer.pinned.size === 0) return '';
  let scope = scopes.get(seer);
  if (scope === undefined) {
    scope = JSON.stringify([...seer.pinned].sort(([a], [b]) => (a < b ? -1 : 1)));
    scopes.set(seer, scope);
  }
  return scope;
}
