import { isSetWord, type Frame, type Word } from '../../endpoint/sql-file/select/frame.js';
import { isName, nameOf } from '../../endpoint/sql-file/select/names.js';
import { isSymbol, wordOf, type GroupNode, type Node } from '../../endpoint/sql-file/select/nodes.js';
import type { Place } from '../../endpoint/sql-file/select/select.js';
import { unquote } from '../../endpoint/quote-sql.js';

/** Keyword at an index. Empty where there is none. */
export const keywordAt = (words: readonly Word[], at: number): string => wordOf(words[at]?.node);

/** Node at an index, if it is round brackets. */
export function bracketsAt(words: readonly Word[], at: number): GroupNode | undefined {
  const node = words[at]?.node;
  return isGroup(node, '(') ? node : undefined;
}

/** Whether a node is a bracket group of this kind. */
export function isGroup(node: Node | undefined, open: GroupNode['open']): node is GroupNode {
  return node?.kind === 'group' && node.open === open;
}

/** A name with dots, of a table or a column. */
export interface Path {
  readonly pieces: readonly string[];
  readonly places: readonly Place[];
  /** Whether `.*` follows the name. */
  readonly hasStar: boolean;
  /** Index of the word after the name. This word may be the dot of `.*`. */
  readonly next: number;
}

/** Reads the name that begins at a word. Undefined where there is no name. */
export function pathAt(words: readonly Word[], at: number): Path | undefined {
  const nodes: Node[] = [];
  let next = at;
  for (let name = words[at]?.node; name && isName(name); name = words[next + 1]?.node) {
    nodes.push(name);
    next = at + nodes.length * 2 - 1;
    if (!isSymbol(words[next]?.node, '.')) break;
  }
  const hasStar = isSymbol(words[next]?.node, '.') && isSymbol(words[next + 1]?.node, '*');
  return nodes.length === 0 ? undefined : { pieces: nodes.map(nameOf), places: nodes, hasStar, next };
}

/** Words that ClickHouse does not accept as the alias of a table without AS. */
const NO_ALIASES: ReadonlySet<string> = new Set(
  `ALL ANTI ANY ARRAY AS ASOF BETWEEN CROSS ELSE EXCEPT FINAL FORMAT FROM FULL GLOBAL GROUP HAVING ILIKE INNER INTERSECT INTO JOIN LEFT
  LIKE LIMIT NATURAL NOT OFFSET ON ONLY ORDER PARALLEL PASTE PREWHERE QUALIFY RIGHT SAMPLE SELECT SEMI SETTINGS STREAM UNION USING UUID
  WHERE WINDOW WITH`.split(/\s+/),
);

/** Reads the alias of a table, and the index of the word after it. Undefined where there is no alias. */
export function aliasAt(
  words: readonly Word[],
  at: number,
): { readonly name: string; readonly next: number } | undefined {
  const isAfterAs = keywordAt(words, at) === 'AS';
  const node = words[isAfterAs ? at + 1 : at]?.node;
  if (node === undefined || !isName(node) || (!isAfterAs && NO_ALIASES.has(wordOf(node)))) return undefined;
  return { name: nameOf(node), next: isAfterAs ? at + 2 : at + 1 };
}

/** Name of the WITH query whose brackets are at a word, as in `name [(columns)] AS [MATERIALIZED] (…)`. */
export function nameOfWithQuery(words: readonly Word[], at: number): string | undefined {
  const as = keywordAt(words, at - 1) === 'MATERIALIZED' ? at - 2 : at - 1;
  if (keywordAt(words, as) !== 'AS') return undefined;
  const node = words[words[as - 1]?.inner ? as - 2 : as - 1]?.node;
  return node && isName(node) ? nameOf(node) : undefined;
}

/** Number of definitions of each WITH query, by name. */
export function countWithQueries(
  { words }: Frame,
  counts = new Map<string, number>(),
): ReadonlyMap<string, number> {
  for (const [at, { inner }] of words.entries()) {
    const name = inner && nameOfWithQuery(words, at);
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
    if (inner) countWithQueries(inner, counts);
  }
  return counts;
}

/** Indexes at which a query, or the queries of a UNION, begin. */
function startsOfQueries(words: readonly Word[]): readonly number[] {
  const isMode = (at: number): boolean => /^(?:ALL|DISTINCT)$/.test(keywordAt(words, at));
  return [...words.keys()].filter((at) => {
    const set = words[isMode(at - 1) ? at - 2 : at - 1];
    return at === 0 || (set?.role === 'clause' && isSetWord(wordOf(set.node)) && !isMode(at));
  });
}

/**
 * Words at which a WITH query must stand so that all queries of a UNION know it: before the word, or after it where it is WITH or
 * RECURSIVE. In ClickHouse, queries without a WITH list use that of the first query. The list reaches into brackets, but not out of them.
 */
export function placesOfWithLists(words: readonly Word[], isKnown = false): readonly Word[] {
  const isFirstUnion = startsOfQueries(words[0]?.inner?.words ?? []).length > 1;
  return startsOfQueries(words).flatMap((at) => {
    const [word, next] = words.slice(at, at + 2);
    const isKnownHere = isKnown || (at > 0 && !isFirstUnion);
    if (word?.inner) return placesOfWithLists(word.inner.words, isKnownHere);
    if (!word || (wordOf(word.node) !== 'WITH' && isKnownHere)) return [];
    const isRecursive = keywordAt(words, at + 1) === 'RECURSIVE' && keywordAt(words, at + 2) !== 'AS';
    return [isRecursive && next ? next : word];
  });
}

/** Text of a string literal. Undefined where the node is not one, or has an unusual form. */
export function textOf(node: Node | undefined): string | undefined {
  if (node?.kind !== 'token' || node.type !== 'string') return undefined;
  if (node.text.startsWith("'")) return unquote(node.text);
  return /^(\$\w*\$)([^]*)\1$/.exec(node.text)?.[2];
}

/** Text of a literal that is neither NULL nor an array. A number stays as the client wrote it. */
export function scalarOf([first, second, ...more]: readonly Node[]): string | undefined {
  if (first?.kind !== 'token' || more.length > 0) return undefined;
  if (second)
    return /^[+-]$/.test(first.text)
      ? numberOf(second)?.replace(/^/, first.text.replace('+', ''))
      : undefined;
  return /^(?:TRUE|FALSE)$/.test(first.word) ? first.word.toLowerCase() : (numberOf(first) ?? textOf(first));
}

const numberOf = (node: Node): string | undefined =>
  node.kind === 'token' && node.type === 'number' ? node.text : undefined;

/** Splits nodes at commas. */
export function itemsOf(nodes: readonly Node[]): readonly (readonly Node[])[] {
  const items: Node[][] = [[]];
  for (const node of nodes) {
    if (isSymbol(node, ',')) items.push([]);
    else items.at(-1)?.push(node);
  }
  return nodes.length === 0 ? [] : items;
}
