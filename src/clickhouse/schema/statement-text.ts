/** What stands in a statement without being SQL: texts, quoted names and comments. */
const NOT_SQL = /'(?:[^'\\]|\\.|'')*'|`(?:[^`\\]|\\.)*`|--[^\n]*|\/\*.*?\*\//gs;

/**
 * The statement with its texts, quoted names and comments blanked out, character for character: words and brackets that
 * are found in it stand at the same place in the statement, and mean what they say.
 */
export function masked(statement: string): string {
  return statement.replace(NOT_SQL, (opaque) => opaque.replace(/[^\n]/g, ' '));
}

/** The statement without its comments. */
export function withoutComments(statement: string): string {
  return statement
    .replace(NOT_SQL, (opaque) => (/^(?:--|\/\*)/.test(opaque) ? '' : opaque))
    .split('\n')
    .filter((line) => line.trim() !== '')
    .join('\n')
    .trim();
}

/** Place of the bracket that closes the one at `open`, or -1. */
export function closingBracket(mask: string, open: number): number {
  let depth = 0;
  for (let at = open; at < mask.length; at += 1) {
    if (mask[at] === '(') depth += 1;
    if (mask[at] === ')') depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

/** The items of a list, which stand between commas outside of brackets. */
export function listItems(list: string): readonly string[] {
  const mask = masked(list);
  const items: string[] = [];
  let depth = 0;
  let begin = 0;
  for (let at = 0; at < mask.length; at += 1) {
    if (mask[at] === '(') depth += 1;
    if (mask[at] === ')') depth -= 1;
    if (mask[at] !== ',' || depth > 0) continue;
    items.push(list.slice(begin, at).trim());
    begin = at + 1;
  }
  return [...items, list.slice(begin).trim()];
}
