import type { Endpoint } from '../../../endpoint/endpoint.js';
import { Failure } from '../../errors.js';
import { MAX_LIST_ITEMS } from './json-parameters.js';
import { MAX_PARAMETERS } from './query-string.js';

/** Maximum nesting of arrays and objects. The parser is recursive, and no parameter needs more than one level. */
export const MAX_DEPTH = 64;

/** Maximum counts of a JSON text. */
export interface JsonLimits {
  /** Number of names in all objects together. */
  readonly names: number;
  /** Number of values in all arrays and objects together. */
  readonly values: number;
}

/** Counts of a JSON text, up to the first limit that it exceeds. For invalid JSON they are never lower than what a parser creates. */
interface JsonCounts extends JsonLimits {
  /** Position of the byte at which nesting exceeds 64 levels; undefined where it does not. */
  readonly tooDeepAt: number | undefined;
}

const [SPACE, QUOTE, OPEN, CLOSE, COMMA, COLON] = [1, 2, 3, 4, 5, 6] as const;
/** Tokens by byte; 0 for the bytes of numbers and words. Bytes of non-ASCII characters occur in strings only. */
const TOKENS = new Uint8Array(256);
for (const [token, characters] of [' \t\r\n', '"', '[{', ']}', ',', ':'].entries()) {
  for (const byte of Buffer.from(characters)) TOKENS[byte] = token + 1;
}
const [BACKSLASH, DOUBLE_QUOTE] = [0x5c, 0x22] as const;

/** Counts the names and values of a JSON text in one pass over its bytes, before anything is allocated. Never throws. */
export function countJson(bytes: Uint8Array, limits: JsonLimits): JsonCounts {
  let names = 0;
  let values = 0;
  let depth = 0;
  let previous = 0;
  for (let at = startOf(bytes); at < bytes.length; at += 1) {
    const token = tokenOf(bytes[at]);
    if (token === SPACE) continue;
    if (previous === OPEN && token !== CLOSE) values += 1;
    if (token === QUOTE) at = endOfString(bytes, at + 1);
    else if (token === COMMA) values += 1;
    else if (token === COLON) names += 1;
    depth += nestingOf(token);
    if (depth > MAX_DEPTH) return { names, values, tooDeepAt: at };
    // The text is not an array or object, its outermost one has ended, or a limit is exceeded.
    if (depth <= 0 || names > limits.names || values > limits.values) break;
    previous = token;
  }
  return { names, values, tooDeepAt: undefined };
}

/** Where the text starts: after a byte order mark, which decoding removes. */
const startOf = ([first, second, third]: Uint8Array): number =>
  first === 0xef && second === 0xbb && third === 0xbf ? 3 : 0;

const tokenOf = (byte = 0): number => TOKENS[byte] ?? 0;

const nestingOf = (token: number): number => Number(token === OPEN) - Number(token === CLOSE);

/** The position of the closing quote. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== DOUBLE_QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** Whether the last character closes an array or object. */
export function isClosed(bytes: Uint8Array): boolean {
  let at = bytes.length - 1;
  while (at >= 0 && tokenOf(bytes[at]) === SPACE) at -= 1;
  return at >= 0 && tokenOf(bytes[at]) === CLOSE;
}

/** Maximum number of names in a message. Its error lists unknown names for a model to correct, so that the limit is high. */
const MESSAGE_NAMES = 16_384;

/** The limits of the body of a call: as many names as in a query string, and the longest lists. */
export function limitsOfCall(endpoint: Endpoint): JsonLimits {
  return limitsWith(MAX_PARAMETERS, listsOf(endpoint));
}

const mostLists = new WeakMap<readonly Endpoint[], number>();

/** The limits of a message, which can call any endpoint. @param endpoints the same array until they are replaced. */
export function limitsOfMessage(endpoints: readonly Endpoint[]): JsonLimits {
  const lists = mostLists.get(endpoints) ?? Math.max(0, ...endpoints.map(listsOf));
  mostLists.set(endpoints, lists);
  return limitsWith(MESSAGE_NAMES, lists);
}

function listsOf({ parameters }: Endpoint): number {
  return [...parameters.values()].filter(({ isList }) => isList).length;
}

const limitsWith = (names: number, lists: number): JsonLimits => ({
  names,
  values: names + lists * MAX_LIST_ITEMS,
});

/** Why a body is rejected before it is parsed: BAD_REQUEST for too many names, as in a query string; BODY_TOO_LARGE for values. */
export function excessOf(counts: JsonCounts, limits: JsonLimits): Failure | undefined {
  if (counts.names > limits.names) {
    return new Failure(
      'BAD_REQUEST',
      `The body has more than ${limits.names} names. Send only parameters of the endpoint.`,
    );
  }
  if (counts.values <= limits.values) return undefined;
  return new Failure(
    'BODY_TOO_LARGE',
    `The body has more than ${limits.values} values in its arrays and objects, which is what its parameters can take. ` +
      'Send fewer items.',
  );
}
