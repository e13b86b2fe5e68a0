import { Rejection } from './rejection.js';

/** Names without anything that the printed query tree writes between two names, so that none can pass for more than a name. */
const PLAIN_NAME = /^(?! )[\p{L}\p{M}\p{N}_ ()%?!+*/&#@.-]+(?<! )$/u;

const TOKENS = [
  /'(?:[^'\\]|\\[^]|'')*'/uy,
  /`(?<name>(?:[^`\\]|\\[^]|``)*)`/uy,
  /[A-Za-z0-9_ \n.,()[\]+*/%=<>!|:?@^&~-]/uy,
];

const PARAMETER = 'must not hold parameters in braces; write the values into it';

/**
 * Checks a statement that ClickHouse has printed: values in quotes, names, words and signs, in the one spelling that
 * ClickHouse gives them. It decides nothing about what the statement reads; it makes sure that its tree, in which
 * ClickHouse prints names as they are, can be read in one way only.
 *
 * @throws Refusal
 */
export function checkPrintedText(text: string): void {
  for (let at = 0; at < text.length;) {
    const token = tokenAt(text, at);
    if (token === undefined) throw new Rejection(refusalOf(text[at] ?? ''));
    const name = token.groups?.['name'];
    if (name !== undefined && !PLAIN_NAME.test(name)) {
      throw new Rejection(
        'has a quoted name with a sign that no name may hold here; use letters, digits and _',
      );
    }
    if (text.startsWith('--', at) || text.startsWith('/*', at))
      throw new Rejection('has a comment in an odd place');
    at += token[0].length;
  }
}

/**
 * Whether a FROM in a printed text names a table, in text that {@link checkPrintedText} has let pass: no name in it holds a
 * quote.
 */
export function namesInFrom(text: string, table: string): boolean {
  const bare = text
    .replaceAll(/'(?:[^'\\]|\\[^]|'')*'/gu, "''")
    .replaceAll(/`([^`]*)`/gu, (_, name: string) => (name === table ? name : '_'));
  return bare
    .split(/\bFROM /u)
    .slice(1)
    .some((rest) => rest.split(/[^\w.]/u, 1)[0] === table);
}

function tokenAt(text: string, at: number): RegExpExecArray | undefined {
  for (const pattern of TOKENS) {
    pattern.lastIndex = at;
    const token = pattern.exec(text);
    if (token) return token;
  }
  return undefined;
}

function refusalOf(sign: string): string {
  if (sign === '{' || sign === '}') return PARAMETER;
  return `has a sign that is not understood here: ${JSON.stringify(sign)}`;
}
