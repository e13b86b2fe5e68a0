/** A name as an identifier in ClickHouse's SQL. */
export function quoteName(name: string): string {
  return quoted(name, '`');
}

/** A text as a string literal in ClickHouse's SQL. */
export function quoteText(text: string): string {
  return quoted(text, "'");
}

/** A backslash escapes the quote and itself, in both. */
function quoted(text: string, quote: '`' | "'"): string {
  return quote + text.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`) + quote;
}
