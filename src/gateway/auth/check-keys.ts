import { matchesEndpoint, type EndpointIdentity } from './endpoint-pattern.js';
import type { KeyFile, StoredKey } from './key-file.js';
import type { DeclaredNames } from './pinned-parameters.js';

/** An endpoint that keys can refer to. */
export interface KnownEndpoint extends EndpointIdentity {
  readonly parameters: DeclaredNames;
}

/**
 * Checks that the endpoints and parameters that keys refer to exist.
 *
 * @throws Error naming every key with a pattern that matches no endpoint, or with a pinned parameter that none of the
 * key's endpoints declares.
 */
export function checkKeysAgainst({ keys }: KeyFile, endpoints: readonly KnownEndpoint[]): void {
  const problems = keys.flatMap((key) => problemsOf(key, endpoints));
  if (problems.length === 0) return;
  throw new Error(
    `${problems.join('; ')}. The endpoints are ${endpoints.map(({ name }) => name).join(', ')}`,
  );
}

function problemsOf(
  { name, endpoints: patterns = ['*'], fixed = {} }: StoredKey,
  all: readonly KnownEndpoint[],
) {
  const unmatched = patterns.filter((pattern) => !all.some((endpoint) => matchesEndpoint(pattern, endpoint)));
  const matched = all.filter((endpoint) => patterns.some((pattern) => matchesEndpoint(pattern, endpoint)));
  const undeclared = Object.keys(fixed).filter(
    (param) => !matched.some(({ parameters }) => parameters.has(param)),
  );
  return [
    ...unmatched.map((pattern) => `key ${name}: no endpoint matches ${JSON.stringify(pattern)}`),
    ...undeclared.map((param) => `key ${name}: none of its endpoints has the parameter ${param}`),
  ];
}
