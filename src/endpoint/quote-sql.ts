/** Writes a name as an identifier of ClickHouse's SQL. */
export function quoteName(name: string): string {
  return quoted(name, '`');
}

/** Writes a text as a string literal of ClickHouse's SQL. */
export function quoteText(text: string): string {
  return quoted(text, "'");
}

/** In both, a backslash escapes the quote and itself. */
function quoted(text: string, quote: '`' | "'"): string {
  return quote + text.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`) + quote;
}

/** What a letter after a backslash means. */
const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', 0: '\0' };

/** The text or the name that a literal or a quoted name of ClickHouse's SQL stands for. */
export function unquote(written: string): string {
  const [quote = ''] = written;
  return written
    .slice(1, -1)
    .replaceAll(/\\([^])|(['"`])\2/g, (found, escaped: string | undefined, doubled: string | undefined) => {
      if (escaped !== undefined) return CONTROLS[escaped] ?? escaped;
      return doubled === quote ? quote : found;
    });
}

/** Anything of SQL that has a name. */
export interface NamedColumn {
  readonly name: string;
}

/** The name, or one with `_` at its end: one that no column has. */
export function nameBeside(columns: readonly NamedColumn[], name: string): string {
  return columns.some((column) => column.name === name) ? nameBeside(columns, `${name}_`) : name;
}
