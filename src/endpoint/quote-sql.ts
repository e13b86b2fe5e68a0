/** Writes a name as an identifier of ClickHouse's SQL. */
export function quoteName(name: string): string {
  return quoted(name, '`');
}

/** Writes a text as a string literal of ClickHouse's SQL. */
export function quoteText(text: string): string {
  return quoted(text, "'");
}

/** Quotes a text or a name. In both, a backslash escapes the quote and itself. */
function quoted(text: string, quote: '`' | "'"): string {
  return quote + text.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`) + quote;
}

/** What a letter after a backslash means. */
const CONTROLS: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', e: '\x1b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', 0: '\0', N: '' },
};
const ESCAPE = /((?:\\x[\da-fA-F]{2})+)|\\([^])|(['"`])\3/g;
/** Characters that a backslash escapes. Before any other character a backslash is literal, as in a regular expression. */
const ESCAPED = /[\\'"`/=]/;

/** The text or name that a literal or a quoted name in ClickHouse's SQL denotes. */
export function unquote(written: string): string {
  const [quote = ''] = written;
  return written
    .slice(1, -1)
    .replaceAll(ESCAPE, (found, bytes?: string, escaped?: string, doubled?: string) => {
      if (bytes !== undefined) return Buffer.from(bytes.replaceAll('\\x', ''), 'hex').toString();
      if (escaped === undefined) return doubled === quote ? quote : found;
      return CONTROLS[escaped] ?? (escaped < ' ' || ESCAPED.test(escaped) ? escaped : found);
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
