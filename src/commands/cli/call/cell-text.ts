import { isLosslessNumber, stringify } from 'lossless-json';

/**
 * Characters that would move the cursor, start an escape sequence, or change the order in which a terminal shows others: data
 * must not control the terminal. A surrogate without its partner is no character.
 */
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u{200E}\u{200F}\u{061C}\u{202A}-\u{202E}\u{2066}-\u{2069}]/gu;

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A value of a response as one line of text; numbers as they were sent, with every digit. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'string') return printable(value);
  if (isLosslessNumber(value)) return value.value;
  return printable(stringify(value) ?? '');
}

/** The text with escapes such as `\n` and `\x1b` in place of control characters. */
export function printable(text: string): string {
  return text.replaceAll(UNSAFE, (character) => NAMED[character] ?? escapeOf(character.charCodeAt(0)));
}

const escapeOf = (code: number): string =>
  code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
