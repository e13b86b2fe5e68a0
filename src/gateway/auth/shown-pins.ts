import type { Endpoint } from '../../endpoint/endpoint.js';
import type { Seal, SecretValue } from '../../endpoint/parameters/secret-value.js';

/** Pinned values as they may be shown: secret ones as an HMAC. */
export type ShownPins = Readonly<Record<string, string | SecretValue>>;

/**
 * Seals pinned values for whoever lists keys. A value stays readable only where endpoints declare its parameter and none of all
 * endpoints declares it as secret, whichever the key may call.
 */
export function showPins(
  pinned: Iterable<readonly [name: string, value: string]>,
  endpoints: readonly Pick<Endpoint, 'parameters'>[],
  seal: Seal,
): ShownPins {
  const isReadable = (name: string): boolean => {
    const declared = endpoints.flatMap(({ parameters }) => parameters.get(name) ?? []);
    return declared.length > 0 && !declared.some(({ secret }) => secret);
  };
  return Object.fromEntries(
    [...pinned].map(([name, value]) => [name, isReadable(name) ? value : seal(value)]),
  );
}
