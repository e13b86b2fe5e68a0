import { Rejection } from '../facts/rejection.js';

/** Names that the printed query tree shows safely: it has no delimiters, so a name with others could forge a part of the tree. */
const PLAIN_NAME = /^(?! )[\p{L}\p{M}\p{N}_ ()%?!+*/&#@.-]+(?<! )$/u;

const TOKENS = [
  /'(?:[^'\\]|\\[^]|'')*'/uy,
  /`(?<name>(?:[^`\\]|\\[^]|``)*)`/uy,
  /[A-Za-z0-9_ \n.,()[\]+*/%=<>!|:?@^&~-]/uy,
];

/** A string or a quoted name. */
const QUOTED = /('(?:[^'\\]|\\[^]|'')*'|`(?:[^`\\]|\\[^]|``)*`)/u;

const PARAMETER = 'must not contain parameters in braces; write the values into the SQL';

/**
 * Checks a statement in the canonical form that ClickHouse prints: quoted values, names, keywords and operators. It does not check what the
 * statement reads. It ensures that the statement's tree, in which ClickHouse prints names unescaped, is unambiguous.
 *
 * @param constant sticky pattern of an additional token that stands for a constant
 * @returns the text with 0 instead of each such token; text in strings and quoted names stays
 * @throws Rejection
 */
export function checkPrintedText(text: string, constant?: RegExp): string {
  const patterns = constant ? [...TOKENS, constant] : TOKENS;
  let written = '';
  for (let at = 0; at < text.length;) {
    const [pattern, token] = tokenAt(text, at, patterns);
    if (token === undefined) throw new Rejection(characterProblem(text[at] ?? ''));
    written += pattern === constant ? '0' : token[0];
    requirePlain(token.groups?.['name']);
    if (/^SETTINGS\b/.test(text.slice(at, at + 9)) && !/\w/.test(text[at - 1] ?? ''))
      throw new Rejection('must not have SETTINGS');
    if (text.startsWith('--', at) || text.startsWith('/*', at))
      throw new Rejection('has a comment in an unsupported place');
    at += token[0].length;
  }
  return written;
}

/** Replaces a text in a printed statement, except inside strings and quoted names. */
export const replaceUnquoted = (text: string, searched: string, written: string): string =>
  text
    .split(QUOTED)
    .map((piece, index) => (index % 2 === 0 ? piece.replaceAll(searched, () => written) : piece))
    .join('');

function requirePlain(name: string | undefined): void {
  if (name === undefined || PLAIN_NAME.test(name)) return;
  throw new Rejection('has a quoted name with an unsupported character; use letters, digits and _');
}

function tokenAt(
  text: string,
  at: number,
  patterns: readonly RegExp[],
): readonly [pattern: RegExp | undefined, token: RegExpExecArray | undefined] {
  for (const pattern of patterns) {
    pattern.lastIndex = at;
    const token = pattern.exec(text);
    if (token) return [pattern, token];
  }
  return [undefined, undefined];
}

function characterProblem(character: string): string {
  if (character === '{' || character === '}') return PARAMETER;
  return `has a character that is not supported here: ${JSON.stringify(character)}`;
}
