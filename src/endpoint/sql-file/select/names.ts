import { unquote } from '../../quote-sql.js';
import { isSymbol, wordOf, type Node } from './nodes.js';

/** Whether a node can be a name: a bare word or a quoted name. */
export function isName(node: Node | undefined): boolean {
  return node?.kind === 'token' && (node.type === 'word' || node.type === 'quoted-name');
}

/** The name that a word or quoted name means. */
export function nameOf(node: Node): string {
  if (node.kind !== 'token') return '';
  if (node.type !== 'quoted-name') return node.text;
  return node.text.startsWith('“') ? node.text.slice(1, -1) : unquote(node.text);
}

/** The name of the column of an item of SELECT: after AS, or a column's; undefined where ClickHouse makes one up. */
export function columnName(item: readonly Node[]): string | undefined {
  const last = item.at(-1);
  if (last === undefined || !isName(last)) return undefined;
  if (item.length > 2 && wordOf(item.at(-2)) === 'AS') return nameOf(last);
  const isPath = item.every((node, index) => (index % 2 === 0 ? isName(node) : isSymbol(node, '.')));
  return isPath && item.length % 2 === 1 ? nameOf(last) : undefined;
}
