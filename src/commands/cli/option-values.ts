import { InvalidArgumentError } from 'commander';

import { readPublicUrl } from '../../gateway/config/public-url.js';
import { FORMAT_NAMES, type FormatName } from '../../gateway/formats/formats.js';
import { usageError } from './exit-codes.js';

/** Parses an HTTP URL and removes trailing slashes. @throws InvalidArgumentError */
export function httpUrl(text: string): string {
  try {
    return readPublicUrl(text);
  } catch (error) {
    throw new InvalidArgumentError(`The URL ${(error as Error).message}.`);
  }
}

/** Parses the URL in an environment variable. @throws CommandError (invalid usage) that names the variable */
export function urlIn(variable: string, text: string): string {
  try {
    return httpUrl(text);
  } catch (error) {
    throw usageError(`${variable} is invalid. ${(error as Error).message}`);
  }
}

/** How `call` writes rows: a format of the gateway, or a table for people, which the command makes. */
export type CallFormat = FormatName | 'table';

export const CALL_FORMATS: readonly CallFormat[] = [...FORMAT_NAMES, 'table'];

/** Parses the name of a format; upper or lower case, as in the query string. @throws InvalidArgumentError */
export function callFormat(text: string): CallFormat {
  const format = CALL_FORMATS.find((name) => name === text.toLowerCase());
  if (format === undefined) throw new InvalidArgumentError(`Allowed choices are ${CALL_FORMATS.join(', ')}.`);
  return format;
}

/** Collects the values of a repeatable option. */
export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/**
 * Parses `name=value` texts; a value may contain equals signs.
 *
 * @throws CommandError (invalid usage) that names the option, where a text has no name or a name is repeated.
 */
export function pairsOf(option: string, texts: readonly string[]): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>();
  for (const text of texts) {
    const equals = text.indexOf('=');
    if (equals < 1) throw usageError(`${option} must be name=value, not ${JSON.stringify(text)}`);
    const name = text.slice(0, equals);
    if (pairs.has(name)) throw usageError(`${option} sets ${name} twice; set each name once`);
    pairs.set(name, text.slice(equals + 1));
  }
  return pairs;
}
