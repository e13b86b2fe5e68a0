import { meansEndpoint, type EndpointIdentity } from './endpoint-pattern.js';
import type { KeyFile, StoredKey } from './key-file.js';
import type { DeclaredNames } from './pinned-parameters.js';

/** What keys are checked against. */
export interface KnownEndpoint extends EndpointIdentity {
  /** By name. */
  readonly parameters: DeclaredNames;
}

/**
 * Checks that keys mean endpoints and parameters that there are.
 *
 * @throws Error naming every key and pattern that matches no endpoint, and every fixed parameter that none of the key's
 * endpoints declares.
 */
export function checkKeysAgainst({ keys }: KeyFile, endpoints: readonly KnownEndpoint[]): void {
  const faults = keys.flatMap((key) => faultsOf(key, endpoints));
  if (faults.length === 0) return;
  throw new Error(`${faults.join('; ')}. The endpoints are ${endpoints.map(({ name }) => name).join(', ')}`);
}

function faultsOf(
  { name, endpoints: patterns = ['*'], fixed = {} }: StoredKey,
  all: readonly KnownEndpoint[],
) {
  const unmatched = patterns.filter((pattern) => !all.some((endpoint) => meansEndpoint(pattern, endpoint)));
  const reached = all.filter((endpoint) => patterns.some((pattern) => meansEndpoint(pattern, endpoint)));
  const undeclared = Object.keys(fixed).filter(
    (param) => !reached.some(({ parameters }) => parameters.has(param)),
  );
  return [
    ...unmatched.map((pattern) => `key ${name}: no endpoint matches ${JSON.stringify(pattern)}`),
    ...undeclared.map((param) => `key ${name}: none of its endpoints has a parameter ${param} to fix`),
  ];
}
