import { isSetWord, type Frame, type Word } from '../../endpoint/sql-file/select/frame.js';
import { isName, nameOf } from '../../endpoint/sql-file/select/names.js';
import { isSymbol, wordOf, type GroupNode, type Node } from '../../endpoint/sql-file/select/nodes.js';
import type { Place } from '../../endpoint/sql-file/select/select.js';
import { unquote } from '../../endpoint/quote-sql.js';

/** A name with dots: of a table or a column. */
export interface Path {
  readonly pieces: readonly string[];
  readonly places: readonly Place[];
  /** Whether `.*` follows. */
  readonly hasStar: boolean;
  /** The index of the word after it, which is the dot of `.*`. */
  readonly next: number;
}

/** Reads the name that begins at a word; undefined where none does. */
export function pathAt(words: readonly Word[], at: number): Path | undefined {
  const first = words[at]?.node;
  if (first === undefined || !isName(first)) return undefined;
  const nodes: Node[] = [first];
  let next = at + 1;
  const nodeAt = (index: number): Node | undefined => words[index]?.node;
  for (let name = nodeAt(next + 1); name && isName(name) && isSymbol(nodeAt(next), '.');) {
    nodes.push(name);
    next += 2;
    name = nodeAt(next + 1);
  }
  const hasStar = isSymbol(nodeAt(next), '.') && isSymbol(nodeAt(next + 1), '*');
  return { pieces: nodes.map(nameOf), places: nodes, hasStar, next };
}

/** The words after which no alias of a table can be written without AS. */
const NO_ALIASES: ReadonlySet<string> = new Set(
  `ALL ANTI ANY ARRAY AS ASOF BETWEEN CROSS ELSE EXCEPT FINAL FORMAT FROM FULL GLOBAL GROUP HAVING ILIKE INNER INTERSECT INTO JOIN LEFT
  LIKE LIMIT NATURAL NOT OFFSET ON ONLY ORDER PARALLEL PASTE PREWHERE QUALIFY RIGHT SAMPLE SELECT SEMI SETTINGS STREAM UNION USING UUID
  WHERE WINDOW WITH`.split(/\s+/),
);

/** An alias, and the index of the word after it. */
export interface Alias {
  readonly name: string;
  readonly next: number;
}

/** Reads the alias of a table; undefined where there is none. */
export function aliasAt(words: readonly Word[], at: number): Alias | undefined {
  const isAfterAs = wordOf(words[at]?.node) === 'AS';
  const node = words[isAfterAs ? at + 1 : at]?.node;
  if (node === undefined || !isName(node) || (!isAfterAs && NO_ALIASES.has(wordOf(node)))) return undefined;
  return { name: nameOf(node), next: isAfterAs ? at + 2 : at + 1 };
}

/** The name of the WITH query whose brackets are at a word: of `name [(columns)] AS [MATERIALIZED] (…)`. */
export function nameOfWithQuery(words: readonly Word[], at: number): string | undefined {
  const as = wordOf(words[at - 1]?.node) === 'MATERIALIZED' ? at - 2 : at - 1;
  if (wordOf(words[as]?.node) !== 'AS') return undefined;
  const node = words[words[as - 1]?.inner ? as - 2 : as - 1]?.node;
  return node && isName(node) ? nameOf(node) : undefined;
}

/** The names of all WITH queries, as often as they are defined. */
export function namesOfWithQueries({ words }: Frame): readonly string[] {
  return words.flatMap(({ inner }, at) => {
    if (!inner) return [];
    const name = nameOfWithQuery(words, at);
    return [...(name === undefined ? [] : [name]), ...namesOfWithQueries(inner)];
  });
}

/** Whether a node is a bracket of this kind. */
export function isGroup(node: Node | undefined, open: GroupNode['open']): node is GroupNode {
  return node?.kind === 'group' && node.open === open;
}

/** The text that a literal stands for; undefined where the node is none, or one in an unusual form. */
export function textOf(node: Node | undefined): string | undefined {
  if (node?.kind !== 'token' || node.type !== 'string') return undefined;
  if (node.text.startsWith("'")) return unquote(node.text);
  return /^(\$\w*\$)([^]*)\1$/.exec(node.text)?.[2];
}

/** The nodes between commas. */
export function itemsOf(nodes: readonly Node[]): readonly (readonly Node[])[] {
  const items: Node[][] = [[]];
  for (const node of nodes) {
    if (isSymbol(node, ',')) items.push([]);
    else items.at(-1)?.push(node);
  }
  return items;
}

/** A number with its sign, as it is written. */
export function numberOf(nodes: readonly Node[]): string | undefined {
  const [first, second] = nodes;
  const sign = nodes.length === 2 && (isSymbol(first, '-') || isSymbol(first, '+')) ? first : undefined;
  const number = sign ? second : first;
  if (number?.kind !== 'token' || number.type !== 'number' || nodes.length > (sign ? 2 : 1)) return undefined;
  return sign && isSymbol(sign, '-') ? `-${number.text}` : number.text;
}

/** The indexes at which the queries of a UNION, or a query, begin. */
function startsOfQueries(words: readonly Word[]): readonly number[] {
  const isMode = (at: number): boolean => /^(?:ALL|DISTINCT)$/.test(wordOf(words[at]?.node));
  return [...words.keys()].filter((at) => {
    const set = words[isMode(at - 1) ? at - 2 : at - 1];
    return at === 0 || (set?.role === 'clause' && isSetWord(wordOf(set.node)) && !isMode(at));
  });
}

/**
 * The words before which a WITH query must stand, or after which where they begin a list, so that all queries of a UNION know it.
 * ClickHouse gives the list of the first query to those that have none, in brackets too, but out of no brackets.
 */
export function placesOfWithLists(words: readonly Word[], isKnown = false): readonly Word[] {
  const starts = startsOfQueries(words);
  const isFirstUnion = startsOfQueries(words[0]?.inner?.words ?? []).length > 1;
  return starts.flatMap((at) => {
    const [word, next, afterNext] = words.slice(at, at + 3);
    if (!word) return [];
    const isKnownHere = isKnown || (at > 0 && !isFirstUnion);
    if (word.inner) return placesOfWithLists(word.inner.words, isKnownHere);
    if (wordOf(word.node) !== 'WITH') return isKnownHere ? [] : [word];
    return [wordOf(next?.node) === 'RECURSIVE' && wordOf(afterNext?.node) !== 'AS' && next ? next : word];
  });
}
