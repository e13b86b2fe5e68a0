/** The name of a ClickHouse type, and what stands in its parentheses. */
export interface TypeName {
  readonly name: string;
  /** Trimmed; empty where there are none. */
  readonly args: readonly string[];
}

/** A quoted text, a bracket, a comma, or anything between them. */
const TOKEN = /'(?:[^'\\]|\\.|'')*'|[(),]|[^'(),]+/g;

/** Takes `Map(String, Array(UInt8))` apart, one level deep. */
export function parseTypeName(text: string): TypeName {
  const opening = text.indexOf('(');
  if (opening === -1) return { name: text.trim(), args: [] };
  const inside = text.slice(opening + 1, text.lastIndexOf(')'));
  return { name: text.slice(0, opening).trim(), args: splitArguments(inside) };
}

function splitArguments(inside: string): readonly string[] {
  const args = [''];
  let depth = 0;
  for (const [token] of inside.matchAll(TOKEN)) {
    if (token === ',' && depth === 0) {
      args.push('');
      continue;
    }
    if (token === '(') depth += 1;
    if (token === ')') depth -= 1;
    args.push((args.pop() ?? '') + token);
  }
  return args.map((arg) => arg.trim()).filter((arg) => arg !== '');
}
