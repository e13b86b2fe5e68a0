/** The name of a ClickHouse type, and the arguments in its parentheses. */
export interface TypeName {
  readonly name: string;
  /** Trimmed; empty where the type has none. */
  readonly args: readonly string[];
}

/** A quoted text, a parenthesis, a comma, or the text between them. */
const TOKEN = /'(?:[^'\\]|\\.|'')*'|[(),]|[^'(),]+/g;

/** Parses one level of a type such as `Map(String, Array(UInt8))`. */
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
