import stringWidth from 'string-width';

/** Spaces between two cells. */
const GAP = '  ';

/**
 * Rows of cells as aligned lines, with spaces between columns and none at the ends of lines.
 *
 * @param cells of one line each; colours do not count as width.
 * @param right columns that are aligned to the right.
 */
export function textTable(
  rows: readonly (readonly string[])[],
  right: ReadonlySet<number> = new Set(),
): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries())
      widths[column] = Math.max(widths[column] ?? 0, stringWidth(cell));
  }
  const padded = (cell: string, column: number): string => {
    const spaces = ' '.repeat((widths[column] ?? 0) - stringWidth(cell));
    return right.has(column) ? spaces + cell : cell + spaces;
  };
  return rows.map((row) => `${row.map(padded).join(GAP).trimEnd()}\n`).join('');
}

/**
 * Characters that would move the cursor, begin an escape sequence, or change the order of others in a terminal, which data must
 * not control. A surrogate without its other half is not a character.
 */
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u{200E}\u{200F}\u{061C}\u{202A}-\u{202E}\u{2066}-\u{2069}]/gu;

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** The text as one line, with escapes such as `\n` and `\x1b` in place of what could control a terminal. */
export function printable(text: string): string {
  return text.replaceAll(UNSAFE, (character) => {
    const code = character.charCodeAt(0).toString(16);
    return (
      NAMED[character] ?? (code.length > 2 ? `\\u${code.padStart(4, '0')}` : `\\x${code.padStart(2, '0')}`)
    );
  });
}
