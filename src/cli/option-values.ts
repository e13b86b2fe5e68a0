import { InvalidArgumentError } from 'commander';

import { usageError } from './exit-codes.js';

/** An HTTP address, without a slash at its end. */
export function httpUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new InvalidArgumentError('It must begin with http:// or https://.');
  }
  if (url.username !== '' || url.search !== '' || url.hash !== '') {
    throw new InvalidArgumentError('It must be an address alone: no user, query or fragment.');
  }
  return text.replace(/\/+$/, '');
}

/** One more value of an option that may be given several times. */
export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/**
 * Reads `name=value` texts; a value may have further equals signs.
 *
 * @throws CommandError (wrong usage) naming the option, where one has none or a name stands twice.
 */
export function pairsOf(option: string, texts: readonly string[]): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>();
  for (const text of texts) {
    const equals = text.indexOf('=');
    if (equals < 1) throw usageError(`${option} takes name=value, not ${JSON.stringify(text)}`);
    const name = text.slice(0, equals);
    if (pairs.has(name)) throw usageError(`${option} names ${name} twice`);
    pairs.set(name, text.slice(equals + 1));
  }
  return pairs;
}
