import { Failure } from '../errors.js';
import type { RawParameter, RawParameters } from '../query/raw-parameters.js';

const MAX_PAIRS = 1000;

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Characters that mean something else than themselves. */
const ENCODED = /[%+\x80-\xff]/;
const [PERCENT, PLUS, SPACE] = [0x25, 0x2b, 0x20] as const;
/** Characters that a byte takes at most. */
const ESCAPE_LENGTH = 3;

/**
 * Reads the query string of a request target as HTML forms write it: `&` between pairs, `+` for a space, percent
 * escapes of UTF-8. Names that can't be decoded can't be declared ones, and are left out.
 *
 * @param target the request target as Node gives it: a character a byte.
 * @throws Failure BAD_REQUEST where there are more pairs than any caller has a use for.
 */
export function parseQueryString(target: string): RawParameters {
  const pairs = pairsIn(target);
  if (pairs.length > MAX_PAIRS) {
    throw new Failure('BAD_REQUEST', `The query string has more than ${MAX_PAIRS} parameters.`);
  }
  return readPairs(pairs, {});
}

/** Parameters that are looked for before the caller is authenticated. */
export interface Wanted {
  readonly names: ReadonlySet<string>;
  /** Bytes of a value; a longer one has no text. */
  readonly maxBytes: number;
}

/**
 * The parameters of those names alone. Nothing else is decoded, so that the cost does not grow with what an
 * unauthenticated peer sends. Parameters after the first thousand are not looked at: with them nobody gets an answer.
 */
export function findInQueryString(target: string, { names, maxBytes }: Wanted): RawParameters {
  const maxNameBytes = Math.max(...[...names].map(({ length }) => length));
  return readPairs(pairsIn(target), { names, maxNameBytes, maxBytes });
}

function pairsIn(target: string): readonly string[] {
  const start = target.indexOf('?');
  return start === -1 ? [] : target.slice(start + 1).split('&', MAX_PAIRS + 1);
}

interface Bounds {
  readonly names?: ReadonlySet<string>;
  readonly maxNameBytes?: number;
  readonly maxBytes?: number;
}

function readPairs(
  pairs: readonly string[],
  { names, maxNameBytes = Infinity, maxBytes = Infinity }: Bounds,
): RawParameters {
  const parameters = new Map<string, RawParameter>();
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    const name = decode(equals === -1 ? pair : pair.slice(0, equals), maxNameBytes);
    if (name === undefined || pair === '' || names?.has(name) === false) continue;
    const text = equals === -1 ? '' : decode(pair.slice(equals + 1), maxBytes);
    parameters.set(name, { text, times: (parameters.get(name)?.times ?? 0) + 1 });
  }
  return parameters;
}

/** Undefined for what is no UTF-8, has a broken escape, or may have more bytes than are allowed. */
function decode(encoded: string, maxBytes: number): string | undefined {
  if (encoded.length > ESCAPE_LENGTH * maxBytes) return undefined;
  if (!ENCODED.test(encoded)) return encoded;
  const bytes = Buffer.from(encoded, 'latin1');
  const length = unescapeInPlace(bytes);
  if (length === undefined) return undefined;
  try {
    return UTF8.decode(bytes.subarray(0, length));
  } catch {
    return undefined;
  }
}

/** How many bytes are left; undefined where an escape is broken. One pass, however many escapes there are. */
function unescapeInPlace(bytes: Buffer): number | undefined {
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    let byte = bytes[at] ?? 0;
    if (byte === PLUS) byte = SPACE;
    else if (byte === PERCENT) {
      byte = (hexDigit(bytes[at + 1]) << 4) | hexDigit(bytes[at + 2]);
      if (byte < 0) return undefined;
      at += 2;
    }
    bytes[length] = byte;
    length += 1;
  }
  return length;
}

/** Values of ASCII hexadecimal digits by their code; negative for anything else, as is what is made of it. */
const HEX_DIGITS = Int8Array.from({ length: 256 }, (_, code) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase()),
);

function hexDigit(code = 0): number {
  return HEX_DIGITS[code] ?? -1;
}
