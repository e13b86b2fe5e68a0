import { isSymbol, wordOf, type TokenNode } from '../../endpoint/sql-file/select/nodes.js';

/** Literals that ClickHouse prints as the client wrote them: whole numbers, and texts without an escape. */
const PLAIN = /^(?:0|[1-9]\d{0,17}|'[^'\\\p{Cc}]*')$/u;

const COMPARES = /^(?:=|==|!=|<>|<|>|<=|>=)$/;
const COMPARING_WORD = /^(?:LIKE|ILIKE|BETWEEN)$/;
const MOST = 100;
/** Placeholder that replaces a literal. The prefix `beginning` occurs nowhere else in the statement. */
export const placeOf = (beginning: string, index: number): string => `'${beginning}v${index}'`;
const PLACE = /'_q[\da-f]{8}_v\d+'/g;

/** Placeholder inside a text. ClickHouse prints the type Enum8('a' = 1) as a text, in which the literal is not part of a comparison. */
export const PLACE_IN_TEXT = /\\'_q[\da-f]{8}_v\d+\\'/;

/** Puts the literals back. A placeholder can occur twice, because ClickHouse prints the left side of a BETWEEN twice. */
export const withLiterals = (text: string, literals: ReadonlyMap<string, string>): string =>
  text.replaceAll(PLACE, (place) => literals.get(place) ?? place);

/** Words that end an expression, so that the literal before them is a whole operand. */
const ENDS = /^(?:AND|OR|THEN|GROUP|ORDER|HAVING|LIMIT|UNION)$/;

/**
 * Literals that only decide for which rows a comparison is true: the operand after an operator, a bound of BETWEEN, and the items of an IN.
 * The sandbox check does not depend on their values, and ClickHouse parses the statement the same way for any value.
 */
export function comparedLiterals(tokens: readonly TokenNode[]): ReadonlySet<TokenNode> {
  const found = new Set<TokenNode>();
  for (const [at, token] of tokens.entries()) {
    const list = wordOf(token) === 'IN' ? itemsAfter(tokens, at) : [];
    for (const item of list) found.add(item);
    if (isPlain(token) && isEnd(tokens[at + 1]) && (isComparison(tokens[at - 1]) || isBound(tokens, at)))
      found.add(token);
  }
  // Beyond this number placeholders do not pay: they are longer than most literals.
  return found.size > MOST ? new Set() : found;
}

/** Whether a token is the second bound of a BETWEEN whose first one is a literal. */
const isBound = (tokens: readonly TokenNode[], at: number): boolean =>
  at > 2 && tokens.slice(at - 3, at).every((token, n) => [/^BETWEEN$/, /^$/, /^AND$/][n]?.test(token.word));

/** Items of the list in brackets after IN. Empty unless all items are plain literals. */
function itemsAfter(tokens: readonly TokenNode[], at: number): readonly TokenNode[] {
  const items: TokenNode[] = [];
  if (!isSymbol(tokens[at + 1], '(')) return [];
  for (let next = at + 2; ; next += 2) {
    const [item, after] = tokens.slice(next, next + 2);
    if (!item || !after || !isPlain(item)) return [];
    items.push(item);
    if (isSymbol(after, ')')) return isEnd(tokens[next + 2]) ? items : [];
    if (!isSymbol(after, ',')) return [];
  }
}

const isPlain = ({ type, text }: TokenNode): boolean => /^(?:number|string)$/.test(type) && PLAIN.test(text);

const isComparison = (token: TokenNode | undefined): boolean =>
  token !== undefined &&
  (COMPARING_WORD.test(token.word) || (token.type === 'symbol' && COMPARES.test(token.text)));

const isEnd = (token: TokenNode | undefined): boolean =>
  token === undefined || isSymbol(token, ')') || isSymbol(token, ',') || ENDS.test(token.word);
