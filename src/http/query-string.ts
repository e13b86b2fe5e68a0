import { Failure } from '../errors.js';
import type { RawParameter, RawParameters } from '../execution/raw-parameters.js';

const MAX_PAIRS = 1000;

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads the query string of a request target as HTML forms write it: `&` between pairs, `+` for a space, percent
 * escapes of UTF-8. Names that can't be decoded can't be declared ones, and are left out.
 *
 * @param target the request target as Node gives it: a character a byte.
 * @throws Failure BAD_REQUEST where there are more pairs than any caller has a use for.
 */
export function parseQueryString(target: string): RawParameters {
  const parameters = new Map<string, RawParameter>();
  const start = target.indexOf('?');
  if (start === -1) return parameters;
  const pairs = target.slice(start + 1).split('&', MAX_PAIRS + 1);
  if (pairs.length > MAX_PAIRS) {
    throw new Failure('BAD_REQUEST', `The query string has more than ${MAX_PAIRS} parameters.`);
  }
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    if (name === undefined || pair === '') continue;
    const text = equals === -1 ? '' : decode(pair.slice(equals + 1));
    parameters.set(name, { text, times: (parameters.get(name)?.times ?? 0) + 1 });
  }
  return parameters;
}

function decode(encoded: string): string | undefined {
  const spaced = encoded.replaceAll('+', ' ');
  if (/%(?![0-9a-f]{2})/i.test(spaced)) return undefined;
  const bytes = spaced.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  );
  try {
    return UTF8.decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return undefined;
  }
}
