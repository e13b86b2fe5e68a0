import { isSymbol, wordOf, type TokenNode } from '../../endpoint/sql-file/select/nodes.js';

/** Literals that ClickHouse prints as they are written: whole numbers, and texts without an escape. */
const PLAIN = /^(?:0|[1-9]\d{0,17}|'[^'\\\p{Cc}]*')$/u;

const COMPARES = /^(?:=|==|!=|<>|<|>|<=|>=)$/;
const COMPARING_WORD = /^(?:LIKE|ILIKE|BETWEEN)$/;
const MOST = 100;
/** What stands in the place of a literal; the beginning occurs nowhere else in the statement. */
export const placeOf = (beginning: string, index: number): string => `'${beginning}v${index}'`;
const PLACE = /'_q[\da-f]{8}_v\d+'/g;

/** The text with the literals in their places. There can be more of these: ClickHouse prints the left side of a BETWEEN twice. */
export const withLiterals = (text: string, literals: ReadonlyMap<string, string>): string =>
  text.replaceAll(PLACE, (place) => literals.get(place) ?? place);

/** What ends an expression, so that the literal before it is a whole operand. */
const ENDS = /^(?:AND|OR|THEN|GROUP|ORDER|HAVING|LIMIT|UNION)$/;

/**
 * The literals that only decide for which rows a comparison holds: the operand behind an operator, a bound of BETWEEN, and the items of an
 * IN. No rule about what a statement may do looks at them, nor does ClickHouse read such a place differently for another value.
 */
export function comparedLiterals(tokens: readonly TokenNode[]): ReadonlySet<TokenNode> {
  const found = new Set<TokenNode>();
  for (const [at, token] of tokens.entries()) {
    const list = wordOf(token) === 'IN' ? itemsAfter(tokens, at) : [];
    for (const item of list) found.add(item);
    if (isPlain(token) && isEnd(tokens[at + 1]) && (isComparison(tokens[at - 1]) || isBound(tokens, at)))
      found.add(token);
  }
  // The places are longer than most literals.
  return found.size > MOST ? new Set() : found;
}

/** Whether a token is the second bound of a BETWEEN whose first one is a literal. */
const isBound = (tokens: readonly TokenNode[], at: number): boolean =>
  at > 2 && tokens.slice(at - 3, at).every((token, n) => [/^BETWEEN$/, /^$/, /^AND$/][n]?.test(token.word));

/** The items of the list in brackets behind IN; none where something else stands there. */
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
