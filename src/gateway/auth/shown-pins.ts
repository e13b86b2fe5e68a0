import type { Endpoint } from '../../endpoint/endpoint.js';
import type { Seal, SecretValue } from '../../endpoint/parameters/secret-value.js';

/** Pinned values as they may be shown: secret ones as an HMAC. */
export type ShownPins = Readonly<Record<string, string | SecretValue>>;

type Declaring = Pick<Endpoint, 'parameters'>;

/** Whether endpoints declare a parameter and none of all endpoints declares it as secret, whichever a key may call. */
export function isReadable(name: string, endpoints: readonly Declaring[]): boolean {
  const declared = endpoints.flatMap(({ parameters }) => parameters.get(name) ?? []);
  return declared.length > 0 && !declared.some(({ secret }) => secret);
}

/** Seals pinned values for whoever lists keys, unless they are readable. */
export function showPins(
  pinned: Iterable<readonly [name: string, value: string]>,
  endpoints: readonly Declaring[],
  seal: Seal,
): ShownPins {
  return Object.fromEntries(
    [...pinned].map(([name, value]) => [name, isReadable(name, endpoints) ? value : seal(value)]),
  );
}
