import { Failure } from '../../errors.js';
import { isInBrackets, type RawParameter, type RawParameters } from '../../query/raw-parameters.js';

/** Maximum number of parameters of a call, in a query string or a body. */
export const MAX_PARAMETERS = 1000;

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Characters that need decoding. */
const ENCODED = /[%+\x80-\xff]/;
const [PERCENT, PLUS, SPACE] = [0x25, 0x2b, 0x20] as const;
/** Maximum number of characters that encode one byte. */
const ESCAPE_LENGTH = 3;

/** Declared parameters: which of them are lists. */
export type DeclaredLists = ReadonlyMap<string, { readonly isList?: boolean }>;

const NO_LISTS: DeclaredLists = new Map();

/**
 * Parses the query string of a request target (`application/x-www-form-urlencoded`): `&` between pairs, `+` for a space,
 * percent-encoded UTF-8. Omits parameters whose names can't be decoded, because no endpoint declares them.
 *
 * @param target the request target as Node provides it: one character for each byte.
 * @param declared declared parameters. A repeated list among them becomes one text, with commas.
 * @throws Failure BAD_REQUEST where it has more than 1,000 parameters.
 */
export function parseQueryString(target: string, declared = NO_LISTS): RawParameters {
  const pairs = pairsIn(target);
  if (pairs.length > MAX_PARAMETERS) {
    throw new Failure(
      'BAD_REQUEST',
      `The query string has more than ${MAX_PARAMETERS} parameters. Send fewer.`,
    );
  }
  return readPairs(pairs, {}, declared);
}

/** Selects the parameters to read before the caller is authenticated. */
export interface ParameterFilter {
  readonly names: ReadonlySet<string>;
  /** Maximum bytes of a value; the `text` of a longer value is undefined. */
  readonly maxBytes: number;
}

/**
 * Reads only the parameters with the wanted names. Decodes nothing else, so that an unauthenticated client cannot raise the cost.
 * Ignores parameters after the first 1,000, because a call with more is rejected later.
 */
export function findInQueryString(target: string, { names, maxBytes }: ParameterFilter): RawParameters {
  const maxNameBytes = Math.max(...[...names].map(({ length }) => length));
  return readPairs(pairsIn(target), { names, maxNameBytes, maxBytes });
}

function pairsIn(target: string): readonly string[] {
  const start = target.indexOf('?');
  return start === -1 ? [] : target.slice(start + 1).split('&', MAX_PARAMETERS + 1);
}

interface Bounds {
  readonly names?: ReadonlySet<string>;
  readonly maxNameBytes?: number;
  readonly maxBytes?: number;
}

function readPairs(
  pairs: readonly string[],
  { names, maxNameBytes = Infinity, maxBytes = Infinity }: Bounds,
  declared = NO_LISTS,
): RawParameters {
  const parameters = new Map<string, RawParameter>();
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    const name = decode(equals === -1 ? pair : pair.slice(0, equals), maxNameBytes);
    if (name === undefined || pair === '' || names?.has(name) === false) continue;
    const text = equals === -1 ? '' : decode(pair.slice(equals + 1), maxBytes);
    parameters.set(name, added(parameters.get(name), text, declared.get(name)?.isList));
  }
  return parameters;
}

/** A parameter after one more text of its name: for a list further items, else a repetition. */
function added(before: RawParameter | undefined, text: string | undefined, isList = false): RawParameter {
  if (before === undefined) return { text, times: 1 };
  if (!isList) return { text, times: before.times + 1 };
  const isBracketed =
    before.isInBrackets === true || isInBrackets(before.text ?? '') || isInBrackets(text ?? '');
  return { text: joined(before.text, text), times: 1, isInBrackets: isBracketed };
}

const joined = (before: string | undefined, text: string | undefined): string | undefined =>
  before === undefined || text === undefined ? undefined : `${before},${text}`;

/** The decoded text; undefined for invalid UTF-8 or percent-encoding, and for a text that may exceed the limit. */
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

/** The number of bytes after decoding; undefined for invalid percent-encoding. One pass, so that the cost is linear. */
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

/** Values of ASCII hexadecimal digits by character code; -1 for other codes, which makes the combined byte negative. */
const HEX_DIGITS = Int8Array.from({ length: 256 }, (_, code) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase()),
);

function hexDigit(code = 0): number {
  return HEX_DIGITS[code] ?? -1;
}
