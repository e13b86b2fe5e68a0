export type TokenKind = 'text' | 'parameter' | 'string' | 'comment' | 'number' | 'keyword';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const KEYWORDS =
  'SELECT|FROM|WHERE|AND|OR|NOT|IN|IS|NULL|AS|WITH|GROUP|ORDER|BY|LIMIT|CASE|WHEN|THEN|ELSE|END|ASC|DESC|NULLS|FIRST|LAST|' +
  'INTERVAL|SECOND|MINUTE|HOUR|DAY|UNION|ALL|DISTINCT|HAVING|JOIN|ON|LEFT|INNER|BETWEEN|LIKE';

const TOKEN = new RegExp(
  [
    String.raw`(?<comment>--[^\n]*|/\*[\s\S]*?\*/)`,
    String.raw`(?<string>'(?:[^'\\]|\\[\s\S]|'')*')`,
    String.raw`(?<parameter>@[A-Za-z_]\w*|\{[A-Za-z_]\w*:[^{}]+\})`,
    String.raw`(?<number>\b\d+(?:\.\d+)?\b)`,
    String.raw`(?<keyword>\b(?:${KEYWORDS})\b)`,
  ].join('|'),
  'g',
);

const KINDS = ['comment', 'string', 'parameter', 'number', 'keyword'] as const;

/** Splits SQL for highlighting; the joined texts are the SQL. */
export function tokensOf(sql: string): readonly Token[] {
  const tokens: Token[] = [];
  let end = 0;
  for (const match of sql.matchAll(TOKEN)) {
    if (match.index > end) tokens.push({ kind: 'text', text: sql.slice(end, match.index) });
    tokens.push({ kind: KINDS.find((kind) => match.groups?.[kind] !== undefined) ?? 'text', text: match[0] });
    end = match.index + match[0].length;
  }
  if (end < sql.length) tokens.push({ kind: 'text', text: sql.slice(end) });
  return tokens;
}
