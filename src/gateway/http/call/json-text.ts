import { isLosslessNumber, parse } from 'lossless-json';

import { Failure } from '../../errors.js';

/**
 * A bracket, or a string with the colon that makes the string a name. In JSON no other token contains a quote or a bracket. The
 * closing quote is optional, so that the time is linear for an unclosed string too.
 */
const TOKENS = /("[^"\\]*(?:\\.[^"\\]*)*"?)(\s*:)?|[{}[\]]/gs;

/** What the parser expects where it stops, by the beginning of its message. The message is not sent, because it contains the text. */
const EXPECTED: readonly (readonly [message: string, expected: string])[] = [
  ['Comma', 'a comma, or the end of the array or object'],
  ['Colon', 'a colon after the name'],
  ['Quoted object key', 'a name in double quotes'],
  ['Object value', 'a value after the colon'],
  ['Array item', 'a value'],
  ['JSON value', 'an object, such as {"project": "aurora"}'],
  ['End of string', 'a closing double quote'],
  ['Invalid number', 'a digit'],
  ['Invalid escape', 'an escape sequence of JSON'],
  ['Invalid unicode', 'four hexadecimal digits after \\u'],
  ['Invalid character', 'no control character within a string: write it as an escape sequence'],
  ['Expected end', 'the end of the body'],
];

/** Parses JSON that has this number of names. Numbers keep their text, as `LosslessNumber`. @throws Failure */
export type ParseJson = (text: string, names: number) => unknown;

/** @throws Failure MALFORMED_BODY with the position, and without the text, for invalid JSON and for a repeated name in an object. */
export const parseJsonText: ParseJson = (text, names) => {
  const value = parsed(text);
  const repeated = namesIn(value) < names ? repeatedNameAt(text) : undefined;
  if (repeated !== undefined) throw malformed('each name once', text.slice(0, repeated));
  return value;
};

/** Whether a parsed value is a JSON object. */
export function isJsonObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
}

function parsed(text: string): unknown {
  try {
    // Repeated names with equal values are not reported here. They are all found after parsing.
    return parse(text, undefined, { onDuplicateKey: ({ newValue }) => newValue });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const { message } = error;
    const [, expected = 'valid JSON'] = EXPECTED.find(([start]) => message.startsWith(start)) ?? [];
    throw malformed(expected, text.slice(0, Number(/ at position (\d+)$/.exec(message)?.[1] ?? 0)));
  }
}

/** The number of names in all objects of a parsed value. */
function namesIn(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + namesIn(item), 0);
  if (!isJsonObject(value)) return 0;
  const members = Object.values(value);
  return members.length + namesIn(members);
}

/** The position of the first repeated name of an object, in valid JSON. */
function repeatedNameAt(text: string): number | undefined {
  const open: Set<string>[] = [];
  for (const { 0: token, 1: string = '', 2: colon, index } of text.matchAll(TOKENS)) {
    if (token === '[' || token === '{') open.push(new Set());
    else if (token === ']' || token === '}') open.pop();
    if (colon === undefined) continue;
    // One name can be written with different escapes.
    const name = JSON.parse(string) as string;
    if (open.at(-1)?.has(name)) return index;
    open.at(-1)?.add(name);
  }
  return undefined;
}

/** @param before the text before the error. */
export function malformed(expected: string, before: string): Failure {
  const lines = before.split('\n');
  const column = (lines.at(-1)?.length ?? 0) + 1;
  return new Failure(
    'MALFORMED_BODY',
    `The body is not valid JSON: line ${lines.length}, column ${column}: expected ${expected}.`,
  );
}
