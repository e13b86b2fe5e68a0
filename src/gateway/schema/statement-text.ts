/** Text in a statement that is not SQL: strings, quoted names and comments. */
const NOT_SQL = /'(?:[^'\\]|\\.|'')*'|`(?:[^`\\]|\\.)*`|--[^\n]*|\/\*.*?\*\//gs;

/**
 * Replaces each character of strings, quoted names and comments by a space. The keywords and brackets that remain are real ones, at their
 * positions in the statement.
 */
export function masked(statement: string): string {
  return statement.replace(NOT_SQL, (match) => match.replace(/[^\n]/g, ' '));
}

/** Removes comments and blank lines. */
export function withoutComments(statement: string): string {
  return statement
    .replace(NOT_SQL, (match) => (/^(?:--|\/\*)/.test(match) ? '' : match))
    .split('\n')
    .filter((line) => line.trim() !== '')
    .join('\n')
    .trim();
}

/** Position of the bracket that closes the one at `open`, or -1. */
export function closingBracket(mask: string, open: number): number {
  let depth = 0;
  for (let at = open; at < mask.length; at += 1) {
    if (mask[at] === '(') depth += 1;
    if (mask[at] === ')') depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}
