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
