import type { Endpoint } from '../../endpoint/endpoint.js';
import type { Seal, SecretValue } from '../../endpoint/parameters/secret-value.js';

/** Pinned values in the form in which they may be shown: secret ones as an HMAC. */
export type ShownPins = Readonly<Record<string, string | SecretValue>>;

type Declaring = Pick<Endpoint, 'parameters'>;
type Pins = Iterable<readonly [name: string, value: string]>;

/**
 * The pinned values that may be shown unchanged: an endpoint declares the parameter, and no endpoint declares it as secret. This
 * includes endpoints that the key may not call.
 */
export function readablePins(pinned: Pins, endpoints: readonly Declaring[]): ReadonlyMap<string, string> {
  const isReadable = (name: string): boolean => {
    const declared = endpoints.flatMap(({ parameters }) => parameters.get(name) ?? []);
    return declared.length > 0 && !declared.some(({ secret }) => secret);
  };
  return new Map([...pinned].filter(([name]) => isReadable(name)));
}

/** Pinned values for a list of keys, sealed unless they are readable. */
export function showPins(pinned: Pins, endpoints: readonly Declaring[], seal: Seal): ShownPins {
  const all = [...pinned];
  const readable = readablePins(all, endpoints);
  return Object.fromEntries(all.map(([name, value]) => [name, readable.get(name) ?? seal(value)]));
}
